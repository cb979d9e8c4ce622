// Claims of a verified presentation: disclosures in their places, without the members of the format.

import { describe, expect, it } from 'vitest'
import { member } from '../../../src/codec/json.ts'
import { alter, digestOf, encodeDisclosure, issueSdJwtVc, type Parts } from '../../support/people/issuer.ts'
import {
  CLAIMS,
  DISCLOSABLE,
  GOOD,
  HOLDER_KEY,
  ISSUER_KEY,
  issueGood,
  presentGood,
  verifyGood,
} from './good.ts'

type Json = Record<string, unknown>
type Alterable = Parts & { payload: Json; header: Json }

const S = 'c2FsdHNhbHRzYWx0c2FsdA'
const altered = (change: (parts: Alterable) => void) =>
  alter(GOOD, { issuer: ISSUER_KEY, holder: HOLDER_KEY }, change)

/** Discloses a member of the top level, or of another object of the payload. */
function disclose(elements: readonly unknown[], parts: Alterable, object = parts.payload): void {
  const disclosure = encodeDisclosure(elements)
  parts.disclosures.push(disclosure)
  object._sd = [...((object._sd as string[] | undefined) ?? []), digestOf(disclosure)]
}

describe('the processed claims', () => {
  const claimsOf = async (presentation: string) => {
    const { result } = await verifyGood(presentation)
    if (!result.ok) throw new Error(result.error.reason)
    return result.value.claims
  }

  it('the processed claims of a presentation without disclosures are its plain claims, and an array of withheld elements is empty', async () => {
    const claims = await claimsOf(await presentGood(await issueGood(), { disclose: {} }))
    expect(Object.keys(claims).sort()).toEqual(['cnf', 'exp', 'iat', 'iss', 'nationalities', 'vct'])
    expect(claims.nationalities).toEqual([])
  })

  it('include the disclosed claims and not the withheld claims, at every level', async () => {
    const disclose = {
      address: { locality: true },
      nationalities: { 1: true },
      age_equal_or_over: { 18: true },
    }
    const claims = await claimsOf(await presentGood(await issueGood(), { disclose }))
    expect(claims).toMatchObject({ nationalities: ['FR'], address: { country: 'DE', locality: 'Köln' } })
    expect(claims.age_equal_or_over).toEqual({ 18: true })
    expect(claims).not.toHaveProperty('given_name')
    expect(claims).not.toHaveProperty('address.street_address')
  })

  it.each(['sha-256', 'sha-384', 'sha-512'] as const)(
    'are the same if the digests are made with %s',
    async (hash) => {
      const issuance = {
        issuer: ISSUER_KEY,
        holder: HOLDER_KEY,
        claims: CLAIMS,
        disclosable: DISCLOSABLE,
        hash,
      }
      expect(await claimsOf(await presentGood(await issueSdJwtVc(issuance)))).toEqual(await claimsOf(GOOD))
    },
  )

  it('are the same if the issuer added decoy digests', async () => {
    const disclosable = { ...DISCLOSABLE, _sd_decoy: 5, nationalities: { _sd: [0, 1, 2], _sd_decoy: 3 } }
    const issuance = { issuer: ISSUER_KEY, holder: HOLDER_KEY, claims: CLAIMS, disclosable }
    expect(await claimsOf(await presentGood(await issueSdJwtVc(issuance)))).toEqual(await claimsOf(GOOD))
  })

  it('keep a disclosed sub and iat (SD-JWT VC §2.2.2.3)', async () => {
    const presentation = await altered((parts) => {
      delete parts.payload.iat
      disclose([S, 'sub', 'user'], parts)
      disclose([S, 'iat', 1_700_000_000], parts)
    })
    expect(await claimsOf(presentation)).toMatchObject({ sub: 'user', iat: 1_700_000_000 })
  })

  it('keep a claim named status inside another claim', async () => {
    const presentation = await altered((parts) => {
      const family = {}
      parts.payload.family = family
      disclose([S, 'status', 'married'], parts, family)
    })
    expect(await claimsOf(presentation)).toMatchObject({ family: { status: 'married' } })
  })

  it('keep claims whose names are also members of Object.prototype', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length']
    const presentation = await altered((parts) => {
      for (const name of names) disclose([S, name, { polluted: name }], parts)
    })
    const claims = await claimsOf(presentation)
    for (const name of names) expect(member(claims, name)).toMatchObject({ polluted: name })
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(claims)).toBeNull()
  })

  it('contain a disclosed value of every JSON type', async () => {
    const values = [null, false, 0, '', [], {}]
    const presentation = await altered((parts) => {
      values.forEach((value, i) => void disclose([S, `v${i}`, value], parts))
    })
    const claims = await claimsOf(presentation)
    expect(values.map((_, i) => member(claims, `v${i}`))).toEqual(values)
  })

  it('include an empty object if all of its members were withheld', async () => {
    const presentation = await altered((parts) => disclose([S, 'x', { _sd: ['decoy'] }], parts))
    expect(member(await claimsOf(presentation), 'x')).toEqual({})
  })
})
