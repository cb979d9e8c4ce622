// Logins by OpenID Connect with a canary in every claim. Their codes, tokens and secrets are added to those
// that are searched for.

import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { expect } from 'vitest'
import { answerAsPerson, PERSON } from '../../conformance/oidc/credentials.ts'
import { login, type Options, request } from '../../conformance/oidc/openid-login.ts'
import {
  CALLBACK,
  openLoginBrowser,
  type RegisteredClient,
  registerClient,
} from '../../support/service/login.ts'
import type { RelyingParty } from '../../support/service/service.ts'
import type { Stage } from '../../support/service/stage.ts'

/** The service, and what is searched for. `claims`: canaries, `family_name` among them. */
export type Logins = {
  readonly stage: Stage
  readonly rp: RelyingParty
  readonly ids: string[]
  readonly secrets: Record<string, string>
  readonly claims: { readonly family_name: string }
}

/** Keys of clients: each type, with one of the two algorithms for the content. */
export const CLIENT_KEYS = [
  ['ECDH-ES', 'A256GCM'],
  ['RSA-OAEP-256', 'A128GCM'],
] as const

/** The client alone gets the values. Its `sub` is made from one of them. */
export async function logInWithEncryptedTokens(
  logins: Logins,
  [algorithm, encryption]: (typeof CLIENT_KEYS)[number],
): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const registered = await registerClient(logins.rp, {
    ...PAIRWISE_CLIENT,
    id_token_encrypted_response_alg: algorithm,
    id_token_encrypted_response_enc: encryption,
    userinfo_encrypted_response_alg: algorithm,
    userinfo_encrypted_response_enc: encryption,
    userinfo_signed_response_alg: 'ES256',
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'rp' }] },
  })
  const decrypt = { key: privateKey, kid: 'rp' }
  const { family_name } = logins.claims
  const wanted = {
    verification: { trust_framework: null },
    claims: { family_name: { values: [EXPECTED, family_name] }, given_name: { value: EXPECTED } },
  }
  // The `sub` of the login before: both clients are of one relying party.
  const sub = logins.secrets[PAIRWISE] ? { value: logins.secrets[PAIRWISE] } : null
  const id_token = { sub, family_name: null, verified_claims: wanted }
  const parameters = { claims: JSON.stringify({ id_token }) }
  const { claims, userInfo } = await logIn(logins, registered, { decrypt, parameters, pushed: true })
  expect([claims.family_name, userInfo.family_name]).toEqual([family_name, family_name])
  expect(claims.verified_claims).toMatchObject({ claims: { family_name } })
  logins.secrets[PAIRWISE] = claims.sub
  logins.secrets['value that a client expects'] = EXPECTED
}

const PAIRWISE = 'pairwise sub'
const EXPECTED = `CANARY-expected-${randomBytes(9).toString('hex')}`

const NUMBER = 'personal_administrative_number'
const PAIRWISE_CLIENT = {
  policies: [{ ...PERSON, scope: [...PERSON.scope, NUMBER] }],
  subject: { type: 'pairwise', claims: [NUMBER] },
}

/** Returns the tokens, which have no values but the pairwise `sub`. */
export async function logInWithoutEncryption(logins: Logins): Promise<string> {
  const registered = await registerClient(logins.rp, PAIRWISE_CLIENT)
  const { claims, userInfo } = await logIn(logins, registered)
  expect(claims.sub).toBe(logins.secrets[PAIRWISE])
  return JSON.stringify([claims, userInfo])
}

/** Sends junk in the place of every code, token and secret. Returns the refusals. */
export async function refusedLogins({ stage, rp, ids, secrets }: Logins, junk: string) {
  const registered = await registerClient(rp, { policies: [PERSON] })
  const { client_id, client_secret = '', issuer } = registered
  const { url } = await request(stage, registered)
  const browser = openLoginBrowser(stage.service)
  const begun = await browser.start(await browser.begin(url.href))
  ids.push(begun.verification_id)
  secrets[`client token ${ids.length}`] = begun.token
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code: junk }
  const more = { client_assertion: junk, client_secret: junk, code_verifier: junk }
  const calls: readonly (readonly [path: string, form: Record<string, string>, authorization: string])[] = [
    ['token', form, basic(client_id, client_secret)],
    ['token', form, basic(client_id, junk)],
    ['token', { ...form, ...more, client_id }, ''],
    ['par', { ...form, scope: junk, state: junk }, basic(client_id, client_secret)],
    ['userinfo', {}, `Bearer ${junk}`],
  ]
  const refusals: string[] = []
  for (const [path, body, authorization] of calls) {
    const response = await stage.service.fetch(`${issuer}/${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        ...(authorization !== '' && { Authorization: authorization }),
      },
      body: `${new URLSearchParams(body)}`,
    })
    expect(response.status, path).toBeGreaterThanOrEqual(400)
    refusals.push(await response.text())
  }
  return refusals
}

/** A whole login. */
async function logIn(logins: Logins, registered: RegisteredClient, options: Options = {}) {
  const { stage, ids, secrets } = logins
  const claims = { ...logins.claims, [NUMBER]: logins.claims.family_name }
  const present = answerAsPerson(stage, { claims })
  const made = await login(stage, registered, { ...options, present })
  const [id = '', , code = '', mac = ''] = (made.response.searchParams.get('code') ?? '').split('.')
  ids.push(`v_${id}`)
  for (const [name, value] of made.browser.cookies) secrets[`cookie ${name}`] = value
  secrets[`code ${ids.length}`] = code
  secrets[`MAC of the code ${ids.length}`] = mac
  secrets[`access token of the login ${ids.length}`] = made.tokens.access_token.split('.')[1] ?? ''
  secrets[`client secret ${ids.length}`] = registered.client_secret ?? ''
  secrets[`code verifier ${ids.length}`] = made.made.verifier ?? ''
  return made
}

function basic(clientId: string, secret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
}
