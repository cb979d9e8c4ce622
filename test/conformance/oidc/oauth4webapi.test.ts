// api/logins with `oauth4webapi`, which has no configuration: each step is a call of its own.

import { exportJWK, generateKeyPair } from 'jose'
import * as oauth from 'oauth4webapi'
import { expect, it } from 'vitest'
import {
  CALLBACK,
  openLoginBrowser,
  type RegisteredClient,
  registerClient,
} from '../../support/service/login.ts'
import { useStage } from '../../support/service/stage.ts'
import { answerAsPerson, PERSON } from './credentials.ts'
import { answer, type Options } from './openid-login.ts'

const stage = useStage()

const transport = {
  [oauth.customFetch]: (url: string, { body, ...init }: { body?: unknown }) =>
    stage.service.fetch(url, { ...init, body: (body ?? null) as string | null }),
}

type Steps = {
  readonly authentication: oauth.ClientAuth
  readonly pushed?: boolean
  readonly options?: Options
  readonly decrypt?: oauth.JweDecryptFunction
  /** Key of the proofs (RFC 9449). */
  readonly key?: oauth.CryptoKeyPair
}

/** A whole login. */
async function login(registered: RegisteredClient, { authentication, pushed, options, decrypt, key }: Steps) {
  const issuer = new URL(registered.issuer)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...transport })
  const as = await oauth.processDiscoveryResponse(issuer, discovered)
  const client: oauth.Client = {
    client_id: registered.client_id,
    id_token_signed_response_alg: String(registered.id_token_signed_response_alg),
    ...(registered.userinfo_signed_response_alg !== null && {
      userinfo_signed_response_alg: String(registered.userinfo_signed_response_alg),
    }),
  }
  const dpop = key && oauth.DPoP(client, key)
  const sending = { ...transport, ...(dpop && { DPoP: dpop }) }
  const verifier = oauth.generateRandomCodeVerifier()
  const [nonce, state] = [oauth.generateRandomNonce(), oauth.generateRandomState()]
  const parameters = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    nonce,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const url = new URL(as.authorization_endpoint ?? '')
  url.search = parameters.toString()
  if (pushed) {
    const response = await oauth.pushedAuthorizationRequest(as, client, authentication, parameters, sending)
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response)
    url.search = new URLSearchParams({ client_id: client.client_id, request_uri }).toString()
  }
  const back = await answer(stage, openLoginBrowser(stage.service), url.href, options)
  const checked = oauth.validateAuthResponse(as, client, back, state)
  const sent = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    checked,
    CALLBACK,
    verifier,
    sending,
  )
  const jwe = decrypt && { [oauth.jweDecrypt]: decrypt }
  const expected = { expectedNonce: nonce, requireIdToken: true, ...jwe }
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, sent, expected)
  await oauth.validateApplicationLevelSignature(as, sent, transport)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  const answered = await oauth.userInfoRequest(as, client, tokens.access_token, sending)
  const userInfo = await oauth.processUserInfoResponse(as, client, claims?.sub ?? '', answered, jwe)
  return { claims, userInfo, tokenType: tokens.token_type }
}

it('a client with a secret logs a person in by code and PKCE', async () => {
  const registered = await registerClient(stage.rp)
  const authentication = oauth.ClientSecretBasic(registered.client_secret ?? '')
  const { claims, userInfo } = await login(registered, { authentication })
  expect(claims).toMatchObject({ age_over_18: true, iss: registered.issuer })
  expect(userInfo).toMatchObject({ age_over_18: true, sub: claims?.sub })
})

it('a public client logs a person in by a pushed request', async () => {
  const registered = await registerClient(stage.rp, { token_endpoint_auth_method: 'none' })
  const { claims } = await login(registered, { authentication: oauth.None(), pushed: true })
  expect(claims).toMatchObject({ age_over_18: true, session_binding: 'page' })
})

it('a client with its own key pushes its request and gets signed UserInfo', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const registered = await registerClient(stage.rp, {
    token_endpoint_auth_method: 'private_key_jwt',
    require_pushed_authorization_requests: true,
    userinfo_signed_response_alg: 'ES256',
    jwks: { keys: [await exportJWK(publicKey)] },
  })
  const authentication = oauth.PrivateKeyJwt(privateKey)
  const { userInfo } = await login(registered, { authentication, pushed: true })
  expect(userInfo).toMatchObject({ age_over_18: true, iss: registered.issuer, aud: registered.client_id })
})

it('a client with private_key_jwt gets an access token that is bound to its DPoP key, as FAPI 2.0 requires', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const registered = await registerClient(stage.rp, {
    token_endpoint_auth_method: 'private_key_jwt',
    require_pushed_authorization_requests: true,
    dpop_bound_access_tokens: true,
    jwks: { keys: [await exportJWK(publicKey)] },
  })
  const authentication = oauth.PrivateKeyJwt(privateKey)
  for (const alg of ['ES256', 'PS256'] as const) {
    const key = await oauth.generateKeyPair(alg)
    const { userInfo, tokenType } = await login(registered, { authentication, pushed: true, key })
    expect(tokenType).toBe('dpop')
    expect(userInfo).toMatchObject({ age_over_18: true })
  }
})

it('an encrypted ID token and encrypted UserInfo contain the values of the claims', async () => {
  const { compactDecrypt } = await import('jose')
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { extractable: true })
  const registered = await registerClient(stage.rp, {
    policies: [PERSON],
    id_token_encrypted_response_alg: 'ECDH-ES',
    userinfo_encrypted_response_alg: 'ECDH-ES',
    userinfo_signed_response_alg: 'RS256',
    jwks: { keys: [{ ...(await exportJWK(publicKey)), use: 'enc' }] },
  })
  const decrypt = async (jwe: string) =>
    new TextDecoder().decode((await compactDecrypt(jwe, privateKey)).plaintext)
  const { claims, userInfo } = await login(registered, {
    authentication: oauth.ClientSecretBasic(registered.client_secret ?? ''),
    options: { present: answerAsPerson(stage) },
    decrypt,
  })
  for (const found of [claims, userInfo]) expect(found).toMatchObject({ family_name: 'Mustermann' })
})
