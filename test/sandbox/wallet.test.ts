// The test wallet's presentations, verified by libraries of other projects.
// test/conformance/service/sandbox.test.ts covers our own verifier.

import { describe, expect, it, vi } from 'vitest'
import { MISTAKES, type MistakeName } from '../../sandbox/wallet/mistakes/index.ts'
import { postForm, prepare } from '../../sandbox/wallet/wallet.ts'
import { type RequestParameters, verifyJwtVc, verifyMdoc, verifySdJwt } from './libraries.ts'

const REQUEST: RequestParameters = {
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

/** Returns the presentation for a request passed by value. */
async function presentationIn(format: Format, reason = 'verified'): Promise<string> {
  const parameters = new URLSearchParams({
    client_id: REQUEST.audience,
    response_uri: REQUEST.responseUri,
    response_mode: 'direct_post',
    nonce: REQUEST.nonce,
    state: 's-1',
    dcql_query: JSON.stringify({ credentials: [{ id: 'q', format, ...QUERIES[format] }] }),
  })
  const unreachable = () => Promise.reject(new Error('nothing is fetched'))
  const task = { uri: `openid4vp://?${parameters}`, reason }
  const prepared = await prepare(task, unreachable, Math.floor(Date.now() / 1000))
  if (!prepared.ok) throw new Error(prepared.error.detail)
  expect(prepared.value.post).toMatchObject({ uri: REQUEST.responseUri, form: { state: 's-1' } })
  const [presentation] = (JSON.parse(prepared.value.post.form.vp_token ?? '') as { q: string[] }).q
  return presentation ?? ''
}

const nowhere = () => Promise.reject(new Error('no network'))

describe('a presentation of the test wallet', () => {
  it('is accepted by @sd-jwt/sd-jwt-vc as SD-JWT VC with key binding and valid status', async () => {
    expect(await verifySdJwt(await presentationIn('dc+sd-jwt'), REQUEST)).toMatchObject({
      vct: 'urn:eudi:pid:1',
      age_equal_or_over: { 18: true },
      nationalities: ['UT'],
      birthdate: '1940-02-29',
    })
  })

  it('is accepted by @owf/mdoc as mdoc with a device signature', async () => {
    await expect(verifyMdoc(await presentationIn('mso_mdoc'), REQUEST)).resolves.toBeUndefined()
  })

  it('is accepted by jose as VP JWT around a VC JWT', async () => {
    expect(await verifyJwtVc(await presentationIn('jwt_vc_json'), REQUEST)).toMatchObject({
      type: ['VerifiableCredential', 'MembershipCredential'],
      credentialSubject: { level: 'gold' },
    })
  })
})

/** Mistakes that these libraries detect. */
const DETECTED: readonly [Format, MistakeName, string | RegExp][] = [
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
  ['dc+sd-jwt', 'trust_anchor_in_chain', /signature/i],
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

describe('a mistake of the test wallet', () => {
  it.each(DETECTED)(
    'in the format %s is also detected by another library: reason %s',
    async (format, reason, complaint) => {
      const verifiers = { 'dc+sd-jwt': verifySdJwt, mso_mdoc: verifyMdoc, jwt_vc_json: verifyJwtVc }
      const presentation = await presentationIn(format, reason)
      await expect(verifiers[format](presentation, REQUEST)).rejects.toThrow(complaint)
    },
  )

  it('has its own description', () => {
    const descriptions = Object.values(MISTAKES).map(({ description }) => description)
    expect(new Set(descriptions).size).toBe(descriptions.length)
  })
})

describe('the test wallet', () => {
  it.each([
    ['without a key', { response_mode: 'direct_post.jwt' }],
    [
      'to an invalid key',
      {
        response_mode: 'direct_post.jwt',
        client_metadata: { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] } },
      },
    ],
  ])('reports that it cannot encrypt a response %s', async (_, changes) => {
    const query = { credentials: [{ id: 'q', format: 'dc+sd-jwt', ...QUERIES['dc+sd-jwt'] }] }
    const request = { client_id: 'x', nonce: 'n', dcql_query: query, ...changes }
    const texts = Object.entries(request).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    const uri = `openid4vp://?${new URLSearchParams(Object.fromEntries(texts))}`
    expect(await prepare({ uri, reason: 'verified' }, nowhere, 0)).toMatchObject({
      error: { detail: 'The response cannot be encrypted as requested.' },
    })
  })

  it('prepares a response even if a claim path has 5,000 steps', async () => {
    const claims = [{ path: Array.from({ length: 5_000 }, () => 'a') }]
    const query = { credentials: [{ id: 'q', format: 'dc+sd-jwt', meta: {}, claims }] }
    const parameters = { client_id: 'x', nonce: 'n', dcql_query: JSON.stringify(query) }
    const uri = `openid4vp://?${new URLSearchParams(parameters)}`
    expect(await prepare({ uri, reason: 'verified' }, nowhere, 0)).toMatchObject({ ok: true })
  })

  it.each([
    ['an invalid URI', 'nonsense', 'This is not a wallet URI.'],
    ['a request without a nonce', 'openid4vp://?client_id=x', 'The request has no client_id or no nonce.'],
    ['a query for nothing', 'openid4vp://?client_id=x&nonce=n', 'No requested credential fits.'],
    ['an unreachable verifier', 'openid4vp://?request_uri=https://x.example', 'could not be fetched'],
  ])('reports a request that it cannot satisfy: %s', async (_, uri, detail) => {
    const prepared = await prepare({ uri, reason: 'verified' }, nowhere, 0)
    expect(prepared).toMatchObject({ ok: false, error: { detail: expect.stringContaining(detail) } })
  })

  it('reports an error if no wallet response can cause the chosen reason, and fetches nothing', async () => {
    const call = vi.fn(nowhere)
    const task = { uri: 'openid4vp://?request_uri=https://x.example', reason: 'session_expired' }
    expect(await prepare(task, call, 0)).toEqual({
      ok: false,
      error: { detail: "session_expired is not a reason that a wallet's response can cause." },
    })
    expect(call).not.toHaveBeenCalled()
  })

  it.each([
    ['accepts a Request Object that repeats its wallet_nonce', (nonce: string) => nonce, undefined],
    ['refuses a Request Object with another wallet_nonce', () => 'old', 'does not repeat wallet_nonce'],
    ['refuses a Request Object without a wallet_nonce', () => undefined, 'does not repeat wallet_nonce'],
  ])('%s', async (_, repeated, complaint) => {
    const query = { credentials: [{ id: 'q', format: 'dc+sd-jwt', ...QUERIES['dc+sd-jwt'] }] }
    const verifier = async (_url: string, init?: RequestInit) => {
      const nonce = new URLSearchParams(String(init?.body)).get('wallet_nonce') ?? ''
      const claims = { client_id: 'x', nonce: 'n', dcql_query: query, wallet_nonce: repeated(nonce) }
      return new Response(`e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`)
    }
    const uri = 'openid4vp://?request_uri=https://x.example&request_uri_method=post'
    const prepared = await prepare({ uri, reason: 'verified' }, verifier, 0)
    expect(prepared.ok ? undefined : prepared.error.detail).toEqual(
      complaint && `The Request Object ${complaint}.`,
    )
  })

  it.each([
    ['an address', '{"redirect_uri":"https://shop.example/"}', 'https://shop.example/'],
    ['no JSON', '<h1>Error</h1>', null],
    ['a redirect_uri that is no text', '{"redirect_uri":1}', null],
  ])('returns the redirect_uri or null, for a verifier response with %s', async (_, body, redirect_uri) => {
    const post = { uri: 'https://verifier.example/callback', form: {} }
    const answer = await postForm(post, async () => new Response(body, { status: 400 }))
    expect(answer).toEqual({ status: 400, body, redirect_uri })
  })
})
