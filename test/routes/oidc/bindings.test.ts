// Bindings of a code and an access token (RFC 9700 §2.1, api/logins). The session's object checks them
// itself: at the endpoints, another check often refuses the same call first.

import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Redemption } from '../../../src/session/login/finish.ts'
import { type Setting, setUp, stubOf } from '../../session/driver.ts'
import { answer, begin, finish, newClient, redeem, type TestClient } from './login-world.ts'

const OTHER = `rp_${'A'.repeat(43)}`

let setting: Setting
let client: TestClient

beforeAll(async () => {
  setting = await setUp()
  client = await newClient(setting)
})

const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** Returns a browser whose wallet has answered, and its code. */
async function withCode() {
  const browser = await answer(setting, await begin(client))
  const code = (await finish(client, browser)).get('code') ?? ''
  return { browser, code, object: stubOf(browser.id) }
}

/** Returns bindings that change one thing in the redemption that reaches the object. */
function changing(changes: Partial<Redemption>): typeof env {
  const get = (id: DurableObjectId) => ({
    redeemLogin: (redemption: Redemption) =>
      env.VERIFICATION_SESSION.get(id).redeemLogin({ ...redemption, ...changes }),
  })
  const idFromString = (id: string) => env.VERIFICATION_SESSION.idFromString(id)
  return { ...env, VERIFICATION_SESSION: { idFromString, get } as never }
}

describe('a redemption is refused, and the client can still redeem the code, if the redemption has', () => {
  it.each<[string, Partial<Redemption>]>([
    ['another relying party', { relyingPartyId: OTHER }],
    ['another client', { clientId: `oc_${'a'.repeat(32)}` }],
    ['no authentication', { confidential: false }],
    ['another redirect_uri', { redirectUri: 'https://client.example/other' }],
    ['another challenge', { challenge: hashSecret('another verifier') }],
    ['no challenge', { challenge: null }],
    ['another secret', { code: hashSecret('another secret') }],
    ['a time that is 60 s ago', { issuedAt: Date.now() - 60_000 }],
  ])('%s', async (_, changes) => {
    const { code } = await withCode()
    const { tokens } = await redeem(client, code, client.client_secret, changing(changes))
    expect(tokens.error).toBe('invalid_grant')
    expect((await redeem(client, code)).status).toBe(200)
  })
})

it('a code that is bound to a key is refused without this key, and then still works with the key', async () => {
  const jkt = hashSecret('a key')
  const browser = await answer(setting, await begin(client, { dpop_jkt: jkt }))
  const code = (await finish(client, browser)).get('code') ?? ''
  const errorWith = async (changes: Partial<Redemption>) =>
    (await redeem(client, code, client.client_secret, changing(changes))).tokens.error
  expect(await errorWith({ jkt: hashSecret('another key') })).toBe('invalid_grant')
  expect(await errorWith({ jkt: null })).toBe('invalid_grant')
  expect(await errorWith({ jkt })).toBeUndefined()
})

it('a login ends only in the browser that began it, and only at its relying party', async () => {
  const { browser, object } = await withCode()
  const secret = /wv_login_[^=]+=([\w-]{43})/.exec(browser.cookies)?.[1] ?? ''
  const kindOf = async (relyingPartyId: string, digest: string) => {
    const found = await object.finishLogin(relyingPartyId, digest)
    return found.ok ? found.value.end.kind : found.error
  }
  expect(await kindOf(OTHER, hashSecret(secret))).toBe('not_found')
  expect(await kindOf(setting.relyingPartyId, hashSecret('another secret'))).toBe('not_found')
  expect(await kindOf(setting.relyingPartyId, hashSecret(secret))).toBe('code')
})

it('an access token works only at the UserInfo endpoint of its relying party', async () => {
  const { code, object } = await withCode()
  const { tokens } = await redeem(client, code)
  const isOpen = async (relyingPartyId: string, token: string) =>
    (await object.readUserInfo(relyingPartyId, hashSecret(token))).ok
  expect(await isOpen(OTHER, tokens.access_token)).toBe(false)
  expect(await isOpen(setting.relyingPartyId, `${tokens.access_token}x`)).toBe(false)
  expect((await object.readUserInfo(setting.relyingPartyId, hashSecret(tokens.access_token), 'key')).ok).toBe(
    false,
  )
  expect(await isOpen(setting.relyingPartyId, tokens.access_token)).toBe(true)
})
