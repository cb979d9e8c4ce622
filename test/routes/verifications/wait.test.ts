import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { longPoll } from '../../../src/routes/verifications/wait.ts'
import { watchAddress } from '../../../src/session/access.ts'
import { VerificationSession } from '../../../src/session/verification-session.ts'
import { ask, createSession, fetchRequest, goodResponse, post, setUp, stubOf } from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()
const setting = await setUp()

const watchers = (id: string) => runInDurableObject(stubOf(id), (_, state) => state.getWebSockets().length)

/** A call that still waits on the session's socket. */
async function waiting(id: string, query: string, init: RequestInit = {}): Promise<Promise<Response>[]> {
  const request = new Request(`https://verifier.example/v1/verify/${id}?${query}`, {
    headers: setting.headers,
    ...init,
  })
  const answer = Promise.resolve(app.request(request, undefined, env))
  await vi.waitFor(async () => expect(await watchers(id)).toBe(1), WAIT)
  return [answer]
}

describe('?wait', () => {
  it('responds at once if the version is higher than after_version', async () => {
    const { verification_id, version } = await createSession(setting)
    const watch = vi.spyOn(VerificationSession.prototype, 'fetch')
    const session = await json(ask(setting, 'GET', verification_id, `?wait=25&after_version=${version - 1}`))
    expect(session).toMatchObject({ status: 'pending', version })
    expect(watch).not.toHaveBeenCalled()
    watch.mockRestore()
  })

  it('responds at once if the session has ended, for any after_version', async () => {
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    const session = await json(ask(setting, 'GET', verification_id, '?wait=25&after_version=999'))
    expect(session.status).toBe('canceled')
  })

  it('responds as soon as the session changes, and leaves no socket open', async () => {
    const { verification_id, version, wallet_request } = await createSession(setting)
    const [answer] = await waiting(verification_id, `wait=25&after_version=${version}`)
    await fetchRequest(wallet_request.request_uri)
    const session = await json(answer as Promise<Response>)
    expect(session).toMatchObject({ status: 'pending', stage: 'request_fetched', version: version + 1 })
    await vi.waitFor(async () => expect(await watchers(verification_id)).toBe(0), WAIT)
  })

  it('ignores messages with a version that is not higher than after_version', async () => {
    const { verification_id, version, wallet_request } = await createSession(setting)
    const [answer] = await waiting(verification_id, `wait=25&after_version=${version + 1}`)
    const request = await fetchRequest(wallet_request.request_uri)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    expect(await json(answer as Promise<Response>)).toMatchObject({ status: 'verified' })
  })

  it('responds with the unchanged state after the waiting time', async () => {
    const { verification_id, version } = await createSession(setting)
    const session = await json(ask(setting, 'GET', verification_id, `?wait=1&after_version=${version}`))
    expect(session).toMatchObject({ status: 'pending', version })
    expect(await watchers(verification_id)).toBe(0)
  })

  it('waits for the next change of the session if there is no after_version', async () => {
    const { verification_id } = await createSession(setting)
    const [answer] = await waiting(verification_id, 'wait=25')
    await ask(setting, 'POST', verification_id, '/cancel')
    expect(await json(answer as Promise<Response>)).toMatchObject({ status: 'canceled' })
  })

  it('misses no change between its first read and the opening of its socket', async () => {
    const { verification_id } = await createSession(setting)
    const session = stubOf(verification_id)
    const by = { relyingPartyId: setting.relyingPartyId }
    let looks = 0
    const look = async () => {
      const found = await session.readPublic(by)
      looks += 1
      if (looks === 1) await session.cancel(setting.relyingPartyId)
      return found
    }
    const wait = { milliseconds: 25_000, afterVersion: null }
    const found = await longPoll(look, wait, { session, by, request: new AbortController() })
    expect(found.ok && JSON.parse(found.value.json)).toMatchObject({ status: 'canceled' })
  })

  it('responds after a second if too many callers are already waiting', async () => {
    const { verification_id } = await createSession(setting)
    const session = stubOf(verification_id)
    const address = watchAddress({ relyingPartyId: setting.relyingPartyId })
    const watch = () => session.fetch(address, { headers: { Upgrade: 'websocket' } })
    const sockets: WebSocket[] = []
    for (let watched = await watch(); watched.webSocket !== null; watched = await watch()) {
      watched.webSocket.accept()
      sockets.push(watched.webSocket)
    }
    const began = performance.now()
    expect(await json(ask(setting, 'GET', verification_id, '?wait=25'))).toMatchObject({ status: 'pending' })
    expect(performance.now() - began).toBeGreaterThan(900)
    for (const socket of sockets) socket.close()
  })

  it('closes its socket if the caller closes the connection', async () => {
    const { verification_id } = await createSession(setting)
    const caller = new AbortController()
    await waiting(verification_id, 'wait=25', { signal: caller.signal })
    caller.abort()
    await vi.waitFor(async () => expect(await watchers(verification_id)).toBe(0), WAIT)
  })

  it('gets 404 if the session is erased while it waits', async () => {
    const { verification_id } = await createSession(setting)
    const [answer] = await waiting(verification_id, 'wait=25')
    await ask(setting, 'DELETE', verification_id)
    expect((await answer)?.status).toBe(404)
  })

  it('returns only the public view to a client_token', async () => {
    const { verification_id, client_token } = await createSession(setting)
    const headers = { Authorization: `Bearer ${client_token}` }
    const [answer] = await waiting(verification_id, 'wait=25', { headers })
    await ask(setting, 'POST', verification_id, '/cancel')
    const session = await json(answer as Promise<Response>)
    expect(session.status).toBe('canceled')
    expect(session).not.toHaveProperty('scope')
  })

  it('opens no socket on another relying party’s session', async () => {
    const { verification_id } = await createSession(setting)
    const stranger = await setUp()
    expect((await ask(stranger, 'GET', verification_id, '?wait=25')).status).toBe(404)
    expect(await watchers(verification_id)).toBe(0)
  })

  it.each([
    ['wait=0', '/wait'],
    ['wait=26', '/wait'],
    ['wait=', '/wait'],
    ['wait=1.5', '/wait'],
    ['wait=%2B1', '/wait'],
    ['wait=01', '/wait'],
    ['wait=1&wait=1', '/wait'],
    ['wait=1&after_version=-1', '/after_version'],
    ['wait=1&after_version=1e3', '/after_version'],
    ['wait=1&after_version=', '/after_version'],
    ['wait=1&after_version=1234567890123456', '/after_version'],
    ['after_version=1', '/after_version'],
  ])('refuses %s', async (query, pointer) => {
    const { verification_id } = await createSession(setting)
    const response = await call(app, 'GET', `/v1/verify/${verification_id}?${query}`, {
      headers: setting.headers,
    })
    expect(response.status).toBe(400)
    expect(await json(response)).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] })
  })
})
