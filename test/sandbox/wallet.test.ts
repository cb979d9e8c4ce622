// The test wallet's presentations, judged by libraries that this project did not write: what its own verifier takes them for is in
// test/conformance/service/sandbox.test.ts.

import { describe, expect, it } from 'vitest'
import { FLAWS, type FlawName } from '../../src/sandbox/wallet/flaws/index.ts'
import { prepare } from '../../src/sandbox/wallet/wallet.ts'
import { type Asked, judgeJwtVc, judgeMdoc, judgeSdJwt } from './judges.ts'

const ASKED: Asked = {
  audience: 'redirect_uri:https://verifier.example/callback',
  nonce: 'n-1',
  responseUri: 'https://verifier.example/callback',
}

const QUERIES = {
  'dc+sd-jwt': {
    meta: { vct_values: ['urn:eudi:pid:1'] },
    claims: [
      { path: ['age_equal_or_over', '18'] },
      { path: ['nationalities', null] },
      { path: ['birthdate'] },
    ],
  },
  mso_mdoc: {
    meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
    claims: ['age_over_18', 'birth_date', 'portrait', 'driving_privileges'].map((name) => ({
      path: ['org.iso.18013.5.1', name],
    })),
  },
  jwt_vc_json: {
    meta: { type_values: [['VerifiableCredential', 'MembershipCredential']] },
    claims: [{ path: ['credentialSubject', 'level'], values: ['gold'] }],
  },
}
type Format = keyof typeof QUERIES

/** The presentation that answers a request passed by value. */
async function presentationIn(format: Format, reason = 'verified'): Promise<string> {
  const parameters = new URLSearchParams({
    client_id: ASKED.audience,
    response_uri: ASKED.responseUri,
    response_mode: 'direct_post',
    nonce: ASKED.nonce,
    state: 's-1',
    dcql_query: JSON.stringify({ credentials: [{ id: 'q', format, ...QUERIES[format] }] }),
  })
  const unreachable = () => Promise.reject(new Error('nothing is fetched'))
  const errand = { uri: `openid4vp://?${parameters}`, reason }
  const prepared = await prepare(errand, unreachable, Math.floor(Date.now() / 1000))
  if (!prepared.ok) throw new Error(prepared.error.detail)
  expect(prepared.value.post).toMatchObject({ uri: ASKED.responseUri, form: { state: 's-1' } })
  const [presentation] = (JSON.parse(prepared.value.post.form.vp_token ?? '') as { q: string[] }).q
  return presentation ?? ''
}

const nowhere = () => Promise.reject(new Error('no network'))

describe('a presentation of the test wallet', () => {
  it('is an SD-JWT VC with key binding to @sd-jwt/sd-jwt-vc, its status valid', async () => {
    expect(await judgeSdJwt(await presentationIn('dc+sd-jwt'), ASKED)).toMatchObject({
      vct: 'urn:eudi:pid:1',
      age_equal_or_over: { 18: true },
      nationalities: ['UT'],
      birthdate: '1940-02-29',
    })
  })

  it('is an mdoc with a device signature to @owf/mdoc', async () => {
    await expect(judgeMdoc(await presentationIn('mso_mdoc'), ASKED)).resolves.toBeUndefined()
  })

  it('is a VP JWT around a VC JWT to jose', async () => {
    expect(await judgeJwtVc(await presentationIn('jwt_vc_json'), ASKED)).toMatchObject({
      type: ['VerifiableCredential', 'MembershipCredential'],
      credentialSubject: { level: 'gold' },
    })
  })
})

/** Flaws that these libraries look for, too. */
const SEEN: readonly [Format, FlawName, string | RegExp][] = [
  ['dc+sd-jwt', 'credential_revoked', 'Status is not valid'],
  ['dc+sd-jwt', 'credential_suspended', 'Status is not valid'],
  ['dc+sd-jwt', 'status_unavailable', 'no list at'],
  ['dc+sd-jwt', 'invalid_issuer_signature', /signature/i],
  ['dc+sd-jwt', 'invalid_holder_signature', /signature/i],
  ['dc+sd-jwt', 'nonce_mismatch', /nonce/i],
  ['dc+sd-jwt', 'sd_hash_mismatch', /hash/i],
  ['dc+sd-jwt', 'audience_mismatch', 'another audience'],
  ['dc+sd-jwt', 'untrusted_issuer', 'not issued by the sandbox'],
  ['dc+sd-jwt', 'invalid_certificate_path', 'not issued by the sandbox'],
  ['dc+sd-jwt', 'trust_anchor_in_chain', 'not issued by the sandbox'],
  ['mso_mdoc', 'untrusted_issuer', /certificate/i],
  ['mso_mdoc', 'invalid_issuer_signature', /signature/i],
  ['mso_mdoc', 'invalid_holder_signature', /signature/i],
  ['mso_mdoc', 'credential_expired', /valid/i],
  ['mso_mdoc', 'unreferenced_disclosure', /digest/i],
  ['jwt_vc_json', 'credential_expired', '"exp" claim'],
  ['jwt_vc_json', 'credential_not_yet_valid', '"nbf" claim'],
  ['jwt_vc_json', 'invalid_issuer_signature', 'signature verification failed'],
  ['jwt_vc_json', 'nonce_mismatch', 'another nonce'],
]

describe('what it does wrong', () => {
  it.each(SEEN)('is seen by others: %s, %s', async (format, reason, complaint) => {
    const judges = { 'dc+sd-jwt': judgeSdJwt, mso_mdoc: judgeMdoc, jwt_vc_json: judgeJwtVc }
    const presentation = await presentationIn(format, reason)
    await expect(judges[format](presentation, ASKED)).rejects.toThrow(complaint)
  })

  it('is said in words, once for each', () => {
    const said = Object.values(FLAWS).map(({ does }) => does)
    expect(new Set(said).size).toBe(said.length)
  })
})

describe('the test wallet', () => {
  it.each([
    ['without a key', { response_mode: 'direct_post.jwt' }],
    [
      'for a key that is none',
      {
        response_mode: 'direct_post.jwt',
        client_metadata: { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] } },
      },
    ],
  ])('cannot encrypt %s, and says so', async (_, changes) => {
    const query = { credentials: [{ id: 'q', format: 'dc+sd-jwt', ...QUERIES['dc+sd-jwt'] }] }
    const request = { client_id: 'x', nonce: 'n', dcql_query: query, ...changes }
    const texts = Object.entries(request).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    const uri = `openid4vp://?${new URLSearchParams(Object.fromEntries(texts))}`
    expect(await prepare({ uri, reason: 'verified' }, nowhere, 0)).toMatchObject({
      error: { detail: 'The answer cannot be encrypted as the request asks.' },
    })
  })

  it('follows no path for thousands of steps', async () => {
    const claims = [{ path: Array.from({ length: 5_000 }, () => 'a') }]
    const query = { credentials: [{ id: 'q', format: 'dc+sd-jwt', meta: {}, claims }] }
    const parameters = { client_id: 'x', nonce: 'n', dcql_query: JSON.stringify(query) }
    const uri = `openid4vp://?${new URLSearchParams(parameters)}`
    expect(await prepare({ uri, reason: 'verified' }, nowhere, 0)).toMatchObject({ ok: true })
  })

  it.each([
    ['what is no URI', 'nonsense', 'This is no wallet URI.'],
    ['a request without a nonce', 'openid4vp://?client_id=x', 'The request has no client_id or no nonce.'],
    ['a query for nothing', 'openid4vp://?client_id=x&nonce=n', 'Nothing that is asked for fits.'],
    ['a verifier out of reach', 'openid4vp://?request_uri=https://x.example', 'could not be fetched'],
  ])('says what it cannot answer: %s', async (_, uri, detail) => {
    const prepared = await prepare({ uri, reason: 'verified' }, nowhere, 0)
    expect(prepared).toMatchObject({ ok: false, error: { detail: expect.stringContaining(detail) } })
  })
})
