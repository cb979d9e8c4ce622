// The examples of docs/trust.md are what the service says of the same kind of credentials.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/codec/json.ts'
import type { VerifiedCredential } from '../../src/formats/verification/format.ts'
import { decide } from '../../src/policy/decide.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from '../../src/trust/anchors/anchor.ts'
import { NOW, policyOf, presented } from './fixtures.ts'

const DOCUMENT = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../docs/trust.md'), 'utf8')

const PROVIDER = { name: 'National PID provider', assurance_level: 'high' } as const
const CLUB = { name: 'Sports club', assurance_level: 'substantial' } as const
const FETCHED = Date.parse('2026-11-20T11:53:00Z') / 1000

const pid = (changes: Partial<VerifiedCredential>, claims: JsonObject = {}) =>
  presented('pid', { family_name: 'Mustermann', ...claims }, { anchor: PROVIDER, ...changes })
const membership = presented('membership', { active: true }, { anchor: CLUB, status: 'unavailable' })
const valid = { status: 'valid', statusAsOf: FETCHED } as const

const both = { credential_types: ['pid', 'membership'], scope: ['family_name', 'active'] }
const one = { credential_types: ['pid'], scope: ['family_name'] }

const DECISIONS: Readonly<Record<AssuranceLevel, ReturnType<typeof decide>>> = {
  high: decide({ policy: policyOf(one), presentations: [pid(valid)], now: NOW }),
  substantial: decide({
    policy: policyOf(one),
    presentations: [pid({}, { assurance_level: 'substantial' })],
    now: NOW,
  }),
  low: decide({
    policy: policyOf({ ...both, credential_match: 'all' }),
    presentations: [pid(valid), membership],
    now: NOW,
  }),
}

it.each(ASSURANCE_LEVELS)(
  'docs/trust.md shows the same derivation of the level %s as the service computes',
  (level) => {
    const [, section = ''] = DOCUMENT.split(`## ${level}\n`)
    const example = JSON.parse(section.split('```json')[1]?.split('```')[0] ?? '')
    const { status, assurance_level, derivation } = DECISIONS[level]
    expect(status).toBe('verified')
    expect({ assurance_level, assurance_derivation: derivation }).toEqual(example)
  },
)

it('docs/trust.md has a row for each step of its examples', () => {
  const shown = Object.values(DECISIONS).flatMap(({ derivation }) => derivation.map(({ step }) => step))
  for (const step of shown) expect(DOCUMENT).toContain(`| \`${step}\` |`)
})
