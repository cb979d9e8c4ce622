// The session page after a refused response, and after a request that nothing followed (api/page), as a
// browser without JavaScript gets it.

import { afterEach, describe, expect, it, vi } from 'vitest'
import TEXTS from '../../../assets/texts/en.json' with { type: 'json' }
import { createApp } from '../../../src/routes/app.ts'
import { createSession, fetchRequest, poll, post, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()
const BASE = 'https://verifier.example'

afterEach(() => vi.useRealTimers())

const open = async (address: string, headers: Record<string, string> = {}) =>
  (await call(app, 'GET', address.replace(BASE, ''), { headers })).text()

const stateOf = (html: string) => /<main[^>]* data-state="(\w+)"/.exec(html)?.[1]

/** Returns the address of the way on; undefined if the page does not offer it. */
function wayOn(html: string, { session_url }: { session_url: string }): string | undefined {
  const [, query] = /<a id="new-code" class="button" href="([^"]+)">/.exec(html) ?? []
  return query && new URL(query.replaceAll('&amp;', '&'), session_url).href
}

async function refused(body: object = {}) {
  const setting = await setUp()
  const session = await createSession(setting, body)
  const { state } = await fetchRequest(session.wallet_request.request_uri)
  const refuse = () => post(session.verification_id, { vp_token: '{', state })
  await refuse()
  return { setting, session, refuse }
}

describe('the page after a refused response', () => {
  it('shows a general text for the kind of refusal, and neither the code nor the message of the reason', async () => {
    const { setting, session } = await refused()
    const html = await open(session.session_url)
    expect(stateOf(html)).toBe('refused')
    expect(html).toContain(`<p id="text">${TEXTS.refusals.response}</p>`)
    const [attempt] = (await poll(setting, session.verification_id)).attempts
    expect(html).not.toContain(attempt.reason.code)
    expect(html).not.toContain(attempt.reason.message)
  })

  it('links to the page with a new QR code, which shows a refusal again only after the next refused response', async () => {
    const { session, refuse } = await refused()
    const first = await open(session.session_url)
    const address = wayOn(first, session)!
    const again = await open(address)
    expect([stateOf(again), wayOn(again, session)]).toEqual(['waiting', undefined])
    const code = (html: string) => /<img id="qr"[^>]* src="([^"]+)"/.exec(html)?.[1]
    expect(code(again)).not.toBe(code(first))
    expect(stateOf(await open(address))).toBe('waiting')
    await refuse()
    const next = await open(address)
    expect(stateOf(next)).toBe('refused')
    expect(wayOn(next, session)).not.toBe(address)
  })

  it('ignores the parameter `seen` if its value cannot be the number of a refusal', async () => {
    const { session } = await refused()
    for (const seen of ['', '-1', '1e9', 'x', '9'.repeat(16), '1&seen=99x']) {
      expect([seen, stateOf(await open(`${session.session_url}&seen=${seen}`))]).toEqual([seen, 'refused'])
    }
  })

  it('shows nothing to a visitor without the token of the session page', async () => {
    const { session } = await refused()
    const id = session.verification_id
    const stranger = await call(app, 'GET', `/s/${id}?token=ct_x.y&seen=0`)
    expect(stranger.status).toBe(404)
    expect(await stranger.text()).not.toContain(TEXTS.states.refused.title)
    expect((await call(app, 'GET', `/v1/verify/${id}`)).status).toBe(401)
  })

  it('a page without a QR code has the hidden button "Try again" from the start', async () => {
    const setting = await setUp()
    const session = await createSession(setting, { required_session_binding: 'page' })
    expect(await open(session.session_url)).toContain(
      `<a id="new-code" class="button" hidden>${TEXTS.tryAgain}</a>`,
    )
  })

  it('does not change after a response that matches no request', async () => {
    const session = await createSession(await setUp())
    await post(session.verification_id, { vp_token: '{', state: 'guessed' })
    expect(stateOf(await open(session.session_url))).toBe('waiting')
  })
})

describe('the page after a request was fetched', () => {
  it('offers a new QR code only after 30 s', async () => {
    const session = await createSession(await setUp())
    await fetchRequest(session.wallet_request.request_uri)
    const fetched = Date.now()
    const openAfter = async (milliseconds: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: fetched + milliseconds })
      return open(session.session_url)
    }
    const early = await openAfter(20_000)
    expect([stateOf(early), wayOn(early, session)]).toEqual(['scanned', undefined])
    const late = await openAfter(30_001)
    expect([stateOf(late), stateOf(await open(wayOn(late, session)!))]).toEqual(['scanned', 'waiting'])
  })
})

describe("the relying party's own texts", () => {
  it('are shown with their language and direction, above the sentence that says who asks for the credential', async () => {
    const setting = await setUp({ name: 'Shop' })
    const own = { locale: 'ar', heading: 'أثبت عمرك <b>', purpose: 'نبيع للبالغين فقط' }
    const session = await createSession(setting, own)
    expect(session.locale).toBeNull()
    const html = await open(session.session_url, { 'Accept-Language': 'de' })
    expect(html).toContain('<html lang="de" dir="ltr">')
    expect(html).toMatch(
      /<h1 class="own" lang="ar" dir="rtl">أثبت عمرك &lt;b&gt;<\/h1>\s*<p id="asks" class="soft">\u2068Shop\u2069/,
    )
    expect(html).toContain('<bdi lang="ar" dir="rtl">نبيع للبالغين فقط</bdi>')
    expect(await poll(setting, session.verification_id)).toMatchObject(own)
  })

  it('may contain letter joiners, and are refused if they contain direction controls', async () => {
    const setting = await setUp()
    const send = async (heading: string) => {
      const body = { credential_types: ['age_attestation'], scope: ['age_over_18'], heading }
      return (await call(app, 'POST', '/v1/verify', { headers: setting.headers, body })).status
    }
    for (const good of ['می\u200cخواهیم', 'क्\u200dष', 'a'.repeat(100)]) expect(await send(good)).toBe(201)
    const turned = [...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c']
    for (const bad of [...turned, '\n', '\u0000'].map((sign) => `a${sign}b`))
      expect([bad, await send(bad)]).toEqual([bad, 400])
    for (const bad of ['', ' a', 'a'.repeat(101)]) expect(await send(bad)).toBe(400)
  })

  it.each([
    ['de-AT', 'de'],
    ['pt-BR', 'pt'],
    ['nb', null],
    [undefined, null],
  ])(
    'the response to the create request names the language of the page, or null, for the locale %s',
    async (locale, used) => {
      const session = await createSession(await setUp(), locale === undefined ? {} : { locale })
      expect(session.locale).toBe(used)
    },
  )
})

describe('the page in a frame', () => {
  it('is compact, and does not tell the person to close the page', async () => {
    const session = await createSession(await setUp())
    const data = async (headers: Record<string, string>) => {
      const html = await open(session.session_url, headers)
      return [html.includes('<main class="framed wide"'), html.includes(TEXTS.closePage)]
    }
    expect(await data({ 'Sec-Fetch-Dest': 'iframe' })).toEqual([true, false])
    expect(await data({ 'Sec-Fetch-Dest': 'document' })).toEqual([false, true])
  })
})
