import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { ask, createSession, fetchRequestRaw, setUp } from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()

const get = (address: string, options: { headers?: Record<string, string> } = {}) =>
  call(app, 'GET', address, options)

describe('the watch socket', () => {
  const upgrade = { Upgrade: 'websocket' }

  /** Opens the socket and collects its messages. */
  async function watch(address: string, headers: Record<string, string> = {}) {
    const response = await get(address, { headers: { ...upgrade, ...headers } })
    expect(response.status).toBe(101)
    const socket = response.webSocket!
    const messages: unknown[] = []
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve))
    socket.addEventListener('message', ({ data }) => {
      messages.push(JSON.parse(String(data)))
    })
    socket.accept()
    return { socket, messages, closed }
  }

  const addressOf = (session: { verification_id: string; client_token: string }) =>
    `/v1/verify/${session.verification_id}/watch?token=${session.client_token}`

  it('sends the current state first, then each change, and only what the public view contains', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const { verification_id, expires_at } = session
    const { socket, messages } = await watch(addressOf(session))
    const nothing = { wallet_activity: null, family: null }
    const view = { object: 'verification_state', verification_id, expires_at, ...nothing }
    await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT)
    expect(messages[0]).toEqual({ ...view, version: 1, status: 'pending', stage: 'created' })
    await fetchRequestRaw(session.wallet_request.request_uri)
    await vi.waitFor(() => expect(messages).toHaveLength(2), WAIT)
    const wallet_activity = { number: 1, at: expect.any(String), kind: 'request_fetched', family: null }
    const fetched = { version: 2, status: 'pending', stage: 'request_fetched', wallet_activity }
    expect(messages[1]).toEqual({ ...view, ...fetched })
    await ask(setting, 'POST', verification_id, '/cancel')
    await vi.waitFor(() => expect(messages).toHaveLength(3), WAIT)
    expect(messages[2]).toEqual({ ...view, version: 3, status: 'canceled', stage: 'done' })
    socket.close()
  })

  it('sends the outcome to a client that connects after the end of the session', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    await ask(setting, 'POST', session.verification_id, '/cancel')
    const { socket, messages } = await watch(addressOf(session))
    await vi.waitFor(() => expect(messages).toMatchObject([{ status: 'canceled' }]), WAIT)
    socket.close()
  })

  it('is closed when the session is erased', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const { closed } = await watch(addressOf(session))
    await ask(setting, 'DELETE', session.verification_id)
    expect(await closed).toMatchObject({ code: 1000, reason: 'erased' })
  })

  it('is closed when the client sends a message', async () => {
    const session = await createSession(await setUp())
    const { socket, closed } = await watch(addressOf(session))
    socket.send('hello')
    expect(await closed).toMatchObject({ code: 1008 })
  })

  it('accepts the server of the relying party', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    const { socket, messages } = await watch(`/v1/verify/${verification_id}/watch`, { ...setting.headers })
    await vi.waitFor(() => expect(messages).toMatchObject([{ status: 'pending' }]), WAIT)
    socket.close()
  })

  it('responds to another relying party as if the session did not exist', async () => {
    const session = await createSession(await setUp())
    const { headers } = await setUp()
    const foreign = await get(`/v1/verify/${session.verification_id}/watch`, {
      headers: { ...upgrade, ...headers },
    })
    const unknown = await get(`/v1/verify/v_${'A'.repeat(43)}/watch`, { headers: { ...upgrade, ...headers } })
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    const { request_id: _, ...problem } = await json(foreign)
    const { request_id: __, ...same } = await json(unknown)
    expect(problem).toEqual(same)
    expect(problem.code).toBe('verification_not_found')
  })

  it('responds 404 after the session was erased', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    await ask(setting, 'DELETE', session.verification_id)
    const response = await get(addressOf(session), { headers: upgrade })
    expect([response.status, (await json(response)).code]).toEqual([404, 'verification_not_found'])
  })

  it.each([
    ['a call without a token', '', 401, 'missing_token'],
    ['a wrong token', '?token=nonsense', 401, 'invalid_token'],
    ['another session’s client_token', '?token=other', 403, 'insufficient_scope'],
    ['an API key in the address', '?token=key', 401, 'invalid_token'],
  ])('rejects %s', async (_, query, status, code) => {
    const setting = await setUp()
    const [session, other] = await Promise.all([createSession(setting), createSession(setting)])
    const token = query
      .replace('=other', `=${other.client_token}`)
      .replace('=key', `=${setting.headers.Authorization?.slice('Bearer '.length)}`)
    const response = await get(`/v1/verify/${session.verification_id}/watch${token}`, { headers: upgrade })
    expect([response.status, (await json(response)).code]).toEqual([status, code])
  })

  it('responds 426 to a plain GET with a token', async () => {
    const address = addressOf(await createSession(await setUp()))
    const response = await get(address)
    expect([response.status, (await json(response)).code]).toEqual([426, 'upgrade_required'])
    expect(response.headers.get('Upgrade')).toBe('websocket') // RFC 9110 §15.5.22
    expect((await get(address.split('?')[0] ?? '')).status).toBe(401)
  })
})
