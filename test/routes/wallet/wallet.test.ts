import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import {
  createSession,
  fetchRequest,
  goodResponse,
  poll,
  postIntoFault,
  setUp,
  stubOf,
} from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()

afterEach(() => {
  vi.restoreAllMocks()
})

it("api/protocols: a wallet gets an OAuth error even if the service fails, and the log contains no part of the wallet's response", async () => {
  const setting = await setUp()
  const { verification_id, wallet_request } = await createSession(setting)
  const answer = await goodResponse(setting, await fetchRequest(wallet_request.request_uri))
  const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
  await runInDurableObject(stubOf(verification_id), (_, state) => {
    vi.spyOn(state.storage.kv, 'put').mockImplementationOnce(() => {
      throw new Error(`canary ${answer.state}`)
    })
  })
  const response = await postIntoFault(verification_id, answer)
  expect(response.status).toBe(500)
  expect(response.headers.get('Content-Type')).toBe('application/json')
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(await response.json()).toEqual({
    error: 'server_error',
    error_description: 'The service failed: try again.',
  })
  const entries = log.mock.calls.map(([entry]) => String(entry))
  expect(entries.map((entry) => JSON.parse(entry))).toMatchObject([{ event: 'fault', unreachable: false }])
  expect(entries.join()).not.toContain(answer.state)
})

it('api/access, api/protocols: HEAD gets 405 with the headers of an OAuth error and no body, and the session stays in the stage created', async () => {
  const setting = await setUp()
  const { verification_id, wallet_request } = await createSession(setting)
  const request = wallet_request.request_uri.slice('https://verifier.example'.length)
  const allowed = { [request]: 'GET, POST', [`/v1/verify/${verification_id}/callback`]: 'POST' }
  for (const [path, allow] of Object.entries(allowed)) {
    const response = await call(app, 'HEAD', path)
    expect(response.status).toBe(405)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      allow,
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'content-type': 'application/json',
    })
    expect(await response.text()).toBe('')
  }
  expect((await call(app, 'HEAD', '/r/nothing/here')).status).toBe(404)
  expect((await poll(setting, verification_id)).stage).toBe('created')
})

it('api/protocols: a wallet gets the same refusal if the texts of the service cannot be read, but with the error kind as description', async () => {
  const { verification_id } = await createSession(await setUp())
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const refused = async (path: string, body: string, bindings: typeof env) => {
    const response = await call(app, 'POST', path, { headers, body, env: bindings })
    const { 'x-request-id': _, 'content-length': __, ...rest } = Object.fromEntries(response.headers)
    const answer = (await response.json()) as { error: string; error_description: string }
    return { status: response.status, headers: rest, ...answer }
  }
  const fetch = () => Promise.reject(new Error('no assets'))
  const without = { ...env, ASSETS: { ...env.ASSETS, fetch } as typeof env.ASSETS }
  const callback = `/v1/verify/${verification_id}/callback`
  const calls = [
    ['/v1/verify/v_none/callback', 'state=s', 'unknown'],
    [callback, 'state=s&state=s', 'parameters'],
    [callback, 'state=s&vp_token=%7B%7D', 'state'],
  ] as const
  for (const [path, body, kind] of calls) {
    const usual = await refused(path, body, env)
    expect(usual.error_description).toMatch(/^[A-Z].*\.$/)
    expect(await refused(path, body, without)).toEqual({ ...usual, error_description: kind })
  }
})
