// api/logins: signatures of tokens, verified with the published keys by `oauth4webapi`, which uses no code
// of the service.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import {
  compactDecrypt,
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
} from 'jose'
import * as oauth from 'oauth4webapi'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Redemption } from '../../../src/session/login/finish.ts'
import { VerificationSession } from '../../../src/session/verification-session.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'
import {
  answer,
  app,
  begin,
  CALLBACK,
  finish,
  newClient,
  pathOf,
  redeem,
  type TestClient,
  VERIFIER,
} from './login-world.ts'

let setting: Setting

beforeAll(async () => {
  setting = await setUp()
})

/** Sends the library's calls to the service. */
const transport = {
  [oauth.customFetch]: async (url: string, { body, ...init }: { body?: unknown }) =>
    app.request(pathOf(url), { ...init, body: (body ?? null) as string | null }, env),
}

type Algorithms = Omit<oauth.Client, 'client_id'>

/** A whole login, with each signature verified. */
async function logIn(client: TestClient, algorithms: Algorithms, decrypt?: oauth.JweDecryptFunction) {
  const issuer = new URL(client.issuer)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...transport })
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const self = { client_id: client.client_id, ...algorithms }
  const back = await finish(client, await answer(setting, await begin(client)))
  const sent = await oauth.authorizationCodeGrantRequest(
    server,
    self,
    oauth.ClientSecretBasic(client.client_secret),
    oauth.validateAuthResponse(server, self, back, 's'),
    CALLBACK,
    VERIFIER,
    transport,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, self, sent, { requireIdToken: true })
  await oauth.validateApplicationLevelSignature(server, sent, transport)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  const shown = await oauth.userInfoRequest(server, self, tokens.access_token, transport)
  const jwe = decrypt && { [oauth.jweDecrypt]: decrypt }
  const userInfo = await oauth.processUserInfoResponse(server, self, claims?.sub ?? '', shown, jwe)
  await oauth.validateApplicationLevelSignature(server, shown, transport)
  return { claims, userInfo, server }
}

describe.each(['ES256', 'RS256'])('the algorithm %s', (alg) => {
  it('can sign the ID token and UserInfo', async () => {
    const members = { id_token_signed_response_alg: alg, userinfo_signed_response_alg: alg }
    const { claims, userInfo } = await logIn(await newClient(setting, members), members)
    for (const found of [claims, userInfo]) expect(found).toMatchObject({ age_over_18: true })
  })

  it('of the ID token also signs encrypted UserInfo if the client sets no userinfo_signed_response_alg', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { extractable: true })
    const idToken = { id_token_signed_response_alg: alg }
    const client = await newClient(setting, {
      ...idToken,
      userinfo_encrypted_response_alg: 'ECDH-ES',
      jwks: { keys: [await exportJWK(publicKey)] },
    })
    const decrypt = async (jwe: string) =>
      new TextDecoder().decode((await compactDecrypt(jwe, privateKey)).plaintext)
    const algorithms = { ...idToken, userinfo_signed_response_alg: alg }
    const { userInfo, server } = await logIn(client, algorithms, decrypt)
    expect(userInfo).toMatchObject({ age_over_18: true, iss: server.issuer, aud: client.client_id })
  })
})

describe('a key that is added to OIDC_KEYS, which already has a key of the same type,', () => {
  const [es256, rs256] = (JSON.parse(env.OIDC_KEYS ?? '') as JSONWebKeySet).keys

  /** Bindings of the service after a start with these keys. Its objects start anew with them. */
  function startedWith(keys: readonly object[]): typeof env {
    const bindings = { ...env, OIDC_KEYS: JSON.stringify({ keys }) }
    const get = (id: DurableObjectId) => ({
      redeemLogin: (redemption: Redemption) =>
        runInDurableObject(env.VERIFICATION_SESSION.get(id), (_, state) =>
          new VerificationSession(state, bindings).redeemLogin(redemption),
        ),
    })
    const idFromString = (id: string) => env.VERIFICATION_SESSION.idFromString(id)
    return { ...bindings, VERIFICATION_SESSION: { idFromString, get } as never }
  }

  /** Returns the ID token of a login whose code is redeemed by a service with these bindings. */
  async function idTokenFrom(client: TestClient, bindings: typeof env): Promise<string> {
    const back = await finish(client, await answer(setting, await begin(client)))
    const { tokens } = await redeem(client, back.get('code') ?? '', client.client_secret, bindings)
    return tokens.id_token
  }

  const keysOf = (client: TestClient, bindings: typeof env): Promise<JSONWebKeySet> =>
    json(call(app, 'GET', `${pathOf(client.issuer)}/jwks`, { env: bindings }))

  const verify = (token: string, keys: JSONWebKeySet) =>
    jwtVerify(token, createLocalJWKSet(keys), { algorithms: ['ES256'] })

  const { d: _, ...retired } = es256!

  it.each<[string, (added: JWK) => readonly JWK[]]>([
    ['in front of a private key', (added) => [added, es256!, rs256!]],
    ['behind a retired key', (added) => [retired, added, rs256!]],
  ])('%s signs new tokens, and older tokens still verify', async (_, keys) => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const after = startedWith(keys({ ...(await exportJWK(privateKey)), kid: 'added' }))
    const client = await newClient(setting, { id_token_signed_response_alg: 'ES256' })
    const [older, newer] = [await idTokenFrom(client, env), await idTokenFrom(client, after)]
    const [before, now] = [await keysOf(client, env), await keysOf(client, after)]

    expect([older, newer].map((token) => decodeProtectedHeader(token).kid)).toEqual(['oidc-es256', 'added'])
    expect(now.keys.map(({ kid }) => kid).sort()).toEqual(['added', 'oidc-es256', 'oidc-rs256'])
    expect(now.keys.flatMap(Object.keys)).not.toContain('d')
    for (const token of [older, newer])
      expect((await verify(token, now)).payload).toMatchObject({ iss: client.issuer, age_over_18: true })
    await expect(verify(newer, before)).rejects.toThrow('no applicable key')
  })

  it('is published but signs no tokens if it is behind a private key of the same type', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const next = { ...(await exportJWK(privateKey)), kid: 'next' }
    const bindings = startedWith([es256!, next, rs256!])
    const client = await newClient(setting, { id_token_signed_response_alg: 'ES256' })
    const token = await idTokenFrom(client, bindings)
    expect(decodeProtectedHeader(token).kid).toBe('oidc-es256')
    const { keys } = await keysOf(client, bindings)
    expect(keys.map(({ kid }) => kid)).toEqual(['oidc-es256', 'next', 'oidc-rs256'])
  })
})
