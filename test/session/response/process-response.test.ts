// Processing of responses: settings that cannot be read, responses at one time, a success that is held, and
// errors of a wallet.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import errors from '../../../assets/oauth-errors.json'
import { RelyingParty } from '../../../src/relying-party/relying-party.ts'
import { forgetSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import {
  ask,
  createSession,
  fetchedSession,
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

it('a response gets 503 while the settings cannot be read; the session adds no attempt, and a later response succeeds', async () => {
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

it('a response gets 404 after its session was deleted', async () => {
  const { setting, id, good } = await begin()
  expect((await ask(setting, 'DELETE', id)).status).toBe(204)
  expect((await post(id, good)).status).toBe(404)
})

describe('a response to a link', () => {
  const RETURN_URL = 'https://shop.example/done'

  async function beginLink() {
    const setting = await setUp({ return_urls: [RETURN_URL] })
    const { verification_id: id } = await createSession(setting, { return_url: RETURN_URL })
    const opener = { relyingPartyId: setting.relyingPartyId }
    const link = await stubOf(id).createLink(opener, { secret: null, wallet: null })
    if (!link.ok) throw new Error(link.error)
    const requestUri = new URL(JSON.parse(link.value.json).uri).searchParams.get('request_uri') ?? ''
    return { setting, id, request: await fetchRequest(requestUri), secret: link.value.secret }
  }

  async function answerTo(id: string, response: Record<string, string>) {
    const answer = await post(id, response)
    return { status: answer.status, json: (await answer.json()) as Record<string, string> }
  }

  it('is held until its browser returns: the same response is accepted again, and a different response is refused without an attempt', async () => {
    const { setting, id, request, secret } = await beginLink()
    const [good, other] = [await goodResponse(setting, request), await goodResponse(setting, request)]
    const accepted = await answerTo(id, good)
    expect(await poll(setting, id)).toMatchObject({ status: 'pending', attempts: [] })
    expect(await answerTo(id, good)).toEqual(accepted)
    const refusal = async () => {
      const { status, json } = await answerTo(id, other)
      return [status, json.error_description]
    }
    expect(await refusal()).toEqual([409, errors.wallet.awaited])
    expect(await poll(setting, id)).toMatchObject({ status: 'pending', attempts: [] })
    const responseCode = accepted.json.redirect_uri?.split('response_code=')[1] ?? ''
    expect((await stubOf(id).completeReturn({ responseCode, secret })).ok).toBe(true)
    expect(await poll(setting, id)).toMatchObject({ status: 'verified' })
    expect(await refusal()).toEqual([409, errors.wallet.ended])
  })

  it('is held, and another good response that arrives at the same time is refused with 409', async () => {
    const { setting, id, request, secret } = await beginLink()
    const [one, two] = [await goodResponse(setting, request), await goodResponse(setting, request)]
    const answers = await Promise.all([answerTo(id, one), answerTo(id, two)])
    const [accepted, refused] = answers.toSorted((a, b) => a.status - b.status)
    expect([accepted?.status, refused?.status]).toEqual([200, 409])
    expect(refused?.json.error_description).toBe(errors.wallet.awaited)
    expect(await poll(setting, id)).toMatchObject({ status: 'pending', stage: 'awaiting_return' })
    const responseCode = accepted?.json.redirect_uri?.split('response_code=')[1] ?? ''
    expect((await stubOf(id).completeReturn({ responseCode, secret })).ok).toBe(true)
    expect(await poll(setting, id)).toMatchObject({ status: 'verified' })
  })

  it('ends the session at once if it is rejected', async () => {
    const { setting, id, request } = await beginLink()
    expect((await post(id, await goodResponse(setting, request, { age_over_18: false }))).status).toBe(200)
    expect(await poll(setting, id)).toMatchObject({ status: 'rejected' })
  })
})

it('identical simultaneous responses are verified only once, and get the same result', async () => {
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

it.each([
  ['ends the session if the wallet has fetched the request', true, 200, 'declined', []],
  [
    'is refused if the wallet has not fetched the request',
    false,
    400,
    'pending',
    [{ reason: { code: 'unknown_state' } }],
  ],
] as const)('access_denied from a wallet %s', async (_, fetched, httpStatus, status, attempts) => {
  const setting = await setUp()
  const { id, request } = await fetchedSession(setting)
  await runInDurableObject(stubOf(id), (_, { storage }) => {
    const session = storage.kv.get<SessionDocument>('session')
    const generations = session?.generations.map((each) => ({ ...each, fetched }))
    storage.kv.put('session', { ...session, generations })
  })
  await evictDurableObject(stubOf(id))
  expect((await post(id, { error: 'access_denied', state: request.state })).status).toBe(httpStatus)
  expect(await poll(setting, id)).toMatchObject({ status, attempts })
})

it('the end of a session increments its version by one', async () => {
  const { setting, id, good } = await begin()
  const versionOf = () =>
    runInDurableObject(stubOf(id), (_, { storage }) => storage.kv.get<SessionDocument>('session')?.version)
  const before = Number(await versionOf())
  expect((await post(id, good)).status).toBe(200)
  expect(await versionOf()).toBe(before + 1)
  expect(await poll(setting, id)).toMatchObject({ status: 'verified' })
})

it('no request for the Digital Credentials API is made while the settings cannot be read', async () => {
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
])(
  'a response with age_over_18 = %s makes the session %s, and the last check in the trace is policy with the result %s',
  async (age_over_18, status, result) => {
    const setting = await setUp()
    const { verification_id: id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    expect((await post(id, await goodResponse(setting, request, { age_over_18 }))).status).toBe(200)
    const session = await poll(setting, id)
    expect([session.status, session.trace.at(-1)]).toMatchObject([status, { id: 'policy', result }])
  },
)
