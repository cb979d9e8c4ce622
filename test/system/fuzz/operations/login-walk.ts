// Logins by OpenID Connect for the fuzz: clients of each kind, their requests, and the way of a browser to
// its code.

import { createHash, randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Random } from '../../../formats/sd-jwt-vc/random.ts'
import { AGE, certified, PID, presentationOf, queryFor } from '../../../support/people/person.ts'
import type { ReceivedRequest, Wallet } from '../../../support/people/wallet.ts'
import {
  ADULT,
  CALLBACK,
  type LoginBrowser,
  openLoginBrowser,
  type RegisteredClient,
  registerClient,
} from '../../../support/service/login.ts'
import { expectStatus, type RelyingParty } from '../../../support/service/service.ts'
import type { Scene } from '../targets.ts'

/** How a request authenticates its client. */
type Authentication = {
  readonly headers?: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
}

export type LiveClient = RegisteredClient & {
  readonly authenticate: () => Authentication | Promise<Authentication>
}

const PERSON = {
  name: 'person',
  credential_types: ['pid'],
  scope: ['personal_administrative_number', 'family_name', 'birthdate'],
  formats: ['dc+sd-jwt'],
}
const IDENTIFIERS = { personal_administrative_number: 'DE-123' }

const signingKey = generateKeyPair('ES256', { extractable: true })
const encryptionKey = generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })

/** Registers a client of each kind: of each authentication, `sub` and form of tokens. */
export async function registerClients(rp: RelyingParty): Promise<readonly LiveClient[]> {
  const sig = { ...(await exportJWK((await signingKey).publicKey)), kid: 'sig', use: 'sig', alg: 'ES256' }
  const enc = { ...(await exportJWK((await encryptionKey).publicKey)), kid: 'enc', use: 'enc' }
  const kinds = [
    { token_endpoint_auth_method: 'none', cross_device: false },
    {
      token_endpoint_auth_method: 'client_secret_basic',
      policies: [PERSON],
      subject: { type: 'pairwise', claims: ['personal_administrative_number'] },
      id_token_encrypted_response_alg: 'ECDH-ES',
      userinfo_encrypted_response_alg: 'ECDH-ES',
      jwks: { keys: [enc] },
    },
    {
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
      userinfo_signed_response_alg: 'ES256',
    },
    {
      token_endpoint_auth_method: 'private_key_jwt',
      policies: [ADULT, PERSON],
      require_pushed_authorization_requests: true,
      jwks: { keys: [sig] },
    },
  ]
  return Promise.all(
    kinds.map(async (members) => {
      const client = await registerClient(rp, members)
      return { ...client, authenticate: () => authenticate(client) }
    }),
  )
}

async function authenticate(client: RegisteredClient): Promise<Authentication> {
  const { client_id, client_secret = '', token_endpoint_auth_method: method } = client
  if (method === 'client_secret_basic')
    return { headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }, form: {} }
  if (method === 'client_secret_post') return { form: { client_id, client_secret } }
  if (method === 'none') return { form: { client_id } }
  const claims = { iss: client_id, sub: client_id, aud: client.issuer, jti: crypto.randomUUID() }
  const client_assertion = await new SignJWT(claims)
    .setExpirationTime('1m')
    .setProtectedHeader({ alg: 'ES256', kid: 'sig' })
    .sign((await signingKey).privateKey)
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  return { form: { client_assertion_type, client_assertion } }
}

export type AuthorizationRequest = {
  readonly parameters: Readonly<Record<string, string>>
  readonly verifier: string
}

/** Returns the parameters of an authorization request of a client. */
export function authorizationRequest(
  random: Random,
  { client_id, policies }: RegisteredClient,
): AuthorizationRequest {
  const verifier = randomBytes(32).toString('base64url')
  const policy = random.pick(policies as readonly { readonly name: string }[]).name
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    scope: random.pick(['openid', `openid ${policy}`, `${policy} openid profile email`]),
    state: randomBytes(9).toString('base64url'),
    nonce: randomBytes(9).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...random.pick(OPTIONS),
  }
  return { parameters, verifier }
}

const OPTIONS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { response_mode: 'query', ui_locales: 'fr-CA de en' },
  { prompt: 'login', max_age: '0', display: 'popup' },
  { acr_values: 'urn:wallet-verifier:assurance:low', login_hint: 'somebody' },
  {
    claims: JSON.stringify({
      id_token: { age_over_18: null },
      userinfo: {
        verified_claims: { verification: { trust_framework: null }, claims: { age_over_18: null } },
      },
    }),
  },
]

/** Pushes a request. Returns the parameters that the browser brings instead. */
export async function pushRequest(
  { service }: Pick<Scene, 'service'>,
  client: LiveClient,
  { parameters }: AuthorizationRequest,
): Promise<Readonly<Record<string, string>>> {
  const { headers, form } = await client.authenticate()
  const body = `${new URLSearchParams({ ...parameters, ...form })}`
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await service.fetch(`${client.issuer}/par`, {
    method: 'POST',
    headers: { ...type, ...headers },
    body,
  })
  const { request_uri } = (await expectStatus(answer, 201)) as { request_uri: string }
  return { client_id: client.client_id, request_uri }
}

/** A login whose wallet has responded. `finish`: the address that the browser opens next. */
export type Login = {
  readonly client: LiveClient
  readonly browser: LoginBrowser
  readonly finish: string
  readonly verifier: string
}

/**
 * Opens the page of a login, which has no session yet. `more`: further parameters of the request.
 */
export async function beginLogin(
  scene: Scene,
  client: LiveClient,
  random: Random,
  more: Readonly<Record<string, string>> = {},
) {
  const browser = openLoginBrowser(scene.service)
  const drawn = authorizationRequest(random, client)
  const request = { ...drawn, parameters: { ...drawn.parameters, ...more } }
  const mustPush = client.require_pushed_authorization_requests === true
  const sent = mustPush ? await pushRequest(scene, client, request) : request.parameters
  const begun = await browser.begin(`${client.issuer}/authorize?${new URLSearchParams(sent)}`)
  return { browser, begun, verifier: request.verifier }
}

/**
 * Walks a login to the address that ends it: request, page, link, wallet, return. `more`: further parameters
 * of the request.
 */
export async function logIn(
  scene: Scene & { readonly wallet: Wallet },
  client: LiveClient,
  random: Random,
  more: Readonly<Record<string, string>> = {},
): Promise<Login> {
  const { browser, begun, verifier } = await beginLogin(scene, client, random, more)
  const received = await scene.wallet.receive(await browser.link(begun))
  const response = await scene.wallet.present(received, await presentationsFor(scene, received))
  const { redirect_uri } = (await expectStatus(response, 200)) as { redirect_uri: string }
  return { client, browser, finish: await browser.comeBack(redirect_uri), verifier }
}

/** Presents the credential that a policy of these clients asks for. */
async function presentationsFor({ people }: Scene, received: ReceivedRequest) {
  const asksPerson = JSON.stringify(received.payload.dcql_query).includes(PID)
  const vct = asksPerson ? PID : AGE
  const { claims, ...signed } = certified(people.pki)
  const telling = { ...signed, claims: { ...claims, ...(asksPerson && IDENTIFIERS) } }
  return { [queryFor(received, vct)]: [await presentationOf(people.person, vct, received, telling)] }
}

/** Returns the form that redeems the code of a login. */
export async function codeForm({ client, browser, finish, verifier }: Login) {
  const code = (await browser.finish(finish)).searchParams.get('code') ?? ''
  const { headers, form } = await client.authenticate()
  const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }
  return { headers, form: { ...grant, ...form } }
}
