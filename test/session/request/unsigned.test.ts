// A request by value (api/request): nothing of it can be fetched, not even at its address.

import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { decodeBase64url } from '../../../src/codec/base64url.ts'
import { createApp } from '../../../src/routes/app.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { makeHandle } from '../../../src/session/request/handles.ts'
import { REQUEST_PATH } from '../../../src/session/request/requests.ts'
import { call } from '../../routes/edge/edge-app.ts'
import { ask, createSession, poll, setUp, stubOf } from '../driver.ts'

const app = createApp()
const setting = await setUp()
const UNSIGNED = { request_options: { client_id_prefix: 'redirect_uri' } }

function documentOf(id: string): Promise<SessionDocument> {
  return runInDurableObject(
    stubOf(id),
    async (_, state) => state.storage.kv.get('session') as SessionDocument,
  )
}

it.each(['GET', 'POST'] as const)(
  'an unsigned request cannot be fetched: %s gets 404 as OAuth JSON, and the request is not marked as fetched',
  async (method) => {
    const { verification_id: id } = await createSession(setting, UNSIGNED)
    const { handle_key, generation_count } = await documentOf(id)
    const key = decodeBase64url(handle_key) ?? new Uint8Array()
    const path = `${REQUEST_PATH}${id.slice(2)}${await makeHandle(key, 'request', generation_count)}`
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await call(app, method, path, method === 'POST' ? { headers: form, body: '' } : {})
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: 'invalid_request', error_description: expect.any(String) },
    ])
    expect((await poll(setting, id)).stage).toBe('created')
  },
)

it('an unsigned request counts as handed out from its creation, and no signing key is stored', async () => {
  const { verification_id: id } = await createSession(setting, UNSIGNED)
  await ask(setting, 'GET', id, '/qr')
  const { generations, verifier } = await documentOf(id)
  expect(generations.map(({ handed_out_at, created_at }) => handed_out_at === created_at)).toEqual([
    true,
    true,
  ])
  expect(Object.keys(verifier)).toEqual(['client_id', 'sealed_signing_jwk'])
  expect(verifier.sealed_signing_jwk).toBeNull()
})

it('a session with an unsigned request keeps the client_id of the verifier after its end', async () => {
  const { verification_id: id, wallet_request } = await createSession(setting, UNSIGNED)
  await ask(setting, 'POST', id, '/cancel')
  expect((await documentOf(id)).verifier).toEqual({
    client_id: wallet_request.client_id,
    sealed_signing_jwk: null,
  })
})
