import { describe, expect, it } from 'vitest'
import { parseVerifierAttestation } from '../../../src/openid4vp/request/verifier-attestation.ts'
import { makeAttester } from '../../support/people/attester.ts'
import { createGeneration, NOW } from '../fixtures.ts'

const attester = await makeAttester()
const { privateJwk: key } = await createGeneration()
const { privateJwk: otherKey } = await createGeneration()
const cnf = ({ kty, crv, x, y }: typeof key) => ({ jwk: { kty, crv, x, y } })

describe('a verifier attestation', () => {
  it('names the owner of the key and the period of validity', async () => {
    const jwt = await attester.attest(key, { exp: NOW + 60, nbf: NOW })
    const value = { subject: 'verifier.example', notBefore: NOW, expiresAt: NOW + 60 }
    expect(parseVerifierAttestation(jwt, key)).toEqual({ ok: true, value })
    const open = await attester.attest(key, { exp: NOW + 60, unknown: true })
    expect(parseVerifierAttestation(open, key)).toEqual({ ok: true, value: { ...value, notBefore: 0 } })
  })

  it.each<[string, object, object]>([
    ['wrong_type', {}, { typ: 'JWT' }],
    ['wrong_type', {}, { typ: undefined }],
    ['issuer_missing', { iss: undefined }, {}],
    ['invalid_subject', { sub: undefined }, {}],
    ['invalid_subject', { sub: '' }, {}],
    ['invalid_subject', { sub: 'two words' }, {}],
    ['invalid_subject', { sub: 'x'.repeat(201) }, {}],
    ['invalid_times', { exp: undefined }, {}],
    ['invalid_times', { exp: '2026' }, {}],
    ['invalid_times', { nbf: null }, {}],
    ['wrong_key', { cnf: undefined }, {}],
    ['wrong_key', { cnf: { jwk: 'x' } }, {}],
    ['wrong_key', { cnf: { kid: 'x' } }, {}],
    ['wrong_key', { cnf: cnf(otherKey) }, {}],
    ['wrong_key', { cnf: cnf({ ...key, y: otherKey.y! }) }, {}],
    ['redirect_uris', { redirect_uris: ['https://verifier.example/v1/verify/v_1/callback'] }, {}],
    ['redirect_uris', { redirect_uris: [] }, {}],
    ['malformed', { long: 'x'.repeat(8192) }, {}],
  ])('is refused as %s', async (error, claims, header) => {
    const jwt = await attester.attest(key, claims, header)
    expect(parseVerifierAttestation(jwt, key)).toEqual({ ok: false, error })
  })

  it.each(['', 'x', 'a.b.c', 'e30.e30.', 'eyJhbGciOiJub25lIn0.e30.AA'])(
    'is refused as malformed: %j',
    (jwt) => {
      expect(parseVerifierAttestation(jwt, key)).toEqual({ ok: false, error: 'malformed' })
    },
  )
})
