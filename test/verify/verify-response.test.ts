// The library with wallets and issuers of other projects: every protocol and format, and refusals that one
// changed thing causes.

import { describe, expect, it } from 'vitest'
import { createRequest, describeReason } from '../../packages/verify/src/index.ts'
import { REASONS } from '../../src/session/document/reasons.ts'
import { mintIssuerPki } from '../support/certificates/certificates.ts'
import { answerAnnexC } from '../support/people/annex-c-person.ts'
import { type AnnexCRequest, receiveAnnexC } from '../support/people/annex-c-wallet.ts'
import { makeKey } from '../support/people/issuer.ts'
import { JWT_VC_AGE, jwtVcAgeOf, jwtVcOf, makeJwtVcPerson } from '../support/people/jwt-vc-person.ts'
import { MDOC_AGE, makeDevice, makeMdocPerson, mdocAgeOf, mdocOf } from '../support/people/mdoc-person.ts'
import {
  AGE,
  ageOf,
  certified,
  makeAuthority,
  makePerson,
  presentationOf,
  queryFor,
  type Telling,
} from '../support/people/person.ts'
import type { ReceivedRequest } from '../support/people/wallet.ts'
import {
  AGE_POLICY,
  answerDigital,
  answerRedirect,
  ORIGIN,
  RESPONSE_URI,
  VERIFIER,
  verify,
  wordsOf,
} from './stage.ts'

const authority = await makeAuthority()
const person = await makePerson(authority)
const mdocPerson = await makeMdocPerson()
const jwtVcPerson = await makeJwtVcPerson()
const pki = await mintIssuerPki()
const ANCHORS = [authority.anchor(), mdocPerson.anchor(), jwtVcPerson.anchor()]

/** The audience in the Digital Credentials API (OpenID4VP 1.0 A.4). */
const AUDIENCE = `origin:${ORIGIN}`

const age =
  (telling: Telling = {}) =>
  (request: ReceivedRequest) =>
    ageOf(person, request, telling)

describe('a good response', () => {
  it.each([
    ['dc+sd-jwt', age()],
    ['mso_mdoc', (request: ReceivedRequest) => mdocAgeOf(mdocPerson, request)],
    ['jwt_vc_json', (request: ReceivedRequest) => jwtVcAgeOf(jwtVcPerson, request)],
  ])(
    'a good response by redirect in %s is verified, and its derivation has the steps anchor, holder_binding and status',
    async (format, answer) => {
      for (const responseMode of ['direct_post.jwt', 'direct_post'] as const) {
        const policy = { ...AGE_POLICY, formats: [format as 'dc+sd-jwt'] }
        const result = await verify(await answerRedirect(answer, { policy, responseMode }), ANCHORS)
        expect(result).toMatchObject({
          status: 'verified',
          reason: null,
          checks: { age_over_18: true },
          assurance_level: 'substantial',
          holder_bound: true,
          same_holder_key: true,
          credentials: [{ credential_type: 'age_attestation', format, status: 'not_present' }],
          claims: [{ claims: { age_over_18: true } }],
        })
        const steps = 'derivation' in result ? result.derivation.map(({ step }) => step) : []
        expect(steps).toEqual(['anchor', 'holder_binding', 'status'])
      }
    },
  )

  it.each([true, false])(
    'a good response in the Digital Credentials API is verified (signed request: %s)',
    async (isSigned) => {
      const answer = async (request: ReceivedRequest) => ({
        [queryFor(request, AGE)]: [await presentationOf(person, AGE, request, { audience: AUDIENCE })],
      })
      expect(wordsOf(await verify(await answerDigital(answer, { isSigned }), ANCHORS))).toEqual([
        'verified',
        null,
      ])
    },
  )

  it('a good response of HAIP 1.0 is verified in both of its formats', async () => {
    const protocol = 'haip-1.0' as const
    const anchor = { ...authority.anchor(), issuer: undefined, jwks: undefined, x509_ca_pem: pki.root.pem }
    const { issuer: _, jwks: __, ...byCertificate } = anchor
    const sdJwt = await answerRedirect(age(certified(pki)), {
      protocol,
      policy: { ...AGE_POLICY, formats: ['dc+sd-jwt'] },
    })
    expect(wordsOf(await verify(sdJwt, [byCertificate]))).toEqual(['verified', null])
    // HAIP 1.0 §6.1.1: a certificate must identify the issuer.
    const byKey = await answerRedirect(age(), { protocol, policy: { ...AGE_POLICY, formats: ['dc+sd-jwt'] } })
    expect(wordsOf(await verify(byKey, ANCHORS))).toEqual(['refused', 'untrusted_issuer'])
    const document = await answerRedirect((request) => mdocAgeOf(mdocPerson, request), {
      protocol,
      policy: { ...AGE_POLICY, formats: ['mso_mdoc'] },
    })
    expect(wordsOf(await verify(document, ANCHORS))).toEqual(['verified', null])
  })

  it('a good response of org-iso-mdoc is verified, whether the request offers it alone or beside OpenID4VP', async () => {
    const policy = { ...AGE_POLICY, formats: ['mso_mdoc'] as const }
    for (const protocol of ['iso-18013-7-c', 'openid4vp-1.0', 'haip-1.0'] as const) {
      const created = await createRequest({ policy, protocol, origin: ORIGIN })
      const entry = created.digital.requests.find((one) => one.protocol === 'org-iso-mdoc')
      const received = receiveAnnexC(entry as unknown as AnnexCRequest, ORIGIN)
      const response = await answerAnnexC(mdocPerson, received)
      const { request } = created
      expect(wordsOf(await verify({ request, response }, ANCHORS))).toEqual(['verified', null])
      const other = await answerAnnexC(mdocPerson, received, { holder: makeDevice() })
      expect(wordsOf(await verify({ request, response: other }, ANCHORS))).toEqual([
        'refused',
        'invalid_holder_signature',
      ])
    }
  })

  it('is accepted as text, as URLSearchParams, and as the credential object of the browser or its JSON', async () => {
    const { request, response } = await answerRedirect(age())
    for (const posted of [response, new URLSearchParams(response)])
      expect(wordsOf(await verify({ request, response: posted }, ANCHORS))).toEqual(['verified', null])
    const digital = await answerDigital(async (received) => ({
      [queryFor(received, AGE)]: [await presentationOf(person, AGE, received, { audience: AUDIENCE })],
    }))
    for (const posted of [digital.response, JSON.stringify(digital.response)])
      expect(wordsOf(await verify({ ...digital, response: posted }, ANCHORS))).toEqual(['verified', null])
  })

  it('a good response to an unsigned request has at most the level low', async () => {
    const created = await createRequest({
      policy: AGE_POLICY,
      responseUri: RESPONSE_URI,
      responseMode: 'direct_post',
    })
    expect(created.requestObject).toBeNull()
    const parameters = Object.fromEntries(new URL(created.uri).searchParams)
    const payload = { ...parameters, dcql_query: JSON.parse(parameters.dcql_query ?? '') }
    const presentations = await ageOf(person, { payload } as unknown as ReceivedRequest)
    const response = new URLSearchParams({
      vp_token: JSON.stringify(presentations),
      state: parameters.state ?? '',
    })
    const result = await verify({ request: created.request, response }, ANCHORS)
    expect(result).toMatchObject({ status: 'verified', assurance_level: 'low' })
    expect(JSON.stringify(result)).toContain('no_session_binding')
  })
})

describe('a response with the result rejected, declined or expired', () => {
  it('is rejected as predicate_false if age_over_18 is false, and the result contains this check', async () => {
    const answered = await answerRedirect(age({ claims: { age_over_18: false } }))
    expect(await verify(answered, ANCHORS)).toMatchObject({
      status: 'rejected',
      reason: 'predicate_false',
      checks: { age_over_18: false },
      claims: [],
    })
  })

  it('is rejected if its credential has expired, or if its assurance level is too low', async () => {
    const expired = await answerRedirect(age({ claims: { exp: Math.floor(Date.now() / 1000) - 3600 } }))
    expect(wordsOf(await verify(expired, ANCHORS))).toEqual(['rejected', 'credential_expired'])
    const policy = { ...AGE_POLICY, required_assurance_level: 'high' as const }
    const low = await answerRedirect(age(), { policy })
    expect(wordsOf(await verify(low, ANCHORS))).toEqual(['rejected', 'assurance_level_too_low'])
  })

  it('is declined if the wallet sends the error access_denied', async () => {
    expect(await verify(await answerRedirect('declines'), ANCHORS)).toEqual({
      status: 'declined',
      reason: 'access_denied',
    })
  })

  it('has the status expired if it arrives after the request has expired', async () => {
    const answered = await answerRedirect(age())
    const now = new Date(Date.now() + 301_000)
    expect(wordsOf(await verify(answered, ANCHORS, { now }))).toEqual(['expired', 'session_expired'])
  })
})

const stranger = await makeKey()

describe('a response with one change', () => {
  it.each<[string, Telling]>([
    ['nonce_mismatch', { nonce: 'another nonce' }],
    ['audience_mismatch', { audience: 'x509_hash:other' }],
    ['invalid_holder_signature', { holder: stranger }],
    ['invalid_issuer_signature', { issuer: stranger }],
    ['untrusted_issuer', { claims: { iss: 'https://other.example' } }],
    ['holder_binding_not_current', { iat: Math.floor(Date.now() / 1000) - 7200 }],
    ['holder_key_missing', { unbound: true }],
    ['unknown_credential_type', { claims: { vct: 'urn:other:1' } }],
    ['query_not_satisfied', { disclose: {} }],
  ])('is refused as %s', async (reason, telling) => {
    const result = await verify(await answerRedirect(age(telling)), ANCHORS)
    expect(wordsOf(result)).toEqual(['refused', reason])
  })

  it('gives a result with the clause of the failed check and the issuer that the credential names', async () => {
    const result = await verify(
      await answerRedirect(age({ claims: { iss: 'https://other.example' } })),
      ANCHORS,
    )
    expect(result).toMatchObject({
      clause: expect.any(String),
      claimed_issuer: { iss: 'https://other.example' },
    })
  })

  it.each<[string, (response: string, other: string) => unknown]>([
    ['malformed_response', () => 'a=%'],
    ['malformed_response', (response) => `${response}&${response}`],
    ['malformed_response', () => undefined],
    ['malformed_response', () => ({ response: 'x' })],
    ['malformed_response', () => 'state=1'],
    ['limit_exceeded', () => `response=${'a'.repeat(1024 * 1024 + 17_000)}`],
    ['encryption_required', () => 'vp_token=%7B%7D&state=1'],
    ['unknown_encryption_key', (_, other) => other],
    ['decryption_failed', (response) => response.replace(/.{4}$/, 'AAAA')],
    ['unknown_state', () => 'error=access_denied&state=unknown'],
  ])('a response with one change of the posted body is refused as %s (%#)', async (reason, change) => {
    const { request, response } = await answerRedirect(age())
    const other = await answerRedirect(age())
    const changed = { request, response: change(response, other.response) }
    expect(wordsOf(await verify(changed, ANCHORS))).toEqual(['refused', reason])
  })

  it.each<[string, (response: { protocol: string; data: object }) => unknown]>([
    ['malformed_response', () => null],
    ['malformed_response', () => '{'],
    ['malformed_response', ({ protocol }) => ({ protocol })],
    ['malformed_response', ({ data }) => ({ protocol: 'another', data })],
    ['malformed_response', ({ protocol, data }) => ({ protocol, data: { ...data, vp_token: {} } })],
    ['encryption_required', ({ protocol }) => ({ protocol, data: { vp_token: {} } })],
    ['request_superseded', ({ data }) => ({ protocol: 'org-iso-mdoc', data })],
    [
      'limit_exceeded',
      ({ protocol }) => ({ protocol, data: { response: 'a'.repeat(1024 * 1024 + 17_000) } }),
    ],
  ])(
    'a response with one change of the browser’s credential is refused as %s (%#)',
    async (reason, change) => {
      const { request, response } = await answerDigital(
        async (received) => ({
          [queryFor(received, AGE)]: [await presentationOf(person, AGE, received, { audience: AUDIENCE })],
        }),
        { policy: { ...AGE_POLICY, formats: ['dc+sd-jwt'] } },
      )
      const changed = { request, response: change(response as { protocol: string; data: object }) }
      expect(wordsOf(await verify(changed, ANCHORS))).toEqual(['refused', reason])
    },
  )

  it('a response is refused if another device signed its mdoc, or if its jwt_vc_json presentation has another nonce', async () => {
    const document = await answerRedirect(
      async (request) => ({
        [queryFor(request, MDOC_AGE)]: [
          await mdocOf(mdocPerson, MDOC_AGE, { [MDOC_AGE]: { age_over_18: true } }, request, {
            holder: makeDevice(),
          }),
        ],
      }),
      { policy: { ...AGE_POLICY, formats: ['mso_mdoc'] } },
    )
    expect(wordsOf(await verify(document, ANCHORS))).toEqual(['refused', 'invalid_holder_signature'])
    const credential = await answerRedirect(
      async (request) => ({
        [queryFor(request, JWT_VC_AGE)]: [
          await jwtVcOf(jwtVcPerson, JWT_VC_AGE, { age_over_18: true }, request, {
            presentation: { nonce: 'other' },
          }),
        ],
      }),
      { policy: { ...AGE_POLICY, formats: ['jwt_vc_json'] } },
    )
    expect(wordsOf(await verify(credential, ANCHORS))).toEqual(['refused', 'nonce_mismatch'])
  })

  it('a response for another origin is refused in the Digital Credentials API', async () => {
    const answer = async (received: ReceivedRequest) => ({
      [queryFor(received, AGE)]: [
        await presentationOf(person, AGE, received, { audience: 'origin:https://other.example' }),
      ],
    })
    expect(wordsOf(await verify(await answerDigital(answer), ANCHORS))).toEqual([
      'refused',
      'audience_mismatch',
    ])
  })

  it('is refused as malformed_response if it is a wrong JavaScript value, and verifyResponse does not throw', async () => {
    const { request } = await answerRedirect(age())
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error('a trap')
        },
        ownKeys: () => {
          throw new Error('a trap')
        },
      },
    )
    for (const response of [undefined, null, 1, [], cyclic, trap, Symbol('x'), () => 1, new Map()])
      expect(wordsOf(await verify({ request, response }, ANCHORS))).toEqual(['refused', 'malformed_response'])
    const digital = await createRequest({ policy: AGE_POLICY, origin: ORIGIN })
    for (const response of [undefined, null, 1, [], cyclic, trap, Symbol('x'), () => 1, new Map()])
      expect(wordsOf(await verify({ request: digital.request, response }, ANCHORS))).toEqual([
        'refused',
        'malformed_response',
      ])
  })
})

describe('an error of the wallet', () => {
  it('other than access_denied is refused as wallet_error, and the result contains the code of the error', async () => {
    const { request } = await createRequest({
      ...{ policy: AGE_POLICY, verifier: VERIFIER },
      ...{ responseUri: RESPONSE_URI, requestUri: `${ORIGIN}/r` },
    })
    const { openid4vp } = JSON.parse(request) as { openid4vp: { state: string } }
    const response = new URLSearchParams({ error: 'wallet_unavailable', state: openid4vp.state })
    expect(await verify({ request, response }, ANCHORS)).toEqual({
      status: 'refused',
      reason: 'wallet_error',
      wallet_error: 'wallet_unavailable',
    })
  })
})

describe('describeReason', () => {
  it.each(Object.entries(REASONS))('describes %s as the service does', (code, { message, retryable }) => {
    expect(describeReason(code)).toEqual({ code, message, retryable })
  })

  it.each(['', 'toString', 'another'])('returns undefined for %j', (reason) => {
    expect(describeReason(reason)).toBeUndefined()
  })
})
