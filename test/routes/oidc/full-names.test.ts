// api/logins: the names of a relying party that are stored once, while the limit of one kind is reached.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeEach, expect, it } from 'vitest'
import errors from '../../../assets/oauth-errors.json'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import {
  app,
  newClient,
  openPage,
  pathOf,
  push,
  REQUEST,
  redemptionOf,
  sendForm,
  type TestClient,
} from './login-world.ts'

const LIMIT = 20_000

let setting: Setting
let keyed: TestClient
let keys: CryptoKeyPair

beforeEach(async () => {
  setting = await setUp()
  keys = await generateKeyPair('ES256')
  const jwks = { keys: [await exportJWK(keys.publicKey)] }
  keyed = await newClient(setting, { token_endpoint_auth_method: 'private_key_jwt', jwks })
})

/** Stores names in the object of the relying party. The object starts again, and counts them. */
async function fill(kind: string): Promise<void> {
  const stub = relyingPartyStub(env, setting.relyingPartyId)!
  await stub.storeOnce('jti/first', '', { isAuthenticated: true, expiresAt: Date.now() + 60_000 })
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO oidc_once SELECT ? || i, '', ? FROM n`,
      ...[LIMIT, `${kind}/`, Date.now() + 60_000],
    )
  })
  await evictDurableObject(stub)
}

/** Posts a form with a new assertion. Returns the status and the body. */
async function post(endpoint: 'par' | 'token', form: Readonly<Record<string, string>>) {
  const { client_id, issuer } = keyed
  const exp = Math.floor(Date.now() / 1000) + 60
  const claims = { iss: client_id, sub: client_id, aud: issuer, exp, jti: crypto.randomUUID() }
  const assertion = new SignJWT(claims).setProtectedHeader({ alg: 'ES256' })
  const body = {
    ...form,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await assertion.sign(keys.privateKey),
  }
  const response = await call(app, 'POST', `${pathOf(issuer)}/${endpoint}`, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `${new URLSearchParams(body)}`,
  })
  return [response.status, ((await response.json()) as { error?: string }).error]
}

it('a new assertion that cannot be stored gets the error temporarily_unavailable, not the error for a used assertion', async () => {
  await fill('jti')
  const { status, error } = errors.oidc.unavailable
  expect([status, error]).toEqual([503, 'temporarily_unavailable'])
  expect(await post('token', redemptionOf('none'))).toEqual([status, error])
})

it('a new pushed request is accepted at the limit of opened pushed requests, and an assertion at the limit of new pushed requests', async () => {
  await fill('kept/par')
  expect(await post('par', REQUEST)).toEqual([201, undefined])
  await fill('par')
  expect(await post('token', redemptionOf('none'))).toEqual([400, 'invalid_grant'])
  expect(await post('par', REQUEST)).toEqual([503, 'temporarily_unavailable'])
})

it('a login begins even if its opened pushed request cannot be stored, but a request that is too long for the page address gets 503', async () => {
  const client = await newClient(setting)
  await fill('kept/par')
  const visit = async (parameters: object) => {
    const query = { client_id: client.client_id, request_uri: await push(client, parameters) }
    return openPage(client, query)
  }
  expect((await sendForm(await visit({}))).status).toBe(303)
  const claims = JSON.stringify({ id_token: { ['x'.repeat(6000)]: null, age_over_18: null } })
  const query = new URLSearchParams({
    client_id: client.client_id,
    request_uri: await push(client, { claims }),
  })
  const page = await call(app, 'GET', `${pathOf(client.issuer)}/authorize?${query}`)
  expect([page.status, page.headers.get('Content-Type')]).toEqual([503, 'text/html; charset=UTF-8'])
})
