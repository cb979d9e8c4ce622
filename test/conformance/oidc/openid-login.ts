// Logins with `openid-client`, which discovers the issuer, builds the request and checks the response.

import * as client from 'openid-client'
import { ageOf, type Telling } from '../../support/people/person.ts'
import type { Presentations, ReceivedRequest } from '../../support/people/wallet.ts'
import {
  CALLBACK,
  type LoginBrowser,
  openLoginBrowser,
  type RegisteredClient,
} from '../../support/service/login.ts'
import type { Stage } from '../../support/service/stage.ts'

/** Sends the library's calls to the service. */
function transport({ service }: Pick<Stage, 'service'>): client.CustomFetch {
  return (url, { body, ...init }) => service.fetch(url, { ...init, body: body ?? null } as RequestInit)
}

export type Options = {
  readonly authentication?: client.ClientAuth
  readonly parameters?: Readonly<Record<string, string>>
  readonly pushed?: boolean
  readonly withoutPkce?: boolean
  readonly decrypt?: { readonly key: CryptoKey; readonly kid: string }
  readonly redirectUri?: string
  /** Key of the proofs (RFC 9449). */
  readonly dpop?: client.CryptoKeyPair
  readonly present?: (request: ReceivedRequest) => Promise<Presentations>
  readonly telling?: Telling
}

/** Discovers the issuer of a client. */
export async function discover(
  stage: Pick<Stage, 'service'>,
  registered: RegisteredClient,
  { authentication, decrypt }: Options = {},
): Promise<client.Configuration> {
  const { client_id, client_secret, issuer } = registered
  const metadata: Partial<client.ClientMetadata> = {
    id_token_signed_response_alg: String(registered.id_token_signed_response_alg),
    ...(registered.userinfo_signed_response_alg !== null && {
      userinfo_signed_response_alg: String(registered.userinfo_signed_response_alg),
    }),
  }
  const auth = authentication ?? (client_secret ? client.ClientSecretBasic(client_secret) : client.None())
  const config = await client.discovery(new URL(issuer), client_id, metadata, auth, {
    [client.customFetch]: transport(stage),
    algorithm: 'oidc',
  })
  config[client.customFetch] = transport(stage)
  // Without it the library trusts the connection to the token endpoint, and verifies no signature.
  client.enableNonRepudiationChecks(config)
  if (decrypt) client.enableDecryptingResponses(config, undefined, decrypt)
  return config
}

/** A request that a client built, and what it checks the response with. */
export type Request = {
  readonly config: client.Configuration
  readonly url: URL
  readonly verifier: string | undefined
  readonly nonce: string
  readonly state: string
  readonly proofs: client.DPoPOptions
}

/** Builds an authorization request. */
export async function request(
  stage: Pick<Stage, 'service'>,
  registered: RegisteredClient,
  options: Options = {},
): Promise<Request> {
  const config = await discover(stage, registered, options)
  const verifier = options.withoutPkce ? undefined : client.randomPKCECodeVerifier()
  const [nonce, state] = [client.randomNonce(), client.randomState()]
  const proofs = options.dpop ? { DPoP: client.getDPoPHandle(config, options.dpop) } : {}
  const parameters = {
    redirect_uri: options.redirectUri ?? CALLBACK,
    scope: 'openid',
    nonce,
    state,
    ...(verifier && {
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
    ...options.parameters,
  }
  const url = options.pushed
    ? await client.buildAuthorizationUrlWithPAR(config, parameters, proofs)
    : client.buildAuthorizationUrl(config, parameters)
  return { config, url, verifier, nonce, state, proofs }
}

/** Lets a wallet answer a link. Returns the address that it sends the person to. */
export async function respond(
  stage: Stage,
  uri: string,
  { present, telling }: Options = {},
): Promise<string> {
  const received = await stage.service.wallet.receive(uri)
  const presentations = present ? await present(received) : await ageOf(stage.person, received, telling)
  const response = await stage.service.wallet.present(received, presentations)
  return ((await response.json()) as { redirect_uri: string }).redirect_uri
}

/** Lets the wallet on the browser's device answer, and returns the browser to the client. */
export async function answer(
  stage: Stage,
  browser: LoginBrowser,
  url: string,
  options: Options = {},
): Promise<URL> {
  const begun = await browser.begin(url)
  const redirectUri = await respond(stage, await browser.link(begun), options)
  return browser.finish(await browser.comeBack(redirectUri))
}

/** Redeems the code that a browser brought, and reads UserInfo. */
export async function redeem({ config, verifier, nonce, state, proofs }: Request, response: URL) {
  const checks = {
    expectedNonce: nonce,
    expectedState: state,
    idTokenExpected: true,
    ...(verifier && { pkceCodeVerifier: verifier }),
  }
  const tokens = await client.authorizationCodeGrant(config, response, checks, undefined, proofs)
  const claims = tokens.claims() as Readonly<Record<string, unknown>> & client.IDToken
  const userInfo = await client.fetchUserInfo(config, tokens.access_token, claims.sub, proofs)
  return { tokens, claims, userInfo }
}

/** A whole login. */
export async function login(stage: Stage, registered: RegisteredClient, options: Options = {}) {
  const made = await request(stage, registered, options)
  const browser = openLoginBrowser(stage.service)
  const response = await answer(stage, browser, made.url.href, options)
  return { ...(await redeem(made, response)), response, browser, made }
}
