// The rules of VCDM 1.1 §6.3.1 for the credential: each refusal differs from the good credential in one
// thing.

import { describe, expect, it } from 'vitest'
import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { verifyWithJose } from '../../support/people/jwt-vc.ts'
import { expectRefusal } from '../contract.ts'
import {
  type Changes,
  EXPECTED,
  HOLDER,
  HOLDER_KEY,
  ISSUER,
  ISSUER_KEY,
  issue,
  NOW,
  presentOf,
  SUBJECT,
  TYPE,
  verifyGood,
} from './good.ts'

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const invalid = (claim: string): PresentationRefusal => ({ reason: 'invalid_claim', claim })

/** All in `vc`, nothing but the issuer in the JWT: what JSON wallets write, too. */
const BARE = { sub: undefined, jti: undefined, nbf: undefined, exp: undefined }

async function claimsOf(changes: Changes) {
  const { result } = await verifyGood(await presentOf(changes))
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

describe('a good credential and its presentation', () => {
  it('verify with the library jose, too', async () => {
    const presentation = await presentOf({})
    const { audience } = EXPECTED
    const { vp } = await verifyWithJose(presentation, HOLDER_KEY, { audience, now: NOW })
    const [credential = ''] = (vp as { verifiableCredential: string[] }).verifiableCredential
    expect(await verifyWithJose(credential, ISSUER_KEY, { now: NOW })).toMatchObject({ iss: ISSUER })
    expect((await verifyGood(presentation)).result.ok).toBe(true)
  })
})

describe('a value that may be in the JWT claims and in the vc', () => {
  it.each<[string, Changes, object]>([
    ['iss', { content: { issuer: ISSUER } }, { issuer: ISSUER }],
    [
      'iss, as the id of an object',
      { content: { issuer: { id: ISSUER, name: 'x' } } },
      { issuer: { id: ISSUER, name: 'x' } },
    ],
    ['jti', { content: { id: 'urn:uuid:1' } }, { id: 'urn:uuid:1' }],
    [
      'sub',
      { content: { credentialSubject: { id: HOLDER.did } } },
      { credentialSubject: { id: HOLDER.did } },
    ],
    ['nbf', { content: { issuanceDate: iso(NOW - 86_400) } }, {}],
    ['nbf, with a fraction of a second', { content: { issuanceDate: iso(NOW - 86_400 + 0.5) } }, {}],
    ['exp', { content: { expirationDate: iso(NOW + 86_400) } }, {}],
  ])('is accepted if it is the same in both: %s', async (_, changes, claims) => {
    expect((await claimsOf(changes)).claims).toMatchObject(claims)
  })

  it.each<[string, Changes]>([
    ['iss', { content: { issuer: 'https://other.example' } }],
    ['iss', { content: { issuer: { id: 'https://other.example' } } }],
    ['iss', { content: { issuer: [ISSUER] } }],
    ['jti', { content: { id: 'urn:uuid:2' } }],
    ['sub', { content: { credentialSubject: { ...SUBJECT, id: 'did:example:other' } } }],
    ['nbf', { content: { issuanceDate: iso(NOW - 86_401) } }],
    ['nbf', { content: { issuanceDate: '2026-02-30T00:00:00Z' } }],
    ['exp', { content: { expirationDate: iso(NOW + 86_402) } }],
    ['exp', { content: { expirationDate: NOW + 86_400 } }],
    ['vc.validFrom', { content: { validFrom: 'soon' } }],
    ['vc.validUntil', { content: { validUntil: NOW } }],
    ['iss', { claims: { iss: undefined } }],
    ['iss', { claims: { iss: '' } }],
    ['iss', { claims: { iss: 1 } }],
    ['jti', { claims: { jti: 1 } }],
    ['sub', { claims: { sub: {} } }],
    ['nbf', { claims: { nbf: '1' } }],
    ['exp', { claims: { exp: null } }],
    ['vc.credentialSubject', { content: { credentialSubject: [SUBJECT] } }],
    ['vc.credentialSubject', { content: { credentialSubject: undefined } }],
  ])(
    'is refused if it differs, is malformed, or is required but missing: %s in %j',
    async (claim, changes) => {
      expectRefusal(await verifyGood(await presentOf(changes)), invalid(claim), 'structure')
    },
  )

  it('is taken from the vc if the JWT claim is missing', async () => {
    const content = {
      id: 'urn:uuid:3',
      issuer: ISSUER,
      issuanceDate: iso(NOW - 10),
      expirationDate: iso(NOW + 10),
      credentialSubject: { id: HOLDER.did, ...SUBJECT },
    }
    const found = await claimsOf({ claims: { ...BARE, iss: undefined }, content })
    expect(found).toMatchObject({ issuer: ISSUER, reasons: [], claims: content })
  })

  it.each<[string, object]>([
    ['expired', { expirationDate: iso(NOW - 61) }],
    ['expired', { validUntil: iso(NOW - 61) }],
    ['not_yet_valid', { issuanceDate: iso(NOW + 61) }],
    ['not_yet_valid', { validFrom: iso(NOW + 61) }],
  ])(
    'limits the validity period if it is a time in the vc only: the credential is %s because of %j',
    async (finding, content) => {
      const claims = { ...BARE, sub: HOLDER.did }
      expect((await claimsOf({ claims, content })).reasons).toEqual([`credential_${finding}`])
    },
  )

  it('ends the validity period at the earlier time if both have an end time', async () => {
    expect((await claimsOf({ content: { validUntil: iso(NOW - 61) } })).reasons).toEqual([
      'credential_expired',
    ])
  })

  it('is refused if it is an aud without our client_id', async () => {
    expect((await claimsOf({ claims: { aud: [EXPECTED.audience] } })).reasons).toEqual([])
    const verification = await verifyGood(await presentOf({ claims: { aud: 'another' } }))
    expectRefusal(verification, invalid('aud'), 'validity')
  })
})

describe('a credential', () => {
  it.each<[string, Changes, PresentationRefusal]>([
    ['without vc', { claims: { vc: undefined } }, { reason: 'malformed_credential' }],
    ['with a vc that is no object', { claims: { vc: 'x' } }, { reason: 'malformed_credential' }],
    ['with both vc and vp', { claims: { vp: {} } }, { reason: 'malformed_credential' }],
    [
      'with a subject beside vc',
      { claims: { credentialSubject: SUBJECT } },
      { reason: 'malformed_credential' },
    ],
    ['with a context beside vc', { claims: { '@context': [] } }, { reason: 'malformed_credential' }],
    ['with a type beside vc', { claims: { type: [TYPE] } }, { reason: 'malformed_credential' }],
    [
      'of VCDM 2.0',
      { content: { '@context': ['https://www.w3.org/ns/credentials/v2'] } },
      invalid('vc.@context'),
    ],
    [
      'whose first context is not the context of VCDM 1.1',
      { content: { '@context': ['https://x.example'] } },
      invalid('vc.@context'),
    ],
    ['without the type VerifiableCredential', { content: { type: [TYPE] } }, invalid('vc.type')],
    ['with a type that is no text', { content: { type: ['VerifiableCredential', 1] } }, invalid('vc.type')],
    ['without types', { content: { type: undefined } }, invalid('vc.type')],
    ['with the typ of VC-JOSE-COSE', { header: { typ: 'vc+jwt' } }, { reason: 'wrong_token_type' }],
    ['with the typ of an SD-JWT VC', { header: { typ: 'dc+sd-jwt' } }, { reason: 'wrong_token_type' }],
  ])('a credential %s is refused', async (_, changes, refusal) => {
    expectRefusal(await verifyGood(await presentOf(changes)), refusal, 'structure')
  })

  it('is accepted if only its typ or its context is missing', async () => {
    expect((await claimsOf({ header: { typ: undefined } })).reasons).toEqual([])
    expect((await claimsOf({ content: { '@context': undefined } })).reasons).toEqual([])
  })

  it.each<[string, (jwt: string) => string, PresentationRefusal]>([
    [
      'with alg none',
      (jwt) => withHeader(jwt, { alg: 'none', typ: 'JWT' }, ''),
      { reason: 'unsupported_algorithm' },
    ],
    [
      'with a MAC',
      (jwt) => withHeader(jwt, { alg: 'HS256', typ: 'JWT' }),
      { reason: 'unsupported_algorithm' },
    ],
    [
      'with a critical header',
      (jwt) => withHeader(jwt, { alg: 'ES256', typ: 'JWT', crit: ['x'], x: 1 }),
      { reason: 'unsupported_critical_header' },
    ],
    ['with a tilde at its end', (jwt) => `${jwt}~`, { reason: 'malformed_credential' }],
    ['with a fourth part', (jwt) => `${jwt}.e30`, { reason: 'malformed_credential' }],
    [
      'that is too long',
      (jwt) => jwt.replace('.', `.${'A'.repeat(1_048_577)}`),
      { reason: 'limit_exceeded' },
    ],
  ])('a credential JWT %s is refused', async (_, change, refusal) => {
    const verification = await verifyGood(change(await issue()), { expected: { holderBinding: false } })
    expectRefusal(verification, refusal, 'structure')
  })
})

describe('a credential of several types', () => {
  const both = { content: { type: ['VerifiableCredential', 'MembershipCredential', TYPE, 'Unheard'] } }

  it('is reported with the requested type', async () => {
    const verification = await verifyGood(await presentOf(both), { expected: { types: [TYPE] } })
    expect(verification.result).toMatchObject({
      ok: true,
      value: { typeIdentifier: TYPE, credentialType: 'pid' },
    })
  })

  it('is checked as the first of its types that the service supports, if none of its types was requested', async () => {
    const verification = await verifyGood(await presentOf(both), { expected: { types: ['Else'] } })
    expectRefusal(verification, { reason: 'untrusted_issuer' }, 'issuer_trust')
  })
})

function withHeader(jwt: string, header: object, signature = jwt.split('.')[2]): string {
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${jwt.split('.')[1]}.${signature}`
}
