// Responses while the settings of the relying party cannot be read, and identical responses at one time.

import { afterEach, expect, it, vi } from 'vitest'
import { RelyingParty } from '../../../src/relying-party/relying-party.ts'
import { forgetSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  poll,
  post,
  type Setting,
  setUp,
  stubOf,
} from '../driver.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

async function begin() {
  const setting = await setUp()
  const { verification_id: id, wallet_request } = await createSession(setting)
  return { setting, id, good: await goodResponse(setting, await fetchRequest(wallet_request.request_uri)) }
}

/** Changes what objects of relying parties return. The isolate has no copy of these settings then. */
function changeSettings({ relyingPartyId }: Setting, settings: RelyingParty['settings']) {
  forgetSettings(relyingPartyId)
  return vi.spyOn(RelyingParty.prototype, 'settings').mockImplementation(settings)
}

it('a response gets 503 while the settings cannot be read; the session has no attempt, and it succeeds later', async () => {
  const { setting, id, good } = await begin()
  const changed = changeSettings(setting, async () => {
    throw new Error('storage is not available')
  })
  const answer = await post(id, good)
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }])
  changed.mockRestore()
  expect(await poll(setting, id)).toMatchObject({ status: 'pending', attempts: [] })
  expect((await post(id, good)).status).toBe(200)
  expect(await poll(setting, id)).toMatchObject({ status: 'verified' })
})

it('a response gets 404 if its relying party is deleted', async () => {
  const { setting, id, good } = await begin()
  changeSettings(setting, async () => ({ ok: false, error: 'not_found' }))
  expect((await post(id, good)).status).toBe(404)
})

it('identical responses at one time are verified once, and get the same result', async () => {
  const { setting, id, good } = await begin()
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(id, good)))
  expect(verify).toHaveBeenCalledTimes(2) // the issuer's signature and the holder's
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(new Set(bodies).size).toBe(1)
  expect(await poll(setting, id)).toMatchObject({ status: 'verified' })
})

it('a response that is refused after its session was canceled adds no attempt', async () => {
  const { setting, id, good } = await begin()
  vi.spyOn(crypto.subtle, 'verify').mockImplementationOnce(async () => {
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    return false
  })
  expect((await post(id, good)).status).toBe(400)
  expect(await poll(setting, id)).toMatchObject({ status: 'canceled', attempts: [] })
})

it('no request of the browser is made while the settings cannot be read', async () => {
  const { setting, id } = await begin()
  changeSettings(setting, async () => {
    throw new Error('storage is not available')
  })
  const page = { page: 'relying_party', origin: 'https://shop.example', wallet: null } as const
  const made = await stubOf(id).createDcApiRequest({ relyingPartyId: setting.relyingPartyId }, page)
  expect(made).toEqual({ ok: false, error: 'unavailable' })
})

it.each([
  [true, 'verified', 'pass'],
  [false, 'rejected', 'fail'],
])('the trace of age_over_18 = %s ends with the policy: %s, %s', async (age_over_18, status, result) => {
  const setting = await setUp()
  const { verification_id: id, wallet_request } = await createSession(setting)
  const request = await fetchRequest(wallet_request.request_uri)
  expect((await post(id, await goodResponse(setting, request, { age_over_18 }))).status).toBe(200)
  const session = await poll(setting, id)
  expect([session.status, session.trace.at(-1)]).toMatchObject([status, { id: 'policy', result }])
})
