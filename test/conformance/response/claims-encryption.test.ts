// api/result: claim values are sent to the relying party only, as a JWE around a JWS.

import {
  type CryptoKey,
  compactDecrypt,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose'
import { expect, it } from 'vitest'
import { PID, presentationOf, queryFor, type Telling } from '../../support/people/person.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { begin, eventOf, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()

const NAMES = { credential_types: ['pid'], scope: ['given_name', 'birthdate'] }

async function makeRecipient(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  return {
    privateKey,
    privateJwk: await exportJWK(privateKey),
    jwk: { ...(await exportJWK(publicKey)), kid },
  }
}

const recipient = await makeRecipient('rp-2026')
const other = await makeRecipient('session')

/** Responds with a PID. Resolves to the poll and the event. */
async function outcomeOf(policy: object, telling: Telling = {}, rp: RelyingParty = stage.rp) {
  const { session, request } = await begin(stage, policy, { rp })
  const pid = await presentationOf(stage.person, PID, request, telling)
  const answer = await stage.service.wallet.present(request, { [queryFor(request, PID)]: [pid] })
  expect(answer.status).toBe(200)
  const { event } = await eventOf(stage, session.verification_id)
  return { id: session.verification_id, poll: await rp.poll(session.verification_id), event }
}

/** Opens claims as the relying party does: with its private key and our published keys. */
async function open(jwe: string | null, key: CryptoKey) {
  const published = await expectStatus(await stage.service.fetch('/.well-known/jwks.json'), 200)
  const { plaintext, protectedHeader } = await compactDecrypt(jwe ?? '', key)
  const keys = createLocalJWKSet(published as JSONWebKeySet)
  return {
    header: protectedHeader,
    ...(await jwtVerify(Buffer.from(plaintext), keys, { typ: 'verification-claims+jwt' })),
  }
}

it("api/result: poll and webhook contain the claims, signed by the service and encrypted to the relying party's key", async () => {
  const { id, poll, event } = await outcomeOf({ ...NAMES, claims_encryption_jwk: recipient.jwk })
  expect(event.encrypted_claims).toBe(poll.encrypted_claims)
  const { header, payload } = await open(poll.encrypted_claims, recipient.privateKey)
  expect(header).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', kid: 'rp-2026' })
  expect(payload).toEqual({
    iss: 'https://verifier.example',
    aud: stage.rp.relying_party_id,
    iat: expect.any(Number),
    verification_id: id,
    credentials: [
      {
        id: 'pid-dc_sd-jwt',
        credential_type: 'pid',
        format: 'dc+sd-jwt',
        issuer: 'https://issuer.example',
        claims: { given_name: 'Erika', birthdate: '1963-08-12' },
      },
    ],
  })
})

it('api/result: the service drops disclosed claims that were not requested', async () => {
  const { poll } = await outcomeOf({ ...NAMES, claims_encryption_jwk: recipient.jwk })
  const { payload } = await open(poll.encrypted_claims, recipient.privateKey)
  expect(JSON.stringify(payload)).not.toMatch(/Mustermann|sex/)
})

it('api/result: the encrypted claims contain a derived scope as a boolean, without the claim from which it was derived', async () => {
  const policy = { credential_types: ['pid'], scope: ['age_over_18'], allow_derived: true }
  const { poll } = await outcomeOf({ ...policy, claims_encryption_jwk: recipient.jwk })
  const { payload } = await open(poll.encrypted_claims, recipient.privateKey)
  expect(payload.credentials).toMatchObject([{ claims: { age_over_18: true } }])
  expect(JSON.stringify(payload)).not.toContain('1963')
})

it('api/result: the service sends no claim, encrypted or unencrypted, if the relying party has no encryption key', async () => {
  const { poll, event } = await outcomeOf(NAMES)
  expect([poll.status, poll.encrypted_claims, event.encrypted_claims]).toEqual(['verified', null, null])
  expect(JSON.stringify([poll, event])).not.toMatch(/Erika|1963/)
})

it('api/result: the service sends no claims of a rejected response', async () => {
  const policy = { ...NAMES, required_assurance_level: 'high', claims_encryption_jwk: recipient.jwk }
  const { poll, event } = await outcomeOf(policy)
  expect([poll.status, poll.encrypted_claims, event.encrypted_claims]).toEqual(['rejected', null, null])
})

it('api/result: the service uses the encryption key of the settings, and shows it in the session', async () => {
  const rp = await relyingPartyOf(stage, { claims_encryption_jwk: recipient.jwk })
  const { poll } = await outcomeOf(NAMES, {}, rp)
  expect(poll.claims_encryption_jwk).toEqual(recipient.jwk)
  expect((await open(poll.encrypted_claims, recipient.privateKey)).payload.aud).toBe(rp.relying_party_id)
})

it('api/result: a create request may replace the encryption key of the settings only with the scope claims:encrypt', async () => {
  const rp = await relyingPartyOf(stage, { claims_encryption_jwk: recipient.jwk })
  const keys = await stage.service.admin('POST', `/${rp.relying_party_id}/api_keys`, {
    scopes: ['verify:create', 'verify:read'],
  })
  const { api_key: token } = (await expectStatus(keys, 201)) as { api_key: string }
  const body = { ...NAMES, claims_encryption_jwk: other.jwk }
  expect((await rp.call('POST', '/v1/verify', { body: NAMES, token })).status).toBe(201)
  const refused = await expectStatus(await rp.call('POST', '/v1/verify', { body, token }), 403)
  expect(refused).toMatchObject({ code: 'insufficient_scope' })
  const { poll } = await outcomeOf(body, {}, rp)
  expect((await open(poll.encrypted_claims, other.privateKey)).payload.aud).toBe(rp.relying_party_id)
})

const { x, y } = recipient.jwk
it.each([
  ['private', recipient.privateJwk],
  ['of another curve', { kty: 'EC', crv: 'P-384', x, y }],
  ['not on the curve', { kty: 'EC', crv: 'P-256', x, y: x }],
  ['for signing', { ...recipient.jwk, use: 'sig' }],
  ['symmetric', { kty: 'oct', k: 'AAAA' }],
])(
  'api/result: the service refuses a create request whose claims_encryption_jwk is %s',
  async (_, claims_encryption_jwk) => {
    const body = { ...NAMES, claims_encryption_jwk }
    const problem = await expectStatus(await stage.rp.call('POST', '/v1/verify', { body }), 400)
    const { code, errors } = problem as { code: string; errors: { pointer: string }[] }
    expect(code).toBe('invalid_request')
    for (const { pointer } of errors) expect(pointer).toMatch(/^\/claims_encryption_jwk/)
  },
)
