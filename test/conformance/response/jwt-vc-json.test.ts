// `jwt_vc_json` over HTTP (api/outcome, api/protocols and api/trust, OpenID4VP 1.0 B.1.3.1): signed by jose,
// sent by a foreign wallet.

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useJudge } from '../../support/judge/responses.ts'
import { makeKey } from '../../support/people/issuer.ts'
import { didJwkOf, signJose } from '../../support/people/jwt-vc.ts'
import {
  JWT_VC_AGE,
  type JwtVcPerson,
  type JwtVcTelling,
  jwtVcAgeOf,
  jwtVcOf,
  makeJwtVcPerson,
} from '../../support/people/jwt-vc-person.ts'
import { queryFor } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { type Receiver, startReceiver } from '../../support/service/receiver.ts'
import { OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
useJudge(stage)
const person: JwtVcPerson = await makeJwtVcPerson()
let rp: RelyingParty
let publisher: Receiver
beforeAll(async () => {
  rp = await relyingPartyOf(stage, { trust_anchors: [person.anchor()] })
  publisher = await startReceiver()
})
afterAll(() => publisher?.close())

const BY_JWT_VC = { ...OVER_18, formats: ['jwt_vc_json'] }
const now = () => Math.floor(Date.now() / 1000)

/** Responds to a policy. Resolves to the poll and the status of the wallet's request. */
async function outcomeOf(answer: (request: ReceivedRequest) => Promise<object>, policy: object = BY_JWT_VC) {
  const { session, request } = await begin(stage, policy, { rp })
  const response = await stage.service.wallet.present(request, (await answer(request)) as never)
  return { status: response.status, poll: await rp.poll(session.verification_id) }
}

it('api/result: the service verifies a W3C credential under an anchored DID, and cites its clauses in the trace', async () => {
  const { poll } = await outcomeOf((request) => jwtVcAgeOf(person, request))
  expect(poll).toMatchObject({
    status: 'verified',
    checks: { age_over_18: true },
    assurance_level: 'substantial',
    format: 'jwt_vc_json',
    issuer: didJwkOf(person.issuer).did,
  })
  expect(poll.trace).toContainEqual({
    id: 'structure',
    clause: 'OpenID4VP 1.0 B.1.3.1.5, VCDM 1.1 §6.3.1',
    result: 'pass',
  })
})

it('api/types: the service reads the claims of a pid from its credentialSubject', async () => {
  const policy = {
    credential_types: ['pid'],
    scope: ['family_name', 'address.locality', 'age_over_18'],
    formats: ['jwt_vc_json'],
  }
  const subject = {
    family_name: 'Mustermann',
    address: { locality: 'Köln' },
    age_equal_or_over: { 18: true },
  }
  const type = 'PersonIdentificationData'
  const { poll } = await outcomeOf(
    async (request) => ({ [queryFor(request, type)]: [await jwtVcOf(person, type, subject, request)] }),
    policy,
  )
  const checks = { family_name: true, 'address.locality': true, age_over_18: true }
  expect([poll.status, poll.checks]).toEqual(['verified', checks])
})

it('api/types: the service treats a credential with several types as a credential of the requested type', async () => {
  const type = ['VerifiableCredential', 'PersonIdentificationData', JWT_VC_AGE]
  const { poll } = await outcomeOf((request) => jwtVcAgeOf(person, request, { vc: { type } }))
  expect([poll.status, poll.credential_type]).toEqual(['verified', 'age_attestation'])
})

/** Authentic responses that no policy here accepts. */
const REJECTED: readonly (readonly [string, JwtVcTelling, string])[] = [
  ['contains false', { subject: { age_over_18: false } }, 'predicate_false'],
  ['contains the text "true"', { subject: { age_over_18: 'true' } }, 'predicate_false'],
  ['has expired', { claims: { exp: now() - 3600 } }, 'credential_expired'],
  ['is not valid yet', { claims: { nbf: now() + 3600 } }, 'credential_not_yet_valid'],
]

it.each(REJECTED)(
  'api/outcome: the service ends the session as rejected if the W3C credential %s',
  async (_, telling, code) => {
    const { status, poll } = await outcomeOf((request) => jwtVcAgeOf(person, request, telling))
    expect([status, poll.status, poll.reason?.code]).toEqual([200, 'rejected', code])
  },
)

const stranger = await makeKey()

/** Responses that are not authentic. */
const REFUSED: readonly (readonly [string, JwtVcTelling, string])[] = [
  ['made for another nonce', { presentation: { nonce: 'f'.repeat(32) } }, 'nonce_mismatch'],
  ['made for another verifier', { presentation: { aud: 'x509_hash:AAAA' } }, 'audience_mismatch'],
  ['presented by a stranger', { holder: stranger }, 'invalid_holder_signature'],
  ['signed by a stranger', { issuer: stranger }, 'invalid_issuer_signature'],
  ['of an untrusted issuer', { claims: { iss: didJwkOf(stranger).did } }, 'untrusted_issuer'],
  ['that contradicts itself', { vc: { issuer: 'https://other.example' } }, 'invalid_claim'],
  ['without its presentation', { alone: true }, 'holder_binding_missing'],
]

it.each(REFUSED)(
  'api/outcome: the service refuses a W3C credential %s with 400 and records an attempt',
  async (_, telling, reason) => {
    const { status, poll } = await outcomeOf((request) => jwtVcAgeOf(person, request, telling))
    expect([status, poll.status, poll.attempts.map(({ reason: { code } }) => code)]).toEqual([
      400,
      'pending',
      [reason],
    ])
  },
)

it('OpenID4VP 1.0 §6.1, B.1.3.1.5: the service verifies a credential without a VP if no holder binding is required, and reports level low', async () => {
  const query = {
    id: 'age',
    format: 'jwt_vc_json',
    meta: { type_values: [['VerifiableCredential', JWT_VC_AGE]] },
    claims: [{ path: ['credentialSubject', 'age_over_18'], values: [true] }],
    require_cryptographic_holder_binding: false,
  }
  const { poll } = await outcomeOf((request) => jwtVcAgeOf(person, request, { alone: true }), {
    dcql_query: { credentials: [query] },
  })
  expect(poll).toMatchObject({ status: 'verified', assurance_level: 'low', format: 'jwt_vc_json' })
})

it('Bitstring Status List: the service verifies a valid credential, rejects a revoked one, and returns 503 if the list is unavailable', async () => {
  const bits = Buffer.alloc(16_384)
  bits.writeUInt8(0x40, 0)
  const uri = new URL('/list', publisher.url).href
  const credentialSubject = {
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: `u${gzipSync(bits).toString('base64url')}`,
  }
  const type = ['VerifiableCredential', 'BitstringStatusListCredential']
  const list = { issuer: didJwkOf(person.issuer).did, id: uri, type, credentialSubject }
  const body = await signJose(list, person.issuer, { typ: 'vc+jwt' })
  publisher.answer(({ path }) => (path === '/list' ? { body } : { status: 404 }))
  const listed = async (statusListIndex: string, statusListCredential = uri) => {
    const credentialStatus = {
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex,
      statusListCredential,
    }
    const { status, poll } = await outcomeOf((request) =>
      jwtVcAgeOf(person, request, { vc: { credentialStatus } }),
    )
    return [status, poll.status, poll.reason?.code ?? poll.attempts[0]?.reason.code]
  }
  expect(await listed('0')).toEqual([200, 'verified', undefined])
  expect(await listed('1')).toEqual([200, 'rejected', 'credential_revoked'])
  expect(await listed('0', `${uri}/elsewhere`)).toEqual([503, 'pending', 'status_unavailable'])
  expect(publisher.requests.filter(({ path }) => path === '/list')).toHaveLength(1)
})

it.each([
  ['openid4vp-draft24', 'direct_post.jwt'],
  ['openid4vp-draft24', 'direct_post'],
  ['openid4vp-draft18', 'direct_post.jwt'],
  ['openid4vp-draft18', 'direct_post'],
])(
  'api/protocols: the service accepts a VP for the presentation definition of %s, with the response mode %s',
  async (protocol, response_mode) => {
    const policy = { ...BY_JWT_VC, protocol, request_options: { response_mode } }
    const { status, poll } = await outcomeOf((request) => jwtVcAgeOf(person, request), policy)
    expect([status, poll.status, poll.format]).toEqual([200, 'verified', 'jwt_vc_json'])
  },
)
