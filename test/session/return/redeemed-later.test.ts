// A return code that is redeemed after the event was sent (api/binding). Readers see it, and the event does
// not change.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { EventLog } from '../../../src/relying-party/event-log.ts'
import { eventLogStub, toDay } from '../../../src/relying-party/events/event-days.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { ask, createSession, fetchRequest, goodResponse, poll, post, setUp, stubOf } from '../driver.ts'

const RETURN_URL = 'https://shop.example/done'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('a return code that is redeemed later does not change the event that was already sent and logged', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  const receiver = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null))
  const log = vi.spyOn(EventLog.prototype, 'append').mockImplementationOnce(() => {
    throw new Error('no such machine')
  })
  const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' }, return_urls: [RETURN_URL] })
  const body = { return_url: RETURN_URL, metadata: { order: '17' } }
  const { verification_id: id } = await createSession(setting, body)
  const session = stubOf(id)

  // The browser opens its link, the wallet responds, and the browser returns: the event has `page`.
  const opener = { relyingPartyId: setting.relyingPartyId }
  const link = await session.createLink(opener, { secret: null, wallet: null })
  if (!link.ok) throw new Error(link.error)
  const requestUri = new URL(JSON.parse(link.value.json).uri).searchParams.get('request_uri') ?? ''
  const answer = await goodResponse(setting, await fetchRequest(requestUri))
  const { redirect_uri } = await json(post(id, answer))
  const responseCode = redirect_uri.split('response_code=')[1]
  const back = await session.completeReturn({ responseCode, secret: link.value.secret })
  if (!back.ok) throw new Error(back.error)
  await vi.waitFor(async () => {
    const { deliveries } = await json(ask(setting, 'GET', id, '/deliveries'))
    expect(deliveries[0].state).toBe('delivered')
  }, WAIT)
  const { version } = await poll(setting, id)

  const returnCode = new URL(back.value.returnUrl ?? '').searchParams.get('return_code') ?? ''
  expect((await session.redeem(setting.relyingPartyId, returnCode)).ok).toBe(true)
  const read = await poll(setting, id)
  expect(read).toMatchObject({ session_binding: 'relying_party', version: version + 1 })

  const { deliveries } = await json(ask(setting, 'GET', id, '/deliveries'))
  await ask(setting, 'POST', id, `/deliveries/${deliveries[0].delivery_id}/redeliver`)
  await vi.waitFor(() => expect(receiver).toHaveBeenCalledTimes(2), WAIT)
  const [sent, again] = receiver.mock.calls.map(([, init]) => String(init?.body))
  expect(again).toBe(sent)
  expect(JSON.parse(sent ?? '')).toMatchObject({ session_binding: 'page' })

  // The log was unavailable, and gets the event only now.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
  await runDurableObjectAlarm(session)
  expect(log).toHaveBeenCalledTimes(2)
  const owed = await runInDurableObject(session, (_, { storage }) =>
    storage.kv.get<SessionDocument>('session'),
  )
  expect(owed?.pending_log_entry).toBeNull()
  const day = toDay(Date.now())
  const { events } = await eventLogStub(env, setting.relyingPartyId, day).read(day, 0, 1)
  const withoutPersonal = { ...JSON.parse(sent ?? ''), metadata: {}, encrypted_claims: null }
  expect(events[0]?.body).toBe(JSON.stringify(withoutPersonal))
})
