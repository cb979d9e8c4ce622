// Events of steps (api/webhooks): off by default, in order, at most ten, and never in the way of an outcome.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import { EventLog } from '../../../src/relying-party/event-log.ts'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { createApp } from '../../../src/routes/app.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { call } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import {
  ask,
  createSession,
  fetchedSession,
  goodResponse,
  post,
  type Setting,
  setUp,
  stubOf,
} from '../driver.ts'

const app = createApp()
const STEPS = ['verification.created', 'verification.request_fetched', 'verification.response_refused']
const URL_OF_HOOK = 'http://127.0.0.1:9/hook'

type SentEvent = Readonly<Record<string, unknown>> & {
  readonly event_type: string
  readonly sequence: number
}

/** A request as the receiver got it. */
type SentRequest = { readonly body: string; readonly headers: Record<string, string> }

startAtNoon()

/** Returns the events that a receiver gets. `respond` is its response. */
function receive(
  respond: (event: SentEvent) => Promise<Response> | Response,
  requests: SentRequest[] = [],
): SentEvent[] {
  const sent: SentEvent[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const body = String(init?.body)
    requests.push({ body, headers: Object.fromEntries(new Headers(init?.headers)) })
    const event = JSON.parse(body) as SentEvent
    sent.push(event)
    return respond(event)
  })
  return sent
}

const accept = () => new Response(null, { status: 204 })

async function refuse(setting: Setting, { id, request }: Awaited<ReturnType<typeof fetchedSession>>) {
  const response = await goodResponse(setting, { ...request, nonce: 'another nonce' })
  expect((await post(id, response)).status).toBe(400)
}

async function logged(setting: Setting): Promise<readonly SentEvent[]> {
  const response = await call(app, 'GET', '/v1/events', { headers: setting.headers })
  return ((await response.json()) as { events: SentEvent[] }).events
}

function stepLogOf(id: string) {
  return runInDurableObject(
    stubOf(id),
    (_, { storage }) => storage.kv.get<SessionDocument>('session')?.pending_step_log,
  )
}

const namesOf = (events: readonly SentEvent[]) => events.map(({ event_type }) => event_type)

describe('a webhook that subscribes to steps', () => {
  const setUpSteps = () =>
    setUp({ webhook: { url: URL_OF_HOOK, events: [...STEPS, 'verification.verified'] } })

  it('receives each step once and then the outcome, with increasing sequence numbers and valid signatures', async () => {
    const requests: SentRequest[] = []
    const sent = receive(accept, requests)
    const setting = await setUpSteps()
    const session = await fetchedSession(setting, { metadata: { order: '4711' } })
    await refuse(setting, session)
    expect((await post(session.id, await goodResponse(setting, session.request))).status).toBe(200)
    await vi.waitFor(() => expect(sent).toHaveLength(4), WAIT)
    const bySequence = sent.toSorted((a, b) => a.sequence - b.sequence)
    expect(bySequence).toMatchObject([
      { event_type: STEPS[0], sequence: 1, status: 'pending', attempt_count: 0, reason: null },
      { event_type: STEPS[1], sequence: 2, status: 'pending', attempt_count: 0, reason: null },
      {
        event_type: STEPS[2],
        sequence: 3,
        status: 'pending',
        attempt_count: 1,
        reason: { code: 'nonce_mismatch' },
      },
      { event_type: 'verification.verified', sequence: 4, status: 'verified', attempt_count: 1 },
    ])
    for (const event of sent) expect(event.metadata).toEqual({ order: '4711' })
    const verifier = new Webhook(String(setting.webhookSecret))
    expect(requests.map(({ body, headers }) => verifier.verify(body, headers))).toEqual(sent)
    const forger = new Webhook(Buffer.alloc(32).toString('base64'))
    for (const { body, headers } of requests) expect(() => forger.verify(body, headers)).toThrow()
    await vi.waitFor(async () => {
      const events = await logged(setting)
      expect(namesOf(events)).toEqual([...STEPS, 'verification.verified'])
      expect(events).toEqual(bySequence)
    }, WAIT)
  })

  it('receives at most one event a second for refused responses; the `attempt_count` also counts refusals that had no event', async () => {
    const sent = receive(accept)
    const setting = await setUpSteps()
    const session = await fetchedSession(setting)
    for (const milliseconds of [0, 300, 999, 1_000]) {
      at(NOON + milliseconds)
      await refuse(setting, session)
    }
    await vi.waitFor(
      () => expect(sent.filter(({ event_type }) => event_type === STEPS[2])).toHaveLength(2),
      WAIT,
    )
    const refusals = sent.filter(({ event_type }) => event_type === STEPS[2])
    expect(refusals.map(({ attempt_count }) => attempt_count).sort()).toEqual([1, 4])
  })

  it('receives the refusal of a plain response to an encrypted request', async () => {
    const sent = receive(accept)
    const setting = await setUpSteps()
    const encrypted = { request_options: { response_mode: 'direct_post.jwt' } }
    const { id, request } = await fetchedSession(setting, encrypted)
    expect((await post(id, await goodResponse(setting, request))).status).toBe(400)
    await vi.waitFor(
      () =>
        expect(sent.find(({ event_type }) => event_type === STEPS[2])).toMatchObject({
          status: 'pending',
          reason: { code: 'encryption_required' },
        }),
      WAIT,
    )
  })

  it('receives the error that a wallet sends', async () => {
    const sent = receive(accept)
    const setting = await setUpSteps()
    const { id, request } = await fetchedSession(setting)
    expect((await post(id, { error: 'vp_formats_not_supported', state: request.state })).status).toBe(200)
    await vi.waitFor(
      () =>
        expect(sent.find(({ event_type }) => event_type === STEPS[2])).toMatchObject({
          status: 'pending',
          reason: { code: 'wallet_error' },
        }),
      WAIT,
    )
  })

  it('receives at most ten step events for each verification', async () => {
    const sent = receive(accept)
    const setting = await setUpSteps()
    const session = await fetchedSession(setting)
    for (let second = 0; second < 12; second++) {
      at(NOON + second * 1_000)
      await refuse(setting, session)
    }
    expect((await post(session.id, await goodResponse(setting, session.request))).status).toBe(200)
    await vi.waitFor(() => expect(namesOf(sent)).toContain('verification.verified'), WAIT)
    expect(sent).toHaveLength(11)
    expect(sent.find(({ event_type }) => event_type === 'verification.verified')).toMatchObject({
      sequence: 11,
    })
  })

  it('receives no event for a response that matches no request of the session', async () => {
    const sent = receive(accept)
    const setting = await setUpSteps()
    const { verification_id } = await createSession(setting)
    await vi.waitFor(() => expect(sent).toHaveLength(1), WAIT)
    await post(verification_id, { state: 'unknown', vp_token: '{}' })
    await ask(setting, 'GET', verification_id)
    expect(namesOf(sent)).toEqual(['verification.created'])
  })

  it('receives the outcome even if it responded to no step event', async () => {
    const hanging = Promise.withResolvers<Response>()
    const sent = receive(({ event_type }) => (STEPS.includes(event_type) ? hanging.promise : accept()))
    const setting = await setUpSteps()
    // More than may be under way for one relying party.
    const sessions = await Promise.all(Array.from({ length: 20 }, () => fetchedSession(setting)))
    const [session] = sessions
    if (session === undefined) throw new Error('no session')
    expect((await post(session.id, await goodResponse(setting, session.request))).status).toBe(200)
    await vi.waitFor(() => expect(namesOf(sent)).toContain('verification.verified'), WAIT)
    hanging.resolve(accept())
  })

  it('stays enabled after a 410 to a step event, and this event is not sent again', async () => {
    const gone = () => new Response(null, { status: 410 })
    const sent = receive(({ event_type }) => (STEPS.includes(event_type) ? gone() : accept()))
    const setting = await setUpSteps()
    const session = await fetchedSession(setting)
    const states = async () => {
      const response = await ask(setting, 'GET', session.id, '/deliveries')
      const { deliveries } = (await response.json()) as { deliveries: { state: string }[] }
      return deliveries.map(({ state }) => state)
    }
    await vi.waitFor(async () => expect(await states()).toEqual(['dead', 'dead']), WAIT)
    expect((await post(session.id, await goodResponse(setting, session.request))).status).toBe(200)
    await vi.waitFor(async () => expect(await states()).toEqual(['dead', 'dead', 'delivered']), WAIT)
    expect(sent).toHaveLength(3)
    const settings = await call(app, 'GET', '/v1/relying_party', { headers: setting.headers })
    expect(await settings.json()).toMatchObject({ webhook: { disabled: false } })
  })

  it('does not lose a step if the event log is unavailable: a later alarm stores the step in the log', async () => {
    receive(accept)
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    const append = vi.spyOn(EventLog.prototype, 'append').mockImplementation(() => {
      throw new Error('no such machine')
    })
    const setting = await setUpSteps()
    const { verification_id: id } = await createSession(setting, { expires_in: 86_400 })
    await vi.waitFor(() => expect(append).toHaveBeenCalledTimes(1), WAIT)
    expect(await stepLogOf(id)).toMatchObject({ calls: 1, next_call_at: NOON + 25_000 })
    at(NOON + 25_000)
    await runDurableObjectAlarm(stubOf(id))
    await vi.waitFor(() => expect(append).toHaveBeenCalledTimes(2), WAIT)
    expect(await stepLogOf(id)).toMatchObject({ calls: 2, next_call_at: NOON + 75_000 })
    append.mockRestore()
    at(NOON + 75_000)
    await runDurableObjectAlarm(stubOf(id))
    await vi.waitFor(async () => expect(await stepLogOf(id)).toBeNull(), WAIT)
    expect(namesOf(await logged(setting))).toEqual(['verification.created'])
  })

  it('does not lose a step if the log of the day is closed: the step is sent to the log of the next day', async () => {
    receive(accept)
    const append = vi.spyOn(EventLog.prototype, 'append').mockReturnValueOnce('closed')
    const setting = await setUpSteps()
    await createSession(setting)
    await vi.waitFor(() => expect(append).toHaveBeenCalledTimes(2), WAIT)
    const days = append.mock.calls.map(([{ day }]) => day)
    expect(days).toEqual([toDay(NOON), toDay(NOON) + 1])
  })

  it('receives a step event again after it refused the event, and the log stores the event once', async () => {
    const sent: SentEvent[] = receive(() =>
      sent.length === 1 ? new Response('not today', { status: 500 }) : accept(),
    )
    const setting = await setUpSteps()
    const { verification_id } = await createSession(setting, { expires_in: 86_400 })
    await vi.waitFor(async () => {
      const { deliveries } = (await (await ask(setting, 'GET', verification_id, '/deliveries')).json()) as {
        deliveries: { attempts: { status: number; response_excerpt: string }[] }[]
      }
      expect(deliveries[0]?.attempts[0]).toMatchObject({ status: 500, response_excerpt: 'not today' })
    }, WAIT)
    at(NOON + 600_000)
    await runDurableObjectAlarm(stubOf(verification_id))
    await vi.waitFor(() => expect(sent).toHaveLength(2), WAIT)
    expect(sent[1]).toEqual(sent[0])
    expect(namesOf(await logged(setting))).toEqual(['verification.created'])
  })
})

describe('a webhook that subscribes to no step', () => {
  it('receives only the outcome, with `sequence` 1', async () => {
    const sent = receive(accept)
    const setting = await setUp({ webhook: { url: URL_OF_HOOK } })
    const session = await fetchedSession(setting)
    await refuse(setting, session)
    expect((await post(session.id, await goodResponse(setting, session.request))).status).toBe(200)
    await vi.waitFor(() => expect(sent).toHaveLength(1), WAIT)
    expect(sent).toMatchObject([{ event_type: 'verification.verified', sequence: 1 }])
    await vi.waitFor(
      async () => expect(namesOf(await logged(setting))).toEqual(['verification.verified']),
      WAIT,
    )
  })
})
