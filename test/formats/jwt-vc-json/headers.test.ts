// Protected headers of credential and presentation with one change, signed by node:crypto, because jose
// refuses most of them. Also the limits of both.

import { describe, it } from 'vitest'
import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { expectRefusal } from '../contract.ts'
import { HOLDER_KEY, ISSUER_KEY, issue, present, presentOf, verifyGood, withHeader } from './good.ts'

const unsupported: PresentationRefusal = { reason: 'unsupported_algorithm' }
const critical: PresentationRefusal = { reason: 'unsupported_critical_header' }

const HEADERS: readonly (readonly [string, object, PresentationRefusal])[] = [
  ['alg none', { alg: 'none' }, unsupported],
  ['alg HS256', { alg: 'HS256' }, unsupported],
  ['alg RS256', { alg: 'RS256' }, unsupported],
  ['alg in lower case', { alg: 'es256' }, unsupported],
  ['no alg', { alg: undefined }, unsupported],
  ['a critical extension', { crit: ['exp'], exp: 1 }, critical],
  ['an empty crit', { crit: [] }, critical],
  ['a b64 parameter', { b64: true }, critical],
]

describe('a credential', () => {
  it.each(HEADERS)('a credential whose header has %s is refused', async (_, header, refusal) => {
    const changed = withHeader(await issue(), header, ISSUER_KEY)
    expectRefusal(await verifyGood(await present(changed)), refusal, 'structure')
  })
})

describe('a presentation', () => {
  it.each(HEADERS)('a presentation whose header has %s is refused', async (_, header, refusal) => {
    const changed = withHeader(await present(await issue()), header, HOLDER_KEY)
    expectRefusal(await verifyGood(changed), refusal, 'structure')
  })
})

const NESTED = { evidence: JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`) }

describe('a JWT beyond the limits', () => {
  it.each([
    ['a credential of 33 levels', presentOf({ content: NESTED })],
    ['a presentation of 33 levels', presentOf({}, { content: NESTED })],
    ['a presentation of 800,000 characters', presentOf({}, { content: { x: 'x'.repeat(800_000) } })],
  ])('%s is refused', async (_, presentation) => {
    expectRefusal(await verifyGood(await presentation), { reason: 'limit_exceeded' }, 'structure')
  })
})
