// `return_url` with placeholders, and `failure_return_url` (api/binding). The page and the return of the
// wallet give a browser the address for the end of its session.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  poll,
  post,
  type Setting,
  setUp,
} from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'
import { browser, completeReturn, OWN_PAGE, openLink, responseCodeIn } from './person.ts'

const app = createApp()
const BASE = 'https://verifier.example'
const DONE = 'https://shop.example/{status}?id={verification_id}'
const FAILED = 'https://help.example/why/{status}'
const PLAIN = 'https://shop.example/done'
const UNKNOWN = 'https://shop.example/{state}?id={verification_id}'
const BOTH = { return_url: DONE, failure_return_url: FAILED }
const return_urls = [DONE, FAILED, PLAIN]

afterEach(() => vi.useRealTimers())

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Session = any

function open({ session_url }: Session, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return call(app, 'GET', session_url.replace(BASE, ''), { headers })
}

const pageOf = async (session: Session) => (await open(session)).text()

const text = (html: string) => html.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** Returns the link back in the page, and the addresses that its script gets. */
function backIn(html: string) {
  const [, address] = /<a id="back" class="button"(?: href="([^"]*)")?/.exec(html) ?? []
  const [, data = ''] = /data-page="([^"]*)"/.exec(html) ?? []
  return { link: address === undefined ? null : text(address), script: JSON.parse(text(data)).back }
}

const refusedErrors = async ({ headers }: Setting, body: object) => {
  const request = { credential_types: ['age_attestation'], scope: ['age_over_18'], ...body }
  const response = await call(app, 'POST', '/v1/verify', { headers, body: request })
  const { errors } = await json(response)
  return [response.status, ...errors.map((error: Session) => error.pointer)]
}

/** Lets a wallet respond by the link of a browser. Returns the address that the browser gets. */
async function returnByLink(setting: Setting, body: object, respond: 'success' | 'false' | 'declined') {
  const session = await createSession(setting, body)
  const person = browser()
  const request = await fetchRequest(await openLink(person, session))
  const answer =
    respond === 'declined'
      ? { error: 'access_denied', state: request.state }
      : await goodResponse(setting, request, { age_over_18: respond === 'success' })
  const { redirect_uri } = await json(post(session.verification_id, answer))
  const { return_url } = await json(completeReturn(person, session, responseCodeIn(redirect_uri)))
  return { session, return_url: new URL(return_url), person }
}

describe('a browser that returns from its wallet', () => {
  it('goes after a success to return_url, with replaced placeholders and the return code', async () => {
    const setting = await setUp({ return_urls })
    for (const required_session_binding of ['none', 'page', 'relying_party']) {
      const body = { ...BOTH, required_session_binding }
      const { session, return_url } = await returnByLink(setting, body, 'success')
      const { verification_id: id } = session
      const code = return_url.searchParams.get('return_code')
      expect(return_url.href).toBe(`https://shop.example/verified?id=${id}&return_code=${code}`)
      const path = `/v1/verify/${id}/return`
      const redeemed = call(app, 'POST', path, { headers: setting.headers, body: { return_code: code } })
      expect(await json(redeemed)).toMatchObject({ status: 'verified', session_binding: 'relying_party' })
    }
  })

  it.each([
    ['rejected', 'false'],
    ['declined', 'declined'],
  ] as const)(
    'goes to failure_return_url, with replaced placeholders and without a code, if the session ended as %s',
    async (status, how) => {
      const setting = await setUp({ return_urls })
      const { return_url } = await returnByLink(setting, BOTH, how)
      expect(return_url.href).toBe(`https://help.example/why/${status}`)
      const own = await returnByLink(setting, { return_url: DONE }, how)
      expect(own.return_url.href).toBe(`https://shop.example/${status}?id=${own.session.verification_id}`)
    },
  )
})

describe('the page of a pending session', () => {
  it('has a link without an address, and gives its script the address for each possible end', async () => {
    const setting = await setUp({ return_urls })
    const session = await createSession(setting, BOTH)
    const html = await pageOf(session)
    expect(html).toMatch(/<a id="back" class="button" target="_top" hidden>/)
    expect(backIn(html)).toEqual({
      link: null,
      script: {
        verified: `https://shop.example/verified?id=${session.verification_id}`,
        rejected: 'https://help.example/why/rejected',
        declined: 'https://help.example/why/declined',
        expired: 'https://help.example/why/expired',
        canceled: 'https://help.example/why/canceled',
      },
    })
    expect(text(html)).not.toMatch(/\{status\}|\{verification_id\}|%7Bstatus/i)
  })

  it('has the address in its link if the address is the same for all ends', async () => {
    const id = 'https://shop.example/?id={verification_id}'
    const setting = await setUp({ return_urls: [...return_urls, id] })
    expect(backIn(await pageOf(await createSession(setting, { return_url: PLAIN })))).toEqual({
      link: PLAIN,
      script: {},
    })
    const session = await createSession(setting, { return_url: id })
    const link = `https://shop.example/?id=${session.verification_id}`
    expect(backIn(await pageOf(session))).toEqual({ link, script: {} })
  })

  it('names each host to which the person may return', async () => {
    const setting = await setUp({ return_urls })
    const hostsOf = async (body: object) =>
      [
        ...(await pageOf(await createSession(setting, body))).matchAll(/Afterwards you return to (.*?)\./g),
      ].map(([line]) => line.replace(/[\u2068\u2069]/g, ''))
    expect(await hostsOf({ return_url: DONE })).toHaveLength(1)
    expect(await hostsOf(BOTH)).toHaveLength(2)
    expect(await hostsOf({})).toEqual([])
  })
})

describe('the page after the end', () => {
  it.each([
    ['canceled', (setting: Setting, id: string) => ask(setting, 'POST', id, '/cancel')],
    [
      'expired',
      async () => {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
        return new Response()
      },
    ],
    [
      'verified',
      async (setting: Setting, id: string, { wallet_request }: Session) =>
        post(id, await goodResponse(setting, await fetchRequest(wallet_request.request_uri))),
    ],
  ])('links to the address for this end: %s', async (status, end) => {
    const setting = await setUp({ return_urls })
    const session = await createSession(setting, BOTH)
    const { verification_id: id } = session
    await end(setting, id, session)
    expect((await poll(setting, id)).status).toBe(status)
    const wanted = status === 'verified' ? DONE.replace('{verification_id}', id) : FAILED
    const html = await pageOf(session)
    expect(html).toMatch(/<a id="back"[^>]* target="_top">/)
    expect(/<a id="back"[^>]* href="([^"]*)"/.exec(html)?.[1]).toBe(wanted.replace('{status}', status))
  })

  it('goes to failure_return_url after *Do not share*', async () => {
    const setting = await setUp({ return_urls })
    const session = await createSession(setting, BOTH)
    const { verification_id: id, client_token: token } = session
    expect(await pageOf(session)).toContain('Do not share, back to')
    const headers = { ...OWN_PAGE }
    const declined = await call(app, 'POST', `/s/${id}/decline?token=${token}`, { headers })
    const page = await call(app, 'GET', (declined.headers.get('Location') ?? '').replace(BASE, ''))
    expect(page.headers.get('Refresh')).toBe('0; url=https://help.example/why/declined')
  })
})

describe('a create request', () => {
  it.each([
    [
      'return_url that is not registered',
      400,
      { return_url: DONE.replace('{status}', 'verified') },
      'return_url',
    ],
    [
      'failure_return_url that is not registered',
      400,
      { return_url: DONE, failure_return_url: 'https://evil.example/' },
      'failure_return_url',
    ],
    ['failure_return_url without a return_url', 400, { failure_return_url: FAILED }, 'failure_return_url'],
    ['return_url with a known and an unknown placeholder', 422, { return_url: UNKNOWN }, 'return_url'],
    [
      'failure_return_url with a known and an unknown placeholder',
      422,
      { return_url: PLAIN, failure_return_url: UNKNOWN },
      'failure_return_url',
    ],
    ['placeholder in the host', 422, { return_url: 'https://{status}.shop.example/' }, 'return_url'],
    [
      'placeholder in alternative_url, the page for people without a wallet',
      422,
      { alternative_url: DONE },
      'alternative_url',
    ],
    [
      'return_url that is too long after its placeholders are replaced',
      422,
      { return_url: `${PLAIN}?{verification_id}${'x'.repeat(2000)}` },
      'return_url',
    ],
  ])('is refused with a %s (%i)', async (_, status, body, name) => {
    const more = [UNKNOWN, 'https://{status}.shop.example/', `${PLAIN}?{verification_id}${'x'.repeat(2000)}`]
    const setting = await setUp({ return_urls: [...return_urls, ...more] })
    expect(await refusedErrors(setting, body)).toEqual([status, `/${name}`])
  })

  it('keeps unknown words in braces unchanged if its addresses contain no known placeholder', async () => {
    const address = `${PLAIN}/{id}?x={state}`
    const setting = await setUp({ return_urls: [address] })
    const body = { return_url: address, failure_return_url: address, alternative_url: address }
    const session = await createSession(setting, body)
    expect(await poll(setting, session.verification_id)).toMatchObject({ return_url: address })
    expect(await pageOf(session)).toContain(`href="${address}"`)
  })

  it('has its return addresses in the view as they were sent, and failure_return_url is null by default', async () => {
    const setting = await setUp({ return_urls })
    const viewOf = async (body: object) => poll(setting, (await createSession(setting, body)).verification_id)
    expect(await viewOf(BOTH)).toMatchObject(BOTH)
    expect(await viewOf({ return_url: DONE })).toMatchObject({ return_url: DONE, failure_return_url: null })
  })
})
