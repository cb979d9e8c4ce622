// api/logins: changes of a client that another isolate makes. This isolate keeps a copy for up to 60 s: a
// test changes the object itself, so that the copy is not dropped.

import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { at } from '../../workerd/clock.ts'
import {
  answer,
  authorize,
  begin,
  finish,
  newClient,
  openEnd,
  postForm,
  REQUEST,
  redeem,
  type TestClient,
  userInfoStatus,
} from './login-world.ts'

let setting: Setting
let client: TestClient

beforeEach(async () => {
  setting = await setUp()
  client = await newClient(setting)
})
afterEach(() => {
  vi.useRealTimers()
})

/** The object of the relying party, as another isolate calls it. */
const otherIsolate = () => relyingPartyStub(env, setting.relyingPartyId)!

it('a client that was deleted is refused by every endpoint after 60 s', async () => {
  const now = Date.now()
  at(now)
  const open = await answer(setting, await begin(client))
  const code = (await finish(client, await answer(setting, await begin(client)))).get('code') ?? ''
  const { tokens } = await redeem(client, code)
  const results = async () => ({
    authorize: (await authorize(client)).status,
    par: (await postForm(client, 'par', REQUEST)).status,
    token: (await redeem(client, 'none')).tokens.error,
    finish: (await openEnd(client, open)).status,
    userinfo: await userInfoStatus(client, tokens.access_token),
  })
  expect(await otherIsolate().deleteOidcClient(client.client_id)).toBe(true)
  const served = { authorize: 303, par: 201, token: 'invalid_grant', finish: 303, userinfo: 200 }
  expect(await results()).toEqual(served)
  at(now + 60_000)
  const refused = { authorize: 400, par: 401, token: 'invalid_client', finish: 404, userinfo: 401 }
  expect(await results()).toEqual(refused)
})

it('a created client works after 60 s, even if its client_id was used before the creation', async () => {
  const now = Date.now()
  at(now)
  const created = { ...client, client_id: `oc_${'a'.repeat(32)}` }
  const tokenError = async () => (await redeem(created, 'none')).tokens.error
  expect(await tokenError()).toBe('invalid_client')
  const found = await otherIsolate().oidcClient(client.client_id)
  if (!found.ok) throw new Error(found.error)
  await otherIsolate().addOidcClient({ ...found.value, client_id: created.client_id })
  expect(await tokenError()).toBe('invalid_client')
  at(now + 60_000)
  expect(await tokenError()).toBe('invalid_grant')
})
