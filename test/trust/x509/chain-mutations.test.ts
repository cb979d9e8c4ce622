// The chain of a signer with one thing changed, and the result for each kind of signer. All have the same
// profile; a driving licence's requires more (ISO/IEC 18013-5 B.1.4). Rows that are trusted show where the
// profile ends.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ENCODING_MUTATIONS } from './chain-mutations/encoding.ts'
import { NAME_MUTATIONS } from './chain-mutations/names.ts'
import { PROFILE_MUTATIONS } from './chain-mutations/profile.ts'
import { SHAPE_MUTATIONS } from './chain-mutations/shape.ts'
import { type Outcomes, outcomesOf } from './chain-mutations/signers.ts'
import { GOOD, type Mutation, type Outcome, type Presented } from './chain-mutations/world.ts'

const GOOD_CHAIN: Presented = { chain: GOOD.chain, anchors: [GOOD.root], signer: GOOD.leaf }
const MUTATIONS: readonly Mutation[] = [
  ...PROFILE_MUTATIONS,
  ...NAME_MUTATIONS,
  ...ENCODING_MUTATIONS,
  ...SHAPE_MUTATIONS,
]
const made = await Promise.all(MUTATIONS.map(([, make]) => make()))

it('an unchanged certificate chain is trusted, with every kind of signer', async () => {
  expect(await outcomesOf(GOOD_CHAIN)).toEqual(outcomes('trusted'))
})

describe('a certificate chain with one change', () => {
  for (const [i, [name, , expected, differently]] of MUTATIONS.entries()) {
    it(`gives the result ${expected}: ${name}`, async () => {
      expect(await outcomesOf(made[i] ?? GOOD_CHAIN)).toEqual(outcomes(expected, differently))
    })
  }
})

it('at least 60 different changes of a certificate chain are refused with every kind of signer', () => {
  const refused = made.filter((_, i) => MUTATIONS[i]?.[2] !== 'trusted')
  expect(new Set([GOOD_CHAIN, ...refused].map(digestOf)).size).toBe(1 + refused.length)
  expect(refused.length).toBeGreaterThanOrEqual(60)
})

/** A status list gives no reason for an untrusted signer. */
function outcomes(expected: Outcome, { licence = expected, status }: Mutation[3] = {}): Outcomes {
  const found = status ?? (expected === 'trusted' ? 'valid' : 'untrusted_signer')
  return { sdJwtVc: expected, licence, statusJwt: found, statusCwt: found }
}

function digestOf({ chain, anchors }: Presented): string {
  const hash = createHash('sha256')
  for (const bytes of [...chain, ...anchors.map(({ der }) => der)])
    hash.update(`${bytes.length} `).update(bytes)
  return hash.digest('hex')
}
