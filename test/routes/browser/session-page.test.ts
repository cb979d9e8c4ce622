import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import jsQR from 'jsqr'
import { afterEach, describe, expect, it, vi } from 'vitest'
import TEXTS from '../../../assets/texts/en.json' with { type: 'json' }
import { encodeBase64 } from '../../../src/codec/base64url.ts'
import { loadConfig } from '../../../src/config.ts'
import type { Env } from '../../../src/env.ts'
import { forgetSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import { createApp } from '../../../src/routes/app.ts'
import { fill } from '../../../src/routes/browser/page/texts.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { signClientToken } from '../../../src/session/request/client-token.ts'
import {
  ask,
  createSession,
  fetchRequest,
  fetchRequestRaw,
  goodResponse,
  poll,
  post,
  setUp,
  stubOf,
} from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()
const BASE = 'https://verifier.example'
const SCRIPT = await (await env.ASSETS.fetch('https://assets/page/session-page.js')).text()

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Moves only the clock. */
function later(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

function get(address: string, options: { headers?: Record<string, string>; env?: Env } = {}) {
  return call(app, 'GET', address.replace(BASE, ''), options)
}

const page = async (session: { session_url: string }) => (await get(session.session_url)).text()

/** Returns the number of bytes on the wire. */
async function packedSize(text: string): Promise<number> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return (await new Response(packed).arrayBuffer()).byteLength
}

/** Returns an attribute of the first tag that matches, unescaped. */
function attribute(html: string, tag: RegExp, name: string): string | undefined {
  const element = tag.exec(html)?.[0]
  const value = element && new RegExp(`\\s${name}="([^"]*)"`).exec(element)?.[1]
  return value
    ?.replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

const picture = (html: string) => attribute(html, /<img id="qr"[^>]*>/, 'src')

/** Reads the picture as a camera does: an SVG of one path of rectangles, each one module high. */
function decode(address: string): string | undefined {
  const svg = decodeURIComponent(address.slice('data:image/svg+xml,'.length))
  const [, offset, scale] = /translate\((\d+) \d+\) scale\((\d+)\)/.exec(svg)?.map(Number) ?? []
  const size = 320
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255)
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
    const [left, top] = [offset! + Number(x) * scale!, offset! + Number(y) * scale!]
    for (let row = top; row < top + scale!; row += 1) {
      for (let column = left; column < left + Number(width) * scale!; column += 1) {
        pixels.fill(0, (row * size + column) * 4, (row * size + column) * 4 + 3)
      }
    }
  }
  return jsQR(pixels, size, size)?.data
}

function stored(id: string): Promise<SessionDocument> {
  return runInDurableObject(stubOf(id), (_, state) => state.storage.kv.get<SessionDocument>('session')!)
}

const count = async (id: string) => (await stored(id)).generation_count

describe('the session page', () => {
  it('names the relying party and the requested claims, with HTML escaped', async () => {
    const badge = { meta: { vct_values: ['urn:example:badge'] }, scopes: { 'desk.floor': ['desk', 'floor'] } }
    const setting = await setUp({
      name: '<script>alert(1)</script> & "Söhne"',
      credential_types: [{ type: 'staff_badge', formats: { 'dc+sd-jwt': badge } }],
    })
    const html = await page(
      await createSession(setting, {
        credential_types: ['staff_badge', 'age_attestation'],
        scope: ['age_over_18', 'desk.floor'],
        credential_match: 'all',
      }),
    )
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Söhne&quot;')
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('<li><bdi>that you are 18 or older</bdi></li><li><bdi>desk.floor</bdi></li>')
    expect(html).toContain('From: staff_badge and proof of age')
  })

  it('contains a QR code already in the first response, and this code is for a new wallet request', async () => {
    const session = await createSession(await setUp())
    const html = await page(session)
    const uri = decode(picture(html) ?? '')
    expect(uri).toMatch(/^openid4vp:\/\/\?client_id=/)
    expect(uri).not.toBe(session.wallet_request.uri)
    expect(await count(session.verification_id)).toBe(2)
    const { state } = await fetchRequest(new URL(uri!).searchParams.get('request_uri')!)
    expect(state).toMatch(/^[A-Za-z0-9_-]+$/)
  })

  it('loads nothing from other origins, and runs only the three scripts of the service', async () => {
    const response = await get((await createSession(await setUp())).session_url)
    const html = await response.text()
    expect([...html.matchAll(/<script/g)]).toHaveLength(3)
    expect(html).toMatch(
      /<script type="module" src="\/assets\/session-page\.js\?v=[\w-]{16}"><\/script>\s*<\/head>/,
    )
    expect(html).toMatch(/<script type="module" src="\/assets\/dc-api\.js\?v=[\w-]{16}"><\/script>/)
    expect(html).toMatch(/<script type="module" src="\/assets\/link\.js\?v=[\w-]{16}"><\/script>/)
    // A link to a store is followed only by the person.
    const links = /<a href="https:[^"]*" target="_blank" rel="noopener">/g
    const addresses = [...html.replaceAll(links, '').matchAll(/\s(?:src|href|action|srcset)="([^"]*)"/g)].map(
      ([, address]) => address,
    )
    expect(
      addresses.every((address) =>
        /^(data:|\?token=|\/assets\/|\/test\/wallet\?uri=|\/s\/[\w-]+\/decline\?token=|$)/.test(address!),
      ),
    ).toBe(true)
    expect(html).not.toMatch(/\son\w+=|javascript:|<iframe|\sstyle=|@import|url\(/)
  })

  it('is not cached, sends no referrer to other sites, allows no frame, and allows its own style by hash', async () => {
    const response = await get((await createSession(await setUp())).session_url)
    const html = await response.text()
    const style = new TextEncoder().encode(/<style>([\s\S]*?)<\/style>/.exec(html)?.[1])
    const hash = btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-256', style))))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-language': 'en',
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'sha256-${hash}'`,
        "img-src 'self' data:",
        "connect-src 'self' wss://verifier.example",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "require-trusted-types-for 'script'",
      ].join('; '),
      'content-type': 'text/html; charset=UTF-8',
      'referrer-policy': 'same-origin', // a form without it sends no origin
      'strict-transport-security': 'max-age=31536000',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    })
  })

  it('gives its script the address of the session, its remaining time and the texts of every state', async () => {
    const setting = await setUp({ name: 'Corner "Shop"' })
    const session = await createSession(setting, { expires_in: 60 })
    const data = JSON.parse(attribute(await page(session), /<main[^>]*>/, 'data-page') ?? '')
    expect(data).toMatchObject({ api: `/v1/verify/${session.verification_id}`, version: 1 })
    expect(data.expires_in).toBeGreaterThan(50_000)
    expect(data.expires_in).toBeLessThanOrEqual(60_000)
    expect(data.states.canceled.text).toContain('Corner "Shop"')
    expect(Object.keys(data.states)).toEqual(
      expect.arrayContaining(['waiting', 'scanned', 'verified', 'gone']),
    )
    expect(JSON.stringify(data)).not.toContain(session.client_token)
  })

  it('shows the purpose that the relying party states, with HTML escaped', async () => {
    const setting = await setUp()
    const html = await page(await createSession(setting, { purpose: 'To sell you {name} & <wine>' }))
    expect(html).toContain('Why: <bdi lang="" dir="auto">To sell you {name} &amp; &lt;wine&gt;</bdi>')
    expect(await page(await createSession(setting))).not.toContain('class="why"')
  })

  it('has the colour and the logo of its relying party, and a link to its return_url', async () => {
    const logo = 'data:image/png;base64,iVBORw0KGgo='
    const return_url = 'https://shop.example/done?a=1&b=2'
    const branding = { color: '#ffee00', logo }
    const setting = await setUp({ branding, return_urls: [return_url] })
    const response = await get((await createSession(setting, { return_url })).session_url)
    const html = await response.text()
    expect(html).toContain(`<img class="logo" src="${logo}" alt="">`)
    const style = /<style>(:root\{--brand:#[0-9a-f]{6};[^<]*)<\/style>/.exec(html)?.[1]
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
    const policy = response.headers.get('Content-Security-Policy')
    expect(policy).toContain(` 'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}';`)
    expect(attribute(html, /<a id="back"[^>]*>/, 'href')).toBe(return_url)
    expect(html).toMatch(/<a id="back"[^>]* hidden>/)
  })

  it('may be shown in frames by the origins of its relying party, except origins with a character that has a meaning in a CSP', async () => {
    const odd = ['https://a;script-src.example', "https://a'.example", 'https://*.example']
    const origins = ['https://shop.example', 'https://till.shop.example:8443', ...odd]
    const { headers } = await get((await createSession(await setUp({ origins }))).session_url)
    const listed = "frame-ancestors https://shop.example https://till.shop.example:8443; base-uri 'none'"
    expect(headers.get('Content-Security-Policy')).toContain(`; ${listed}; `)
  })

  it.each([
    ['https://till.shop.example:8443', true],
    ['https://shop.example', true],
    ['https://shop.example/', false],
    ['https://shop.example:8443', false],
    ['https://evil.example', false],
    ['*', false],
    ['', false],
  ])(
    'the session page with the parameter embed=%j may send messages to this origin: %s',
    async (embed, isNamed) => {
      const origins = ['https://shop.example', 'https://till.shop.example:8443']
      const { session_url } = await createSession(await setUp({ origins }))
      const html = await (await get(`${session_url}&embed=${encodeURIComponent(embed)}`)).text()
      expect(attribute(html, /<main[^>]*>/, 'data-embed')).toBe(isNamed ? embed : undefined)
      expect(/src="\/assets\/embed\.js\?v=[\w-]{16}"/.test(html)).toBe(isNamed)
      expect(html.includes(embed)).toBe(isNamed || embed === '' || embed === '*')
    },
  )

  it('shows that a session is in test mode', async () => {
    expect(await page(await createSession(await setUp()))).toContain(TEXTS.testMode)
    const live = await createSession(await setUp({ livemode: true }))
    expect(await page(live)).not.toContain(TEXTS.testMode)
  })

  it('has less than 30 KB with its scripts and the largest logo', async () => {
    const noise = Array.from({ length: 12_280 }, (_, i) => (i * i * 7919 + (i >> 3) * 104_729) & 255)
    const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...noise])
    const logo = `data:image/png;base64,${encodeBase64(bytes)}`
    const html = await page(await createSession(await setUp({ branding: { color: '#7a1f3d', logo } })))
    expect(html).toContain(logo)
    const scripts = [...html.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, address]) => address!)
    const parts = [html, ...(await Promise.all(scripts.map(async (address) => (await get(address)).text())))]
    expect(parts).toHaveLength(4)
    const sizes = await Promise.all(parts.map(packedSize))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30 * 1024)
  })

  it('is sent in the best content coding that the browser accepts, and so is its script', async () => {
    const { session_url } = await createSession(await setUp())
    const plain = await get(session_url)
    const [, script] = /<script[^>]* src="([^"]*)"/.exec(await plain.text())!
    for (const [codings, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['gzip;q=0, br', 'br'],
      ['gzip, br;q=0.0', 'gzip'],
      ['', null],
    ] as const) {
      for (const address of [session_url, script!]) {
        const { headers } = await get(address, { headers: { 'Accept-Encoding': codings } })
        expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual([coding, 'Accept-Encoding'])
      }
    }
  })

  it('has no QR code if too many QR codes were drawn for the session', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const stub = stubOf(session.verification_id)
    const by = { relyingPartyId: setting.relyingPartyId }
    const openWhenExhausted = async (): Promise<string> => {
      while ((await stub.render(by, null)).ok) {
        // renders until the limit
      }
      const response = await get(session.session_url)
      expect(response.status).toBe(200)
      return response.text()
    }
    // A session may be rendered again each second, so a slow machine may need several rounds.
    let html = await openWhenExhausted()
    for (let tries = 0; tries < 20 && picture(html) !== undefined; tries++) html = await openWhenExhausted()
    expect(/<img id="qr"[^>]*>/.exec(html)?.[0]).toMatch(/ hidden>$/)
    expect(picture(html)).toBeUndefined()
    expect(html).toContain('<script type="module"')
    // No request is lowered for such a page: neither for the list, nor for a wallet in its address.
    expect(html).not.toContain('<details id="wallets">')
    const read = (named: string, mayLower: boolean) => stub.readPage(by, { named, mayLower })
    expect(await read('eudi-ios', false)).toMatchObject({ ok: true, value: { wallet: null } })
    expect(await read('eudi-ios', true)).toMatchObject({ ok: true, value: { wallet: 'eudi-ios' } })
  })
})

describe('the session page in every state', () => {
  const shows = async (
    session: { session_url: string },
    state: keyof typeof TEXTS.states,
    { text }: { readonly text: string } = TEXTS.states[state],
  ) => {
    const html = await page(session)
    const name = '\u2068Shop\u2069'
    expect(attribute(html, /<main[^>]*>/, 'data-state')).toBe(state)
    expect(html).toContain(`<h2 id="title" tabindex="-1">${TEXTS.states[state].title}</h2>`)
    const close = state === 'verified' ? ` ${TEXTS.closePage}` : ''
    expect(html).toContain(`<p id="text">${fill(text, { name })}${close}</p>`)
    return html
  }
  /** Expects no QR code, no script, and no detail of the result. */
  const showsOutcome = async (
    session: { session_url: string },
    state: keyof typeof TEXTS.states,
    text: string = TEXTS.states[state].text,
  ) => {
    const html = await shows(session, state, { text })
    expect(html).not.toMatch(/<img|<script|data:image/)
    expect(html).toContain('asked you to show')
    return html
  }

  it('shows the state waiting, then the state scanned, and still has a QR code in the state scanned', async () => {
    const session = await createSession(await setUp())
    await shows(session, 'waiting')
    await fetchRequestRaw(session.wallet_request.request_uri)
    expect(picture(await shows(session, 'scanned'))).toBeDefined()
  })

  it('shows a success without any claim value', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const request = await fetchRequest(session.wallet_request.request_uri)
    const answer = await goodResponse(setting, request, { age_over_18: true, family_name: 'Canary' })
    expect((await post(session.verification_id, answer)).status).toBe(200)
    const html = await showsOutcome(session, 'verified')
    expect(html).not.toMatch(/Canary|issuer\.example|substantial/)
  })

  it('shows a rejection without its reason', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const request = await fetchRequest(session.wallet_request.request_uri)
    const answer = await goodResponse(setting, request, { age_over_18: false })
    expect((await post(session.verification_id, answer)).status).toBe(200)
    const { reason } = await poll(setting, session.verification_id)
    const html = await showsOutcome(session, 'rejected', TEXTS.ends.not_suitable)
    expect(html).not.toContain(reason.code)
    expect(html).not.toContain(reason.message)
  })

  it('shows that the document has expired, and GET /v1/verify/{id} with the client_token has the family `expired`', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    const { verification_id: id, client_token: token } = session
    const request = await fetchRequest(session.wallet_request.request_uri)
    const answer = await goodResponse(setting, request, { age_over_18: true, exp: 1_700_000_000 })
    expect((await post(id, answer)).status).toBe(200)
    expect((await poll(setting, id)).reason.code).toBe('credential_expired')
    await showsOutcome(session, 'rejected', TEXTS.ends.expired)
    const headers = { Authorization: `Bearer ${token}` }
    expect(await (await get(`/v1/verify/${id}`, { headers })).json()).toMatchObject({ family: 'expired' })
  })

  it('shows that the wallet declined', async () => {
    const session = await createSession(await setUp())
    const { state } = await fetchRequest(session.wallet_request.request_uri)
    await post(session.verification_id, { error: 'access_denied', error_description: 'Canary', state })
    expect(await showsOutcome(session, 'declined')).not.toContain('Canary')
  })

  it('shows that the relying party canceled', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    await ask(setting, 'POST', session.verification_id, '/cancel')
    await showsOutcome(session, 'canceled')
  })

  it('shows that the session expired', async () => {
    const session = await createSession(await setUp())
    later(601_000)
    await showsOutcome(session, 'expired')
  })
})

describe('access to the page', () => {
  it('requires the client_token: any other token or id gets the same 404 and creates no object', async () => {
    const setting = await setUp()
    const [session, other, erased] = await Promise.all([1, 2, 3].map(() => createSession(setting)))
    await ask(setting, 'DELETE', erased.verification_id)
    const id = session.verification_id
    const forged = `v_${'A'.repeat(43)}`
    const [apiKey, config] = [setting.headers.Authorization!.slice('Bearer '.length), loadConfig(env)]
    const objects = (await listDurableObjectIds(env.VERIFICATION_SESSION)).length
    const addresses = [
      `/s/${id}`,
      `/s/${id}?token=`,
      `/s/${id}?token=${session.client_token}x`,
      `/s/${id}?token=${other.client_token}`,
      `/s/${id}?token=${apiKey}`,
      `/s/${forged}?token=${await signClientToken(config, { verification_id: forged, created_at: Date.now() })}`,
      `/s/v_1?token=${await signClientToken(config, { verification_id: 'v_1', created_at: Date.now() })}`,
      erased.session_url,
    ]
    const answers = await Promise.all(
      addresses.map(async (address) => {
        const response = await get(address)
        const { 'x-request-id': _, ...headers } = Object.fromEntries(response.headers)
        return { status: response.status, headers, text: await response.text() }
      }),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]?.status).toBe(404)
    expect(answers[0]?.headers['cache-control']).toBe('no-store')
    expect(answers[0]?.text).toContain(TEXTS.notFound.title)
    expect(await listDurableObjectIds(env.VERIFICATION_SESSION)).toHaveLength(objects)
    expect(await count(id)).toBe(1)
  })

  it('needs the token in the address: a token in a header gives no access', async () => {
    const { verification_id, client_token } = await createSession(await setUp())
    const headers = { Authorization: `Bearer ${client_token}` }
    expect((await get(`/s/${verification_id}`, { headers })).status).toBe(404)
  })

  it('ends when the relying party is deleted', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    forgetSettings(setting.relyingPartyId)
    const without = { get: () => ({ settings: async () => ({ ok: false, error: 'not_found' }) }) }
    const response = await get(session.session_url, { env: withNamespace('RELYING_PARTY', without) })
    expect(response.status).toBe(404)
    forgetSettings(setting.relyingPartyId)
  })
})

describe('a request without an effect', () => {
  it.each(['prefetch', 'prefetch;prerender'])(
    'draws no QR code for the header Sec-Purpose: %s',
    async (purpose) => {
      const { verification_id, session_url } = await createSession(await setUp())
      const response = await get(session_url, { headers: { 'Sec-Purpose': purpose } })
      expect(response.status).toBe(503)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(response.headers.get('Retry-After')).toBe('2')
      expect(await count(verification_id)).toBe(1)
    },
  )

  it('draws no QR code for HEAD', async () => {
    const { verification_id, session_url } = await createSession(await setUp())
    const response = await call(app, 'HEAD', session_url.replace(BASE, ''))
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('GET, POST')
    expect(await count(verification_id)).toBe(1)
  })
})

/** Returns the real bindings with one namespace of real ids and fake objects. */
function withNamespace(name: 'VERIFICATION_SESSION' | 'RELYING_PARTY', fake: object): Env {
  const idFromString = (id: string) => env[name].idFromString(id)
  return { ...env, [name]: { idFromString, ...fake } }
}

describe('an unreachable object', () => {
  const unreachable = () =>
    Promise.reject(Object.assign(new Error('Network connection lost.'), { retryable: true }))

  it('an unreachable object of a session makes the page respond 503 with the advice to reload', async () => {
    const session = await createSession(await setUp())
    const objects = { get: () => ({ render: unreachable, page: unreachable }) }
    const response = await get(session.session_url, { env: withNamespace('VERIFICATION_SESSION', objects) })
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('2')
    expect(await response.text()).toContain(TEXTS.unavailable.text)
  })

  it('an object that fails for any other reason makes the page respond 500', async () => {
    const session = await createSession(await setUp())
    const fail = () => Promise.reject(new Error('a mistake'))
    const objects = { get: () => ({ render: fail, page: fail }) }
    const response = await get(session.session_url, { env: withNamespace('VERIFICATION_SESSION', objects) })
    expect(response.status).toBe(500)
    expect(response.headers.get('Retry-After')).toBeNull()
  })

  it('an unreachable object of a relying party makes the page respond 503', async () => {
    const setting = await setUp()
    const session = await createSession(setting)
    forgetSettings(setting.relyingPartyId)
    const objects = { get: () => ({ settings: unreachable }) }
    const response = await get(session.session_url, { env: withNamespace('RELYING_PARTY', objects) })
    expect(response.status).toBe(503)
    forgetSettings(setting.relyingPartyId)
  })
})

describe('the page’s script', () => {
  it('may be cached for a year at the address that the page contains', async () => {
    const html = await page(await createSession(await setUp()))
    const response = await get(attribute(html, /<script[^>]* src="[^"]*session-page[^>]*>/, 'src') ?? '')
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(await response.text()).toBe(SCRIPT)
  })

  it.each(['', '?v=', '?v=AAAAAAAAAAAAAAAA'])('has no-cache at any other address: %s', async (query) => {
    const response = await get(`/assets/session-page.js${query}`)
    expect(response.headers.get('Cache-Control')).toBe('no-cache')
    expect(await response.text()).toBe(SCRIPT)
  })

  it('inserts no text as HTML and evaluates no code', () => {
    expect(SCRIPT).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|srcdoc/)
  })
})

describe('the page that a wallet returns people to', () => {
  it('is the same for every session id, and reads no session', async () => {
    const session = await createSession(await setUp())
    const contact = vi.fn()
    const untouched = withNamespace('VERIFICATION_SESSION', { idFromString: contact, get: contact })
    const ids = [session.verification_id, `v_${'A'.repeat(43)}`, 'nonsense']
    const answers = await Promise.all(
      ids.map((id) =>
        get(`/v1/verify/${id}/return`, { env: untouched, headers: { 'Sec-Purpose': 'prefetch' } }),
      ),
    )
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain(TEXTS.returned.text)
    expect(texts[0]).toMatch(/<script type="module" src="\/assets\/return-page\.js\?v=[\w-]{16}"><\/script>/)
    expect(texts[0]).not.toMatch(/<script>|<img/)
    expect(contact).not.toHaveBeenCalled()
    const policy = answers[0]?.headers.get('Content-Security-Policy')
    expect(policy).toMatch(/^default-src 'none';.* frame-ancestors 'none';/)
    expect(answers[0]?.headers.get('Referrer-Policy')).toBe('no-referrer')
  })
})
