// The session of a login (api/binding, api/logins): a code close to `expires_at`, a login that failed after
// the wallet's success, values of a person in storage, and what is left of a login that was erased.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CODE_MS, FINISH_MS } from '../../../src/session/document/login.ts'
import { isPublished, poll, type Setting, setUp, stubOf } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import {
  ADULT_POLICY,
  answer,
  app,
  type Begun,
  begin,
  finish,
  newClient,
  openEnd,
  redeem,
  type TestClient,
  userInfoOf,
} from './login-world.ts'

const BOUND_POLICY = { ...ADULT_POLICY, required_session_binding: 'relying_party' }

let setting: Setting

beforeEach(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  pass(0) // stops the clock
  setting = await setUp()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Moves the clock of the service. */
function pass(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into stored documents freely
function stored(id: string): Promise<any> {
  return runInDurableObject(stubOf(id), (_, state) => state.storage.kv.get('session'))
}

function boundClient(): Promise<TestClient> {
  return newClient(setting, { policies: [BOUND_POLICY] })
}

/** Terminal events of a session in the relying party's log. */
async function eventsOf(id: string): Promise<readonly string[]> {
  await isPublished(id)
  const response = await call(app, 'GET', '/v1/events', { headers: setting.headers })
  const { events } = (await response.json()) as {
    readonly events: readonly { readonly verification_id: string; readonly event_type: string }[]
  }
  return events.filter((one) => one.verification_id === id).map(({ event_type }) => event_type)
}

describe('a login with the session binding relying_party', () => {
  /** Lets the wallet answer a second before the session expires. */
  async function answerLate(client: TestClient): Promise<Begun> {
    const begun = await begin(client)
    pass(Number((await stored(begun.id)).expires_at) - Date.now() - 1_000)
    return answer(setting, begun)
  }

  it('can redeem its code 59 s after the redirect, although expires_at has passed, and is then verified', async () => {
    const client = await boundClient()
    const browser = await answerLate(client)
    const code = (await finish(client, browser)).get('code') ?? ''
    pass(59_000)
    await runDurableObjectAlarm(stubOf(browser.id))
    expect(await poll(setting, browser.id)).toMatchObject({ status: 'pending', stage: 'awaiting_return' })
    expect((await redeem(client, code)).status).toBe(200)
    expect(await poll(setting, browser.id)).toMatchObject({
      status: 'verified',
      session_binding: 'relying_party',
    })
    expect(await eventsOf(browser.id)).toEqual(['verification.verified'])
  })

  it('gets its code even after expires_at, because its browser returned from the wallet before expires_at', async () => {
    const client = await boundClient()
    const browser = await answerLate(client)
    pass(179_000)
    const code = (await finish(client, browser)).get('code') ?? ''
    pass(59_000)
    expect((await redeem(client, code)).status).toBe(200)
  })

  it('is verified by a second redemption of its code if a write failed in the first redemption', async () => {
    const client = await boundClient()
    const browser = await answer(setting, await begin(client))
    const code = (await finish(client, browser)).get('code') ?? ''
    await runInDurableObject(stubOf(browser.id), (_, { storage }) => {
      vi.spyOn(storage.kv, 'put').mockImplementationOnce(() => {
        throw new Error('the disk is full')
      })
    })
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    expect((await redeem(client, code)).status).toBe(500)
    expect((await redeem(client, code)).status).toBe(200)
    expect((await poll(setting, browser.id)).status).toBe('verified')
  })

  it('gets the status expired and one event at the first alarm after its unused code has expired', async () => {
    const client = await boundClient()
    const browser = await answerLate(client)
    const until = Date.now() + FINISH_MS + CODE_MS
    const code = (await finish(client, browser)).get('code') ?? ''
    pass(until - Date.now())
    expect(await runDurableObjectAlarm(stubOf(browser.id))).toBe(true)
    expect(await stored(browser.id)).toMatchObject({
      status: 'expired',
      outcome: { reason: 'same_device_return_missing' },
    })
    expect((await redeem(client, code)).tokens.error).toBe('invalid_grant')
    expect(await eventsOf(browser.id)).toEqual(['verification.expired'])
  })

  it('expires at expires_at if the browser has not returned', async () => {
    const begun = await begin(await boundClient())
    pass(Number((await stored(begun.id)).expires_at) - Date.now() - 1_000)
    await answer(setting, begun, undefined, { returns: false })
    pass(1_000)
    expect(await poll(setting, begun.id)).toMatchObject({
      status: 'expired',
      reason: { code: 'same_device_return_missing' },
    })
  })
})

describe('a login whose browser does not return from the wallet within three minutes', () => {
  it.each(['page', 'relying_party'])(
    'is not verified, and the person can present a credential again (%s)',
    async (binding) => {
      const policies = [{ ...ADULT_POLICY, required_session_binding: binding }]
      const client = await newClient(setting, { policies })
      const begun = await begin(client)
      await answer(setting, begun, undefined, { returns: false })
      pass(179_000)
      expect(await poll(setting, begun.id)).toMatchObject({ status: 'pending', stage: 'awaiting_return' })
      pass(2_000)
      expect(await poll(setting, begun.id)).toMatchObject({
        status: 'pending',
        stage: 'request_fetched',
        attempts: [{ reason: { code: 'same_device_return_missing' } }],
      })
      const again = await answer(setting, begun)
      expect((await redeem(client, (await finish(client, again)).get('code') ?? '')).status).toBe(200)
    },
  )
})

describe('a login with the session binding relying_party that fails after a successful response', () => {
  const OTHER_PERSON = { claims: JSON.stringify({ id_token: { sub: { value: 'another-person' } } }) }

  it('expires with one event when the browser returns from the wallet, and its client gets the error', async () => {
    const client = await boundClient()
    const browser = await answer(setting, await begin(client, OTHER_PERSON))
    expect(await poll(setting, browser.id)).toMatchObject({
      status: 'expired',
      reason: { code: 'value_mismatch' },
      attempts: [{ reason: { code: 'value_mismatch' } }],
    })
    expect(await eventsOf(browser.id)).toEqual(['verification.expired'])
    for (const _ of ['first', 'reload']) {
      const { error, error_description } = Object.fromEntries(await finish(client, browser))
      expect([error, error_description]).toEqual(['access_denied', 'subject_mismatch'])
    }
  })

  it('still accepts a repetition of the same response and of the same return', async () => {
    const client = await boundClient()
    const browser = await answer(setting, await begin(client, OTHER_PERSON), undefined, { times: 2 })
    expect((await finish(client, browser)).get('error_description')).toBe('subject_mismatch')
    expect(await eventsOf(browser.id)).toEqual(['verification.expired'])
  })
})

describe('storage of a login', () => {
  it('contains neither its sub nor a claim value that its client requests, before and after its tokens are issued', async () => {
    const EXPECTED = 'EXPECTED-VALUE'
    const verified_claims = {
      verification: { trust_framework: null },
      claims: { age_over_18: { value: true }, family_name: { values: [EXPECTED] } },
    }
    const client = await newClient(setting)
    const claims = JSON.stringify({ id_token: { verified_claims } })
    const browser = await answer(setting, await begin(client, { claims }))
    const documents = [await stored(browser.id)]
    const { tokens } = await redeem(client, (await finish(client, browser)).get('code') ?? '')
    documents.push(await stored(browser.id))
    const idToken = decodeJwt(tokens.id_token)
    expect(idToken).toMatchObject({
      age_over_18: true,
      verified_claims: { claims: { age_over_18: true } },
    })
    const userInfo = await userInfoOf(client, tokens.access_token)
    expect(userInfo).toMatchObject({ sub: idToken.sub })
    for (const document of documents) {
      expect(document.login.result).toMatchObject({ sealed_sub: expect.any(String) })
      expect(JSON.stringify(document)).not.toContain(idToken.sub)
      expect(JSON.stringify(document)).not.toContain(EXPECTED)
    }
  })

  it('contains no sub value that its client requests', async () => {
    const EXPECTED = 'EXPECTED-SUB'
    const claims = JSON.stringify({ userinfo: { sub: { value: EXPECTED } } })
    const { id } = await begin(await newClient(setting), { claims })
    expect(JSON.stringify(await stored(id))).not.toContain(EXPECTED)
  })
})

describe('a login that was erased', () => {
  it('does not show its page or its state in any browser or frame', async () => {
    const shop = 'https://shop.example'
    setting = await setUp({ origins: [shop] })
    const client = await newClient(setting)
    const browser = await answer(setting, await begin(client))
    await redeem(client, (await finish(client, browser)).get('code') ?? '')
    const { id, token, cookies } = browser
    const open = async (Cookie: string) => {
      const page = await call(app, 'GET', `/s/${id}?token=${token}&embed=${shop}`, { headers: { Cookie } })
      const headers = { Cookie, Authorization: `Bearer ${token}` }
      const state = await call(app, 'GET', `/v1/verify/${id}`, { headers })
      const policy = page.headers.get('Content-Security-Policy') ?? ''
      return [page.status, state.status, /frame-ancestors [^;]+/.exec(policy)?.[0]]
    }
    expect(await open(cookies)).toEqual([200, 200, "frame-ancestors 'none'"])
    expect(await open('')).toEqual([404, 404, "frame-ancestors 'none'"])
    pass(331_000)
    for (const sent of [cookies, '']) expect(await open(sent)).toEqual([404, 404, "frame-ancestors 'none'"])
    expect(await stored(id)).toMatchObject({ was_login: true })
    expect(await stored(id)).not.toHaveProperty('login')
    expect(await poll(setting, id)).toMatchObject({ status: 'verified' })
    expect((await openEnd(client, browser)).status).toBe(404)
  })
})
