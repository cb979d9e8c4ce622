import { generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import {
  buildAuthorizationRequestUri,
  buildWalletLinks,
} from '../../../src/openid4vp/request/authorization-request.ts'
import { redirectUriClientId } from '../../../src/openid4vp/request/client-identifier.ts'
import type { Generation, VerifierIdentity } from '../../../src/openid4vp/request/generation.ts'
import {
  isWalletNonce,
  type RequestObjectInput,
  signRequestObject,
  unsignedParameters,
} from '../../../src/openid4vp/request/request-object.ts'
import {
  decryptResponse,
  parseAuthorizationResponse,
} from '../../../src/openid4vp/response/authorization-response.ts'
import type { ResponseMode } from '../../../src/openid4vp/response/response-mode.ts'
import { createWallet, type Wallet } from '../../support/people/wallet.ts'
import {
  BASE_URL,
  createGeneration,
  createVerifier,
  NOW,
  plainFormat,
  QUERY,
  REQUEST_URI,
  RESPONSE_URI,
} from '../fixtures.ts'

const verifier = await createVerifier()
const {
  clientIdPrefixes,
  responseModes,
  requestUriMethods,
  buildRequestObject,
  parsePresentations,
  responseEncryption,
} = PROTOCOLS['openid4vp-1.0']
const signedPrefixes = clientIdPrefixes.filter((prefix) => prefix !== 'redirect_uri')

// The wallet library compares `exp` with the platform's clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 }))
afterEach(() => void vi.useRealTimers())

describe('the Request Object', () => {
  for (const prefix of signedPrefixes) {
    for (const responseMode of responseModes) {
      for (const requestUriMethod of requestUriMethods) {
        it(`is accepted by a foreign wallet: ${prefix}, ${responseMode}, ${requestUriMethod}`, async () => {
          const generation = await createGeneration()
          const { wallet, posts } = serve(verifier.identities[prefix], { ...input(generation), responseMode })
          const reference = { clientId: verifier.identities[prefix].clientId, requestUri: REQUEST_URI }
          const uri = buildAuthorizationRequestUri({ ...reference, requestUriMethod })
          const received = await wallet.receive(uri)
          expect(received.payload.nonce).toBe(generation.nonce)
          const answer = await wallet.present(received, { age: ['presentation'] })
          expect(answer.status).toBe(200)
          expect([...posts[0]!.keys()].includes('response')).toBe(responseMode === 'direct_post.jwt')
          const read = await readResponse(posts[0]!, responseMode, generation)
          expect(read).toMatchObject({ ok: true, value: { kind: 'presentation', state: generation.state } })
          if (!read.ok || read.value.kind !== 'presentation') throw new Error('not a presentation')
          const { nonce } = generation
          expect(parsePresentations(read.value, { query: QUERY, language: 'dcql', nonce })).toEqual({
            ok: true,
            value: [{ query: QUERY.credentials[0], presentations: ['presentation'] }],
          })
        })
      }
    }
  }

  it.each([false, true])(
    'lets a foreign wallet decline with an encrypted response: %s',
    async (encrypted) => {
      const generation = await createGeneration()
      const { wallet, posts } = serve(verifier.identities.x509_hash, input(generation))
      const received = await wallet.receive(uriFor(verifier.identities.x509_hash))
      await wallet.decline(received, 'access_denied', { encrypted })
      expect(await readResponse(posts[0]!, 'direct_post.jwt', generation)).toEqual({
        ok: true,
        value: {
          kind: 'wallet_error',
          state: generation.state,
          error: 'access_denied',
          errorDescription: 'from the wallet',
        },
      })
    },
  )

  it('is accepted by a wallet that uses GET although the request offers POST', async () => {
    const { wallet } = serve(verifier.identities.x509_hash, input(await createGeneration()))
    const received = await wallet.receive(uriFor(verifier.identities.x509_hash), { getOnly: true })
    expect(received.payload).not.toHaveProperty('wallet_nonce')
  })

  it('contains the wallet_nonce of the wallet unchanged, even in standard base64', async () => {
    const { wallet } = serve(verifier.identities.x509_hash, input(await createGeneration()))
    const received = await wallet.receive(uriFor(verifier.identities.x509_hash), { walletNonce: 'a/b+c9==' })
    expect(received.payload).toHaveProperty('wallet_nonce', 'a/b+c9==')
  })

  it('has exactly the parameters of the protocol', async () => {
    const generation = await createGeneration()
    const claims = buildRequestObject({ ...input(generation), responseMode: 'direct_post' })
    expect(claims).toEqual({
      response_type: 'vp_token',
      response_mode: 'direct_post',
      client_id: 'x509_san_dns:verifier.example',
      response_uri: RESPONSE_URI,
      nonce: generation.nonce,
      state: generation.state,
      dcql_query: QUERY,
      client_metadata: {
        vp_formats_supported: {
          'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
        },
      },
      aud: 'https://self-issued.me/v2',
      iat: NOW,
      exp: NOW + 300,
    })
  })

  it('lists a single key and both content encryptions for an encrypted response', async () => {
    const generation = await createGeneration()
    const { client_metadata } = buildRequestObject(input(generation))
    const { x, y } = generation.encryptionPublicJwk
    expect(client_metadata).toMatchObject({
      jwks: {
        keys: [{ kty: 'EC', crv: 'P-256', x, y, kid: generation.kid, use: 'enc', alg: 'ECDH-ES' }],
      },
      encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
    })
  })

  it('expires no later than the session', async () => {
    const claims = buildRequestObject({ ...input(await createGeneration()), expiresAt: NOW + 20 })
    expect(claims.exp).toBe(NOW + 20)
  })

  it('is not built for an unregistered format, because buildRequestObject throws', async () => {
    const generation = await createGeneration()
    expect(() => buildRequestObject({ ...input(generation), formats: {} })).toThrow('not a registered format')
  })

  it('has a header with only alg, typ and x5c', async () => {
    const { identities } = verifier
    const jws = await signRequestObject(
      buildRequestObject(input(await createGeneration())),
      identities.x509_hash,
    )
    expect(decodeProtectedHeader(jws)).toEqual({
      alg: 'ES256',
      typ: 'oauth-authz-req+jwt',
      x5c: [verifier.leaf],
    })
  })

  it('has a header with only alg, typ and kid for a DID', async () => {
    const identity = verifier.identities.decentralized_identifier
    const jws = await signRequestObject(buildRequestObject(input(await createGeneration())), identity)
    expect(decodeProtectedHeader(jws)).toEqual({
      alg: 'ES256',
      typ: 'oauth-authz-req+jwt',
      kid: expect.stringMatching(/^did:web:verifier\.example#[\w-]{43}$/),
    })
  })

  it.each(signedPrefixes)('is refused by the wallet if another key signed it: %s', async (prefix) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const signingJwk = privateKey.export({ format: 'jwk' }) as VerifierIdentity['signingJwk']
    const identity = { ...verifier.identities[prefix], signingJwk }
    const { wallet } = serve(identity, input(await createGeneration()))
    await expect(wallet.receive(uriFor(identity))).rejects.toThrow('Error during verification of jwt')
  })
})

describe('the URI of a request', () => {
  const reference = {
    clientId: 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk',
    requestUri: `${BASE_URL}/r/id`,
    requestUriMethod: 'post',
  } as const

  it('does not escape colons and slashes, and has only three parameters', () => {
    expect(buildAuthorizationRequestUri(reference)).toBe(
      'openid4vp://?client_id=x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk' +
        '&request_uri=https://verifier.example/r/id&request_uri_method=post',
    )
  })

  it('escapes characters that would end a parameter', () => {
    const uri = buildAuthorizationRequestUri({ ...reference, requestUri: `${BASE_URL}/r/a&b=c#d e+f?g%` })
    expect(new URL(uri).searchParams.get('request_uri')).toBe(`${BASE_URL}/r/a&b=c#d e+f?g%`)
    expect(uri).not.toContain('#')
  })

  it('has the same query string in every link that opens a wallet', () => {
    const links = buildWalletLinks(reference, { av: 'av', wallet: 'https://wallet.example/open' })
    const [, query] = buildAuthorizationRequestUri(reference).split('?')
    expect(links).toEqual({ av: `av://?${query}`, wallet: `https://wallet.example/open?${query}` })
  })
})

describe('a request passed by value', () => {
  it.each(responseModes)(
    'is contained in its URI, and a foreign wallet accepts it and responds: %s',
    async (responseMode) => {
      const generation = await createGeneration()
      const { uri, request } = byValue({ ...input(generation), responseMode })
      const { wallet, posts } = serve(verifier.identities.x509_hash, request)
      const received = await wallet.receive(uri)
      expect(received.payload).toMatchObject({ client_id: request.clientId, nonce: generation.nonce })
      expect((await wallet.present(received, { age: ['presentation'] })).status).toBe(200)
      const read = await readResponse(posts[0]!, responseMode, generation)
      expect(read).toMatchObject({ ok: true, value: { kind: 'presentation', state: generation.state } })
    },
  )

  it('has JSON parameters in which colons, slashes and commas are not escaped, and has no JWT claims', async () => {
    const { uri } = byValue({ ...input(await createGeneration()), responseMode: 'direct_post' })
    const { searchParams } = new URL(uri)
    expect([...searchParams.keys()]).toEqual([
      ...['response_type', 'response_mode', 'client_id', 'response_uri', 'nonce', 'state', 'dcql_query'],
      'client_metadata',
    ])
    expect(JSON.parse(searchParams.get('dcql_query') ?? '')).toEqual(QUERY)
    expect(uri).toContain(`&client_id=redirect_uri:${RESPONSE_URI}&response_uri=${RESPONSE_URI}&`)
    expect(uri).toContain('%7B%22credentials%22:%5B%7B%22id%22:%22age%22,')
    expect(uri).not.toMatch(/["{}[\]\s]/)
  })

  it('keeps every value, even delimiters and characters beyond ASCII', async () => {
    const values = ['a&b=c#d e+f?g%', '\u00fc', '\u{1f511}', '"\\']
    const [credential] = QUERY.credentials
    const query = { credentials: [{ ...credential!, claims: [{ path: ['name'], values }] }] }
    const { uri } = byValue({ ...input(await createGeneration()), query })
    expect(JSON.parse(new URL(uri).searchParams.get('dcql_query') ?? '')).toEqual(query)
  })
})

function byValue(input: RequestObjectInput) {
  const request = { ...input, clientId: redirectUriClientId(RESPONSE_URI) }
  const parameters = unsignedParameters(buildRequestObject(request))
  return { request, uri: buildAuthorizationRequestUri({ parameters }) }
}

describe('a wallet_nonce', () => {
  it.each(['n', 'a/b+c9==', 'with space', 'x'.repeat(512)])('is returned unchanged: %s', (nonce) => {
    expect(isWalletNonce(nonce)).toBe(true)
  })
  it.each(['', 'x'.repeat(513), 'tab\t', 'nul\0', 'ümlaut', 'line\n'])('is refused: %j', (nonce) => {
    expect(isWalletNonce(nonce)).toBe(false)
  })
})

function input(generation: Generation): RequestObjectInput {
  return {
    clientId: 'x509_san_dns:verifier.example',
    responseUri: RESPONSE_URI,
    responseMode: 'direct_post.jwt',
    query: QUERY,
    language: 'dcql',
    formats: { 'dc+sd-jwt': plainFormat() },
    generation,
    walletNonce: undefined,
    now: NOW,
    expiresAt: NOW + 600,
  }
}

function uriFor({ clientId }: VerifierIdentity): string {
  return buildAuthorizationRequestUri({ clientId, requestUri: REQUEST_URI, requestUriMethod: 'post' })
}

/** Parses a posted form with the key of the request, as the service does. */
async function readResponse(
  form: URLSearchParams,
  responseMode: ResponseMode,
  { kid, privateJwk }: Awaited<ReturnType<typeof createGeneration>>,
) {
  const parsed = parseAuthorizationResponse(new Map(form), { responseMode, ...responseEncryption })
  return parsed.ok && parsed.value.kind === 'encrypted'
    ? decryptResponse(parsed.value, { kid, privateJwk })
    : parsed
}

/** A wallet, and in place of HTTP the two endpoints it talks to. */
function serve(
  identity: VerifierIdentity,
  request: RequestObjectInput,
): { readonly wallet: Wallet; readonly posts: URLSearchParams[] } {
  const posts: URLSearchParams[] = []
  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const form = new URLSearchParams(typeof init.body === 'string' ? init.body : '')
    if (url === REQUEST_URI) {
      const walletNonce = form.get('wallet_nonce') ?? undefined
      const claims = buildRequestObject({ ...request, clientId: identity.clientId, walletNonce })
      const headers = { 'content-type': 'application/oauth-authz-req+jwt', 'cache-control': 'no-store' }
      return new Response(await signRequestObject(claims, identity), { headers })
    }
    if (url === `${BASE_URL}/.well-known/did.json`) return Response.json(verifier.didDocument)
    expect(url).toBe(RESPONSE_URI)
    posts.push(form)
    return Response.json({ redirect_uri: `${BASE_URL}/return` })
  }
  return {
    wallet: createWallet({
      fetch,
      verifierCa: verifier.ca,
      attestationIssuer: verifier.attester,
      now: () => NOW,
    }),
    posts,
  }
}
