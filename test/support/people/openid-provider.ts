// An OpenID Provider of an organisation, whose tokens jose signs. It has one client and one account. A test
// changes one thing of a good response by `faults`.

import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

type Claims = JWTPayload & { readonly [name: string]: unknown }

/** Each member replaces one part of a good response. */
export type Faults = {
  readonly metadata?: object
  readonly claims?: (claims: Claims) => object
  /** Makes the ID token of the claims. */
  readonly sign?: (claims: Claims) => Promise<string> | string
  readonly keys?: readonly object[]
  readonly tokenResponse?: () => Response
  /** Parameters of the redirect back. */
  readonly redirect?: Readonly<Record<string, string | null>>
}

type Grant = { readonly challenge: string; readonly redirectUri: string; readonly claims: Claims }

export const CLIENT = { client_id: 'console', client_secret: 'a secret: with / and %' }

export async function createOpenIdProvider(issuer: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Grant>()
  const provider = {
    issuer,
    privateKey,
    publicJwk: jwk,
    faults: {} as Faults,
    /** Claims of the account. */
    account: {
      sub: 'sub-1',
      preferred_username: 'ada',
      email: 'ada@shop.example',
      roles: ['support'],
    } as object,
    /** Time of the account's last authentication in Unix seconds; `undefined`: not in the token. */
    authTime: undefined as number | undefined,
    requests: [] as string[],
    now: () => Math.floor(Date.now() / 1000),

    /** The person's browser opens the authorization URL. Returns the address that it is sent back to. */
    authorize: (authorizationUrl: string): string => {
      const asked = new URL(authorizationUrl).searchParams
      const text = (name: string) => asked.get(name) ?? ''
      const code = `code-${grants.size + 1}`
      const iat = provider.now()
      const isFresh = asked.get('prompt') === 'login'
      const auth_time = isFresh ? iat : provider.authTime
      const times = { iat, exp: iat + 300, ...(auth_time !== undefined && { auth_time }) }
      const claims = {
        iss: issuer,
        aud: text('client_id'),
        nonce: text('nonce'),
        ...times,
        ...provider.account,
      }
      grants.set(code, { challenge: text('code_challenge'), redirectUri: text('redirect_uri'), claims })
      const back = new URL(text('redirect_uri'))
      const parameters = { code, state: text('state'), iss: issuer, ...provider.faults.redirect }
      for (const [name, value] of Object.entries(parameters))
        if (value !== null) back.searchParams.set(name, value)
      return back.href
    },

    /** Answers a request; `undefined` for an address of another host. */
    handle: async (request: Request): Promise<Response | undefined> => {
      if (!request.url.startsWith(`${issuer}/`)) return undefined
      const { pathname } = new URL(request.url)
      const path = pathname.slice(new URL(issuer).pathname.replace(/\/$/, '').length)
      provider.requests.push(path)
      if (path === '/.well-known/openid-configuration') return Response.json(metadata())
      if (path === '/jwks') return Response.json({ keys: provider.faults.keys ?? [jwk] })
      if (path === '/token') return provider.faults.tokenResponse?.() ?? token(request)
      if (path === '/authorize') return Response.redirect(provider.authorize(request.url), 303)
      return new Response('Signed out of the provider', { headers: { 'content-type': 'text/html' } })
    },
  }

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/logout`,
    authorization_response_iss_parameter_supported: true,
    ...provider.faults.metadata,
  })

  const token = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()))
    const encoded = Object.values(CLIENT).map((value) => encodeURIComponent(value).replaceAll('%20', '+'))
    const expected = `Basic ${btoa(encoded.join(':'))}`
    if (request.headers.get('authorization') !== expected)
      return Response.json({ error: 'invalid_client' }, { status: 401 })
    const grant = grants.get(form.get('code') ?? '')
    grants.delete(form.get('code') ?? '')
    const verifier = new TextEncoder().encode(form.get('code_verifier') ?? '')
    const challenge = base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', verifier)))
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const claims = { ...grant.claims, ...provider.faults.claims?.(grant.claims) }
    const id_token = await (provider.faults.sign ?? sign)(claims)
    return Response.json({ access_token: 'unused', token_type: 'Bearer', id_token })
  }

  const sign = (claims: Claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey)

  return provider
}

export type OpenIdProvider = Awaited<ReturnType<typeof createOpenIdProvider>>
