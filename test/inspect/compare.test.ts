// A request and its response: the outcome is that of the service, also if one thing is changed. The wallets
// and issuers are those of other projects; the library is the expected value.

import { compactDecrypt, importJWK } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { type InspectInput, inspect } from '../../packages/inspect/src/inspect.ts'
import { createRequest } from '../../packages/verify/src/index.ts'
import { mintIssuerPki } from '../support/certificates/certificates.ts'
import { answerAnnexC } from '../support/people/annex-c-person.ts'
import { type AnnexCRequest, receiveAnnexC } from '../support/people/annex-c-wallet.ts'
import { makeKey, signJwt } from '../support/people/issuer.ts'
import { jwtVcAgeOf, makeJwtVcPerson } from '../support/people/jwt-vc-person.ts'
import { makeDevice, makeMdocPerson, mdocAgeOf } from '../support/people/mdoc-person.ts'
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
import { deflate } from '../trust/status/status-fixtures.ts'
import {
  AGE_POLICY,
  type Answered,
  answerDigital,
  answerRedirect,
  ORIGIN,
  verify,
  wordsOf,
} from '../verify/stage.ts'

const authority = await makeAuthority()
const person = await makePerson(authority)
const mdocPerson = await makeMdocPerson()
const jwtVcPerson = await makeJwtVcPerson()
const pki = await mintIssuerPki()
const stranger = await makeKey()
const ANCHORS = [authority.anchor(), mdocPerson.anchor(), jwtVcPerson.anchor()]
const ANCHOR_TEXT = JSON.stringify(ANCHORS)

const age =
  (telling: Telling = {}) =>
  (request: ReceivedRequest) =>
    ageOf(person, request, telling)

const policyOf = (format: 'dc+sd-jwt' | 'mso_mdoc' | 'jwt_vc_json') => ({ ...AGE_POLICY, formats: [format] })

/** The private key of a stored request. */
const keyOf = (request: string, member: 'openid4vp' | 'annexC' = 'openid4vp') =>
  JSON.stringify(JSON.parse(request)[member].key)

/** Status and reason for the stored request, and for the Request Object with the private key. */
async function outcomes(answered: Answered, more: Partial<InspectInput> = {}) {
  const { request, requestObject, response } = answered
  const shared = { response, anchors: ANCHOR_TEXT, now: new Date(), ...more }
  const stored = await inspect({ ...shared, input: request })
  const signed = await inspect({ ...shared, input: requestObject ?? '', keys: keyOf(request) })
  return [stored, signed].map(({ outcome }) => [outcome?.status, outcome?.reason])
}

const twice = (words: unknown) => [words, words]

describe('a good response', () => {
  it.each([
    ['dc+sd-jwt', age()],
    ['mso_mdoc', (request: ReceivedRequest) => mdocAgeOf(mdocPerson, request)],
    ['jwt_vc_json', (request: ReceivedRequest) => jwtVcAgeOf(jwtVcPerson, request)],
  ] as const)(
    'with a credential in %s is verified, whether the response is encrypted or plain',
    async (format, answer) => {
      for (const responseMode of ['direct_post.jwt', 'direct_post'] as const) {
        const answered = await answerRedirect(answer, { policy: policyOf(format), responseMode })
        expect(await outcomes(answered)).toEqual(twice(['verified', null]))
      }
    },
  )

  it.each([
    ['dc+sd-jwt', age(certified(pki))],
    ['mso_mdoc', (request: ReceivedRequest) => mdocAgeOf(mdocPerson, request)],
  ] as const)(
    'with a credential in %s is verified if the caller passes the response decrypted, but no key and no anchors',
    async (format, answer) => {
      const { request, response, requestObject } = await answerRedirect(answer, { policy: policyOf(format) })
      const jwe = new URLSearchParams(response).get('response') ?? ''
      const key = await importJWK(JSON.parse(keyOf(request)), 'ECDH-ES')
      const { plaintext } = await compactDecrypt(jwe, key)
      const { outcome } = await inspect({ input: requestObject ?? '', response: plaintext })
      expect(outcome).toMatchObject({ status: 'verified', reason: null })
      expect(outcome?.assumptions.join()).toMatch(/given decrypted.*only the query.*taken as trusted/i)
      expect(outcome?.steps).toContainEqual(expect.objectContaining({ id: 'holder_binding', result: 'pass' }))
      const { outcome: wrapped } = await inspect({
        input: requestObject ?? '',
        response: JSON.stringify(JSON.parse(new TextDecoder().decode(plaintext)).vp_token),
      })
      expect(wrapped?.status).toBe('verified')
    },
  )

  it.each([true, false])('of the Digital Credentials API is verified (signed: %s)', async (isSigned) => {
    const answer = async (request: ReceivedRequest) => ({
      [queryFor(request, AGE)]: [
        await presentationOf(person, AGE, request, { audience: `origin:${ORIGIN}` }),
      ],
    })
    const { request, digital, response } = await answerDigital(answer, { isSigned })
    const shared = { response: JSON.stringify(response), anchors: ANCHOR_TEXT, now: new Date() }
    const given = [
      { input: request },
      { input: JSON.stringify(digital), keys: keyOf(request), origin: ORIGIN },
    ]
    for (const input of given)
      expect((await inspect({ ...shared, ...input })).outcome).toMatchObject({ status: 'verified' })
    const other = {
      input: request,
      response: shared.response,
      now: shared.now,
      origin: 'https://other.example',
    }
    expect((await inspect(other)).outcome?.status).toBe('refused') // the issuer has no certificate
  })

  it('of ISO/IEC TS 18013-7 Annex C is verified, and refused for another device or origin', async () => {
    const created = await createRequest({ policy: policyOf('mso_mdoc'), origin: ORIGIN })
    const entry = created.digital.requests.find(({ protocol }) => protocol === 'org-iso-mdoc')
    const received = receiveAnnexC(entry as unknown as AnnexCRequest, ORIGIN)
    const keys = keyOf(created.request, 'annexC')
    const outcome = async (response: unknown, origin = ORIGIN) => {
      const shared = { response: JSON.stringify(response), anchors: ANCHOR_TEXT, now: new Date() }
      const input = JSON.stringify(entry)
      const [stored, sent] = [
        await inspect({ ...shared, input: created.request }),
        await inspect({ ...shared, input, keys, origin }),
      ]
      return [stored, sent].map((report) => [report.outcome?.status, report.outcome?.reason])
    }
    const good = await answerAnnexC(mdocPerson, received)
    expect(await outcome(good)).toEqual(twice(['verified', null]))
    expect((await outcome(good, 'https://other.example'))[1]).toEqual(['refused', 'decryption_failed'])
    const other = await answerAnnexC(mdocPerson, received, { holder: makeDevice() })
    expect(await outcome(other)).toEqual(twice(['refused', 'invalid_holder_signature']))
  })

  it('is evaluated at the time of its request, unless the caller passes another time', async () => {
    const answered = await answerRedirect(age())
    const input = { input: answered.request, response: answered.response, anchors: ANCHOR_TEXT }
    vi.useFakeTimers({ now: Date.now() + 30 * 86_400_000, toFake: ['Date'] })
    try {
      expect((await inspect(input)).outcome).toMatchObject({ status: 'verified' })
      const late = await inspect({ ...input, now: new Date() })
      expect(late.outcome).toMatchObject({ status: 'expired', reason: 'session_expired' })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('inspect and verifyResponse give a changed response the same status and reason:', () => {
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
    ['credential_expired', { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
  ])('%s', async (reason, telling) => {
    const answered = await answerRedirect(age(telling))
    const words = wordsOf(await verify(answered, ANCHORS))
    expect(words[1]).toBe(reason)
    expect(await outcomes(answered)).toEqual(twice(words))
  })

  it.each<[string, (response: string, other: string) => string]>([
    ['malformed_response', () => 'a=%'],
    ['malformed_response', (response) => `${response}&${response}`],
    ['encryption_required', () => 'vp_token=%7B%7D&state=1'],
    ['unknown_encryption_key', (_, other) => other],
    ['decryption_failed', (response) => response.replace(/.{4}$/, 'AAAA')],
    ['unknown_state', () => 'error=access_denied&state=unknown'],
  ])('%s (%#)', async (reason, change) => {
    const answered = await answerRedirect(age())
    const response = change(answered.response, (await answerRedirect(age())).response)
    const changed = { ...answered, response }
    const words = wordsOf(await verify(changed, ANCHORS))
    expect(words).toEqual(['refused', reason])
    expect(await outcomes(changed)).toEqual(twice(words))
  })

  it('declined if the wallet sends the error access_denied', async () => {
    expect(await outcomes(await answerRedirect('declines'))).toEqual(twice(['declined', 'access_denied']))
  })

  it('predicate_false or assurance_level_too_low if the input is the stored request with its policy', async () => {
    const minor = await answerRedirect(age({ claims: { age_over_18: false } }))
    expect((await outcomes(minor))[0]).toEqual(wordsOf(await verify(minor, ANCHORS)))
    const policy = { ...AGE_POLICY, required_assurance_level: 'high' as const }
    const low = await answerRedirect(age(), { policy })
    expect((await outcomes(low))[0]).toEqual(['rejected', 'assurance_level_too_low'])
  })

  it('untrusted_issuer for an issuer without a certificate under HAIP 1.0', async () => {
    const answered = await answerRedirect(age(), { protocol: 'haip-1.0', policy: policyOf('dc+sd-jwt') })
    expect(wordsOf(await verify(answered, ANCHORS))).toEqual(['refused', 'untrusted_issuer'])
    expect(await outcomes(answered, { haip: true })).toEqual(twice(['refused', 'untrusted_issuer']))
    expect((await outcomes(answered))[1]).toEqual(['verified', null])
  })
})

describe('the status of a credential', () => {
  const uri = 'https://status.example.org/lists/1'
  /** A list of two bits, signed by the issuer: valid, revoked, suspended. */
  const list = () => {
    const lst = Buffer.from(deflate(Uint8Array.of(0b00_10_01_00))).toString('base64url')
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: authority.iss, sub: uri, iat, ttl: 600, status_list: { bits: 2, lst } }
    return signJwt({ alg: 'ES256', typ: 'statuslist+jwt' }, claims, authority.key)
  }
  const anchors = JSON.stringify([authority.anchor({ purpose: ['issuer', 'status'] })])
  const answerAt = (idx: number) => answerRedirect(age({ claims: { status: { status_list: { idx, uri } } } }))

  it.each([
    [0, 'verified', null],
    [1, 'rejected', 'credential_revoked'],
    [2, 'rejected', 'credential_suspended'],
  ])(
    'is read at index %i of a list that the caller passes, and gives the outcome %s with the reason %s',
    async (idx, status, reason) => {
      const answered = await answerAt(idx)
      expect(await outcomes(answered, { anchors, lists: [list()] })).toEqual(twice([status, reason]))
      const given = { input: answered.request, response: answered.response, anchors, lists: [list()] }
      expect((await inspect(given)).outcome?.is_conditional).toBe(false)
    },
  )

  it('is not checked if the caller passes no list, and the outcome names this assumption', async () => {
    const { request, response } = await answerAt(1)
    const { outcome } = await inspect({ input: request, response, anchors })
    expect(outcome?.status).toBe('verified')
    expect(outcome?.assumptions.join()).toMatch(/its status was not checked/)
    expect(outcome).toMatchObject({ is_conditional: true, message: expect.stringContaining('only if') })
    expect(outcome?.steps).toContainEqual(expect.objectContaining({ id: 'status', result: 'fail' }))
  })

  it('is unavailable, and the response is refused, if the credential names another list than the caller passes', async () => {
    const answered = await answerRedirect(
      age({ claims: { status: { status_list: { idx: 0, uri: `${uri}2` } } } }),
    )
    expect(await outcomes(answered, { anchors, lists: [list()] })).toEqual(
      twice(['refused', 'status_unavailable']),
    )
  })
})

describe('an outcome that cannot be determined', () => {
  it.each<[string, Partial<InspectInput>]>([
    ['give the private key', {}],
    ['no request', { input: '{"a":1}' }],
    [
      'at request_uri|address of the request',
      { input: 'openid4vp://?client_id=a&request_uri=https%3A%2F%2Fa.example' },
    ],
    [
      'Presentation Exchange',
      { input: '{"presentation_definition":{},"nonce":"a","response_type":"vp_token"}' },
    ],
    ['no nonce', { input: '{"dcql_query":{"credentials":[]}}' }],
  ])('has the status not_evaluated and a message with the cause: %s', async (words, more) => {
    const { requestObject, response } = await answerRedirect(age())
    const { outcome } = await inspect({ input: requestObject ?? '', response, ...more })
    expect(outcome).toMatchObject({ status: 'not_evaluated', reason: null })
    expect(outcome?.message).toMatch(new RegExp(words))
  })

  it('is replaced by an exception if the keys, anchors or lists are unreadable', async () => {
    const { request, response } = await answerRedirect(age())
    for (const more of [{ keys: '{}' }, { anchors: 'x' }, { anchors: '[{}]' }, { lists: ['x'] }])
      await expect(inspect({ input: request, response, ...more })).rejects.toThrow()
  })
})
