// No presentation that differs from the good one by accident or by chance verifies, and none throws.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../../src/formats/verification/format.ts'
import { placesIn, sizeOf, someOf } from '../../support/runner/size.ts'
import { HOLDER, issue, present, presentOf, verifyGood } from './good.ts'

const CREDENTIAL = await issue()
const GOOD = await present(CREDENTIAL)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const verifies = async (presentation: string) =>
  (await verifyGood(presentation, { isJudged: false })).result.ok

/** Each with one character changed: one bit of the six differs, or a separator becomes another. */
function flippedOf(jwt: string): readonly string[] {
  return Array.from(jwt, (character, i) => {
    const value = ALPHABET.indexOf(character)
    const other = value === -1 ? '~' : ALPHABET[value ^ (1 << (i % 6))]
    return jwt.slice(0, i) + other + jwt.slice(i + 1)
  })
}

async function survivors(mutants: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const mutant of mutants) if (await verifies(mutant)) found.push(mutant)
  return found
}

describe('a presentation that verifies', () => {
  it('verifies unchanged', async () => {
    expect(await verifies(GOOD)).toBe(true)
  })

  it('does not verify after a change of any one character', async () => {
    expect(await survivors(someOf(flippedOf(GOOD)))).toEqual([])
  })

  it('does not verify after a change of one character of its credential, even if the holder signs the presentation again', async () => {
    expect(
      await survivors(await Promise.all(someOf(flippedOf(CREDENTIAL)).map((flipped) => present(flipped)))),
    ).toEqual([])
  })

  it('does not verify if a character is missing or doubled, or if its end is missing', async () => {
    const mutants = placesIn(GOOD).flatMap((i) => [
      GOOD.slice(0, i) + GOOD.slice(i + 1),
      GOOD.slice(0, i) + GOOD.slice(i, i + 1) + GOOD.slice(i),
      GOOD.slice(0, i),
    ])
    expect(await survivors(mutants)).toEqual([])
  })
})

describe('the verification of invalid content that an issuer signed', () => {
  const member = fc.constantFrom(
    ...['iss', 'sub', 'jti', 'nbf', 'exp', 'iat', 'aud', 'cnf', 'status', 'vc', 'vp', 'nonce'],
    ...['@context', 'id', 'type', 'issuer', 'issuanceDate', 'expirationDate', 'validFrom', 'validUntil'],
    ...['credentialSubject', 'credentialStatus', 'verifiableCredential', 'holder', '__proto__'],
  )
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(HOLDER.did, 'did:web:x.example', 1e300),
  )
  const members = fc.dictionary(member, value, { minKeys: 1, maxKeys: 3 })
  const changes = fc.record({ claims: members, content: members }, { requiredKeys: [] })

  it('never throws, reports its checks in the fixed order, and succeeds only with holder binding and a trust anchor', async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, async (credential, presentation) => {
        const context = { fetchResource: async () => ({ ok: false, error: 'unavailable' }) as const }
        const made = await presentOf(credential, presentation)
        const { result, trace } = await verifyGood(made, { context, isJudged: false })
        expect(trace.map(([check]) => check)).toEqual(CHECKS.slice(0, trace.length))
        expect(trace.length).toBeGreaterThan(0)
        if (result.ok)
          expect(result.value).toMatchObject({ holderBound: true, anchor: { name: 'Test issuer' } })
      }),
      { numRuns: sizeOf(1000), seed: 515 },
    )
  })
})
