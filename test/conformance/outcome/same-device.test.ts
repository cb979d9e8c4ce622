// api/binding with a foreign wallet: link, return and redemption over HTTP, and OpenID4VP 1.0 §14.2.

import { createClient } from '@wallet-verifier/client'
import { expect, it } from 'vitest'
import { openBrowser } from '../../support/browser/browser.ts'
import { BASE_URL, expectStatus, OVER_18 } from '../../support/service/service.ts'
import { eventOf, respondWithAge, useOwnStage } from '../../support/service/stage.ts'

const RETURN_URL = 'https://shop.example/done'
const stage = useOwnStage()

/** Creates a session whose wallet responded by the link of one browser. */
async function respondByLink(request: object) {
  const settings = { trust_anchors: [stage.authority.anchor()], webhook: { url: stage.receiver.url } }
  const rp = await stage.service.relyingParty({ ...settings, return_urls: [RETURN_URL] })
  const session = await rp.create({ ...OVER_18, ...request })
  const browser = openBrowser(stage.service)
  const received = await stage.service.wallet.receive(await browser.link(session))
  const answer = await expectStatus(await respondWithAge(stage, received), 200)
  const { redirect_uri } = answer as { redirect_uri: string }
  const poll = () => rp.poll(session.verification_id)
  return { rp, session, browser, received, redirect_uri, poll }
}

it('OpenID4VP 1.0 §14.2: the service shows the result when the browser that opened the link brings the response code', async () => {
  const { session, browser, redirect_uri, poll } = await respondByLink({})
  expect(await poll()).toMatchObject({ status: 'pending', stage: 'awaiting_return', checks: null })
  expect((await stage.service.fetch(redirect_uri.split('#')[0] ?? '')).status).toBe(200)
  expect((await poll()).status).toBe('pending')
  expect(await expectStatus(await browser.completeReturn(redirect_uri), 200)).toEqual({
    object: 'browser_return',
    return_url: null,
  })
  expect(await poll()).toMatchObject({ status: 'verified', channel: 'link', session_binding: 'page' })
  const { event } = await eventOf(stage, session.verification_id)
  expect(event).toMatchObject({ status: 'verified', session_binding: 'page' })
})

it('§14.2: a second browser that brings the response code gets no result, and the presentation is discarded', async () => {
  const { session, browser, redirect_uri, poll } = await respondByLink({})
  const second = openBrowser(stage.service)
  await second.link(session)
  expect((await second.completeReturn(redirect_uri)).status).toBe(409)
  expect((await browser.completeReturn(redirect_uri)).status).toBe(400)
  const { status, attempts } = await poll()
  expect([status, attempts.map(({ reason }) => reason.code)]).toEqual([
    'pending',
    ['same_device_return_missing'],
  ])
})

it('api/binding: while a response waits for its browser to return, every other response is refused and adds no attempt', async () => {
  const { browser, received, redirect_uri, poll } = await respondByLink({})
  const { response_uri, state } = received.payload
  const bad = new URLSearchParams({ vp_token: '{}', ...(state && { state }) })
  const sent = await stage.service.fetch(response_uri, { method: 'POST', body: bad })
  expect(await expectStatus(sent, 409)).toMatchObject({
    error_description: 'This verification has a response and waits for its browser.',
  })
  expect(await poll()).toMatchObject({ status: 'pending', stage: 'awaiting_return', attempts: [] })
  expect((await browser.completeReturn(redirect_uri)).status).toBe(200)
  expect(await poll()).toMatchObject({ status: 'verified', attempts: [] })
})

it('api/binding: with required binding relying_party, a session is verified only when the relying party redeems the code', async () => {
  const required = { required_session_binding: 'relying_party', return_url: RETURN_URL }
  const { rp, session, browser, redirect_uri, poll } = await respondByLink(required)
  expect([session.qr_code, session.wallet_request]).toEqual([null, null])
  const back = (await expectStatus(await browser.completeReturn(redirect_uri), 200)) as { return_url: string }
  expect(await poll()).toMatchObject({ status: 'pending', stage: 'awaiting_return' })
  const return_code = new URL(back.return_url).searchParams.get('return_code')
  const path = `/v1/verify/${session.verification_id}/return`
  const redeemed = await rp.call('POST', path, { body: { return_code } })
  const result = await expectStatus(redeemed, 200)
  expect(result).toMatchObject({ status: 'verified' })
  expect(await poll()).toMatchObject({ status: 'verified', session_binding: 'relying_party' })
  expect(await expectStatus(await rp.call('POST', path, { body: { return_code } }), 200)).toEqual(result)
})

it('api/binding: a client that did not receive the response to its redemption tries again, and gets the session', async () => {
  const required = { required_session_binding: 'relying_party', return_url: RETURN_URL }
  const { rp, session, browser, redirect_uri } = await respondByLink(required)
  const back = (await expectStatus(await browser.completeReturn(redirect_uri), 200)) as { return_url: string }
  const code = new URL(back.return_url).searchParams.get('return_code') ?? ''
  const statuses: number[] = []
  const losing: typeof fetch = async (input, init) => {
    const response = await stage.service.fetch(String(input), init)
    statuses.push(response.status)
    if (statuses.length === 1) throw new TypeError('connection reset')
    return response
  }
  const client = createClient({ baseUrl: BASE_URL, token: rp.api_key, fetch: losing })
  const redeemed = await client.redeem(session.verification_id, code)
  const verified = { status: 'verified', session_binding: 'relying_party' }
  expect([statuses, redeemed]).toMatchObject([[200, 200], { ok: true, value: verified }])
})

it('api/binding: a code that was redeemed gets the same 200 again after the service was killed', async () => {
  const { rp, session, browser, redirect_uri } = await respondByLink({ return_url: RETURN_URL })
  const back = (await expectStatus(await browser.completeReturn(redirect_uri), 200)) as { return_url: string }
  const return_code = new URL(back.return_url).searchParams.get('return_code')
  const redeem = () =>
    rp.call('POST', `/v1/verify/${session.verification_id}/return`, { body: { return_code } })
  const result = await expectStatus(await redeem(), 200)
  await stage.service.server.kill9()
  await stage.service.server.restart()
  expect(await expectStatus(await redeem(), 200)).toEqual(result)
})
