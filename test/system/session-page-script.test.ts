// The session page's script with a fake browser. The tests control the time.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const SCRIPT = readFileSync(
  fileURLToPath(new URL('../../assets/page/session-page.js', import.meta.url).href),
  'utf8',
)
const API = '/v1/verify/v_1'

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type View = {
  readonly version: number
  readonly status: string
  readonly stage: string
  readonly wallet_activity: {
    readonly number: number
    readonly kind: string
    readonly family: string | null
  } | null
  readonly family?: string | null
}
type Reply = { readonly status: number; readonly body?: unknown }

class FakeSocket {
  closed = false
  onmessage: (event: { data: string }) => void = () => undefined
  onclose: (event: { reason: string }) => void = () => undefined
  readonly address: URL
  constructor(address: URL) {
    this.address = address
  }
  send(view: View): void {
    this.onmessage({ data: JSON.stringify(view) })
  }
  close(): void {
    if (!this.closed) this.fail()
  }
  fail(reason = ''): void {
    this.closed = true
    this.onclose({ reason })
  }
}

const CREATED = { version: 1, status: 'pending', stage: 'created', wallet_activity: null }
const FETCHED = { number: 1, kind: 'request_fetched', family: null }
const SCANNED = { version: 2, status: 'pending', stage: 'request_fetched', wallet_activity: FETCHED }
const VERIFIED = { version: 3, status: 'verified', stage: 'done', wallet_activity: null }

/** The state after a refused response. */
const refused = (number: number, family: string): View => ({
  ...SCANNED,
  version: number + 1,
  wallet_activity: { number, kind: 'response_refused', family },
})

type PageOptions = {
  readonly expiresIn?: number
  readonly state?: string
  readonly drawn?: boolean
  readonly held?: boolean
  /** The ways that are visible. */
  readonly shown?: readonly string[]
  readonly hasCode?: boolean
  readonly activity?: { readonly number: number; readonly ago: number } | null
  /** False for a login whose session does not exist yet. */
  readonly begun?: boolean
  /** Address of the way back; null if the address depends on the end. */
  readonly back?: string | null
}

/** Runs the script on a page and returns the page's parts. */
function open({ expiresIn = 600_000, state = 'waiting', held = false, ...page }: PageOptions = {}) {
  const { drawn = true, shown = ['qr'], hasCode = true, activity = null, begun = true } = page
  const { back = 'https://shop.example/done' } = page
  const names = [
    'waiting',
    'scanned',
    'refused',
    'verified',
    'returning',
    'rejected',
    'declined',
    'expired',
    'canceled',
    'gone',
  ]
  const states = Object.fromEntries(names.map((name) => [name, { title: name, text: `It is ${name}.` }]))
  const data = {
    api: API,
    begun,
    follows: !begun,
    version: 1,
    expires_in: expiresIn,
    asked: 'asked',
    time_left: '{time} left',
    states,
    seen: 0,
    wallet: null,
    activity,
    ends: { expired: 'It is too old.' },
    back: back === null ? { verified: 'https://shop.example/wine', expired: 'https://shop.example/end' } : {},
    refusals: { issuer: 'Not this issuer.', unavailable: 'Not now.' },
    ways: ['link', 'test-wallet', 'qr'].map((id) => ({
      id,
      opening: id === 'test-wallet' ? null : { title: `begin with ${id}`, text: `It is ${id}.` },
    })),
  }
  const part = (hidden = false) => ({
    ...{ hidden, textContent: '', src: '', href: '', removed: false, focused: false },
    offsetParent: null as object | null,
    press: (() => undefined) as (event: object) => void,
    addEventListener(_: string, listener: (event: object) => void) {
      this.press = listener
    },
    contains: () => held,
    focus() {
      this.focused = true
    },
    remove() {
      this.removed = true
    },
  })
  const parts: Record<string, ReturnType<typeof part>> = {
    ...{ title: part(), text: part(), asks: part(), time: part(true), lost: part(true) },
    ...{
      live: part(),
      help: part(),
      consent: part(),
      back: { ...part(true), href: back ?? '' },
      'link-note': part(),
      'new-code': part(true),
    },
    ...{ link: part(), 'test-wallet': part(), ...(hasCode && { qr: part(!drawn) }) },
  }
  for (const id of shown) parts[id]!.offsetParent = {}
  const listeners: Record<string, () => void> = {}
  const listen = (name: string, listener: () => void) => {
    listeners[name] = listener
  }
  const events: string[] = []
  class Event {
    readonly type: string
    constructor(type: string) {
      this.type = type
    }
  }
  const dispatchEvent = ({ type }: Event) => events.push(type)
  const main = { dataset: { page: JSON.stringify(data), state }, addEventListener: listen, dispatchEvent }
  const document = {
    ...{ hidden: false, title: '' },
    querySelector: () => main,
    getElementById: (id: string) => parts[id] ?? null,
    addEventListener: listen,
  }
  const sockets: FakeSocket[] = []
  const replies: { state: Reply | Error; qr: Reply | Error } = {
    state: { status: 200, body: CREATED },
    qr: { status: 200, body: '<svg/>' },
  }
  const requests: { at: number; path: string; headers: Record<string, string> }[] = []
  const start = Date.now()
  const fetch = async (path: string, { headers }: { headers: Record<string, string> }) => {
    requests.push({ at: Date.now() - start, path, headers })
    const reply = path.endsWith('/qr') ? replies.qr : replies.state
    if (reply instanceof Error) throw reply
    const { status, body } = reply
    return { status, ok: status === 200, text: async () => body, json: async () => body }
  }
  class WebSocket extends FakeSocket {
    constructor(address: URL) {
      super(address)
      sockets.push(this)
    }
  }
  const addresses: string[] = []
  const location = {
    ...{ search: '?token=ct_1', href: 'https://verifier.example/s/v_1?token=ct_1' },
    replace: (address: string) => addresses.push(address),
  }
  const history = { replaceState: (_: unknown, __: string, address: string) => addresses.push(address) }
  const timers = { Date, setTimeout, clearTimeout, setInterval, clearInterval }
  const web = { Event, URL, URLSearchParams, AbortSignal: { timeout: () => undefined }, Math }
  runInNewContext(SCRIPT, {
    ...{ document, location, history, fetch, WebSocket, addEventListener: listen, self: {} },
    ...timers,
    ...web,
  })
  return {
    ...{ parts, document, sockets, replies, requests, listeners, addresses, events },
    state: () => main.dataset.state,
    draws: () => requests.filter(({ path }) => path === `${API}/qr`).map(({ at }) => at),
    reads: () => requests.filter(({ path }) => path === API).map(({ at }) => at),
    last: () => sockets.at(-1)!,
  }
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)

describe('the QR code on the session page', () => {
  it('is replaced every 30 seconds, by a request with the client token in a header', async () => {
    const { draws, requests, parts, last } = open()
    last().send(CREATED)
    await seconds(59)
    expect(draws()).toEqual([30_000])
    expect(parts.qr!.src).toBe(`data:image/svg+xml,${encodeURIComponent('<svg/>')}`)
    await seconds(1)
    expect(draws()).toEqual([30_000, 60_000])
    const headers = { Authorization: 'Bearer ct_1', Accept: 'image/svg+xml' }
    expect(requests.find(({ path }) => path.endsWith('/qr'))?.headers).toEqual(headers)
  })

  it('is not replaced while the page is hidden, and is replaced at once when the page is visible again', async () => {
    const { draws, reads, document, listeners, last } = open()
    last().send(CREATED)
    document.hidden = true
    await seconds(50)
    expect(draws()).toEqual([])
    document.hidden = false
    listeners.visibilitychange!()
    expect(draws()).toEqual([50_000])
    expect(reads()).toEqual([50_000])
  })

  it('is not replaced after a wallet scanned it', async () => {
    const { draws, parts, last, state } = open()
    await seconds(10)
    last().send(SCANNED)
    await seconds(100)
    expect(draws()).toEqual([])
    expect(state()).toBe('scanned')
    expect(parts.title!.textContent).toBe('scanned')
    expect(parts.live!.removed).toBe(false)
  })

  it('is requested every 2 seconds if the page was loaded without its QR code, until the QR code arrives', async () => {
    const { draws, parts, replies } = open({ drawn: false })
    replies.qr = { status: 429 }
    await seconds(3)
    expect(parts.qr!.hidden).toBe(true)
    replies.qr = { status: 200, body: '<svg/>' }
    await seconds(20)
    expect(parts.qr!.hidden).toBe(false)
    expect(draws()).toEqual([2000, 4000])
  })

  it('is never requested if the session has no QR code', async () => {
    const { draws } = open({ hasCode: false, shown: ['link'] })
    await seconds(100)
    expect(draws()).toEqual([])
  })

  it('makes the page read the state if the request for the QR code gets 410', async () => {
    const { reads, replies, state, last } = open()
    last().send(CREATED)
    replies.qr = { status: 410 }
    replies.state = { status: 200, body: { ...VERIFIED, status: 'canceled' } }
    await seconds(30)
    expect(reads()).toEqual([30_000])
    expect(state()).toBe('canceled')
  })
})

describe('the state on the session page', () => {
  it('arrives over a socket that is opened with the token, and an older version never replaces a newer one', async () => {
    const { last, state } = open()
    expect(last().address.href).toBe('wss://verifier.example/v1/verify/v_1/watch?token=ct_1')
    last().send(SCANNED)
    last().send(CREATED)
    expect(state()).toBe('scanned')
    last().send({ ...CREATED, version: 3 })
    expect(state()).toBe('waiting')
  })

  it.each(['verified', 'rejected', 'declined', 'expired', 'canceled'])(
    'is shown once when the session ends, and all requests then stop: %s',
    async (status) => {
      const { last, state, parts, document, requests, sockets } = open()
      last().send({ ...VERIFIED, status })
      expect(state()).toBe(status)
      expect(document.title).toBe(status)
      expect(parts.text!.textContent).toBe(`It is ${status}.`)
      expect(parts.asks!.textContent).toBe('asked')
      expect([parts.live!.removed, parts.consent!.removed, parts.back!.hidden]).toEqual([true, true, false])
      expect(last().closed).toBe(true)
      await seconds(1000)
      expect([requests.length, sockets.length, vi.getTimerCount()]).toEqual([0, 1, 0])
    },
  )

  it('gets the focus when the session ends, if the button that had the focus is removed', () => {
    for (const held of [true, false]) {
      const { last, parts } = open({ held })
      last().send(VERIFIED)
      expect(parts.title!.focused).toBe(held)
    }
  })

  it('has a title that fits the first visible link or QR code while the page waits for a wallet', () => {
    const titleOf = (page: PageOptions) => open(page).parts.title!.textContent
    expect(titleOf({ shown: ['link', 'test-wallet', 'qr'] })).toBe('begin with link')
    expect(titleOf({ shown: ['test-wallet', 'qr'] })).toBe('begin with qr')
    expect(titleOf({ shown: ['test-wallet'] })).toBe('waiting')
    expect(titleOf({ state: 'scanned' })).toBe('')
  })

  it('has a link back, whose address depends on the outcome if the relying party gave two addresses', () => {
    for (const [status, differing] of [
      ['verified', 'https://shop.example/wine'],
      ['expired', 'https://shop.example/end'],
    ] as const) {
      const [same, other] = [open(), open({ back: null })]
      for (const { last } of [same, other]) last().send({ ...VERIFIED, status })
      expect(same.parts.back).toMatchObject({ hidden: false, href: 'https://shop.example/done' })
      expect(other.parts.back).toMatchObject({ hidden: false, href: differing })
    }
  })

  it('has no link back if the session was erased and the address depends on the outcome', () => {
    for (const [back, hidden] of [['https://shop.example/done', false] as const, [null, true] as const]) {
      const { last, parts, state } = open({ back })
      last().fail('erased')
      expect([state(), parts.back!.hidden]).toEqual(['gone', hidden])
    }
  })

  it('has the text for the kind of its reason when the session ends as rejected', () => {
    const { last, parts } = open()
    last().send({ ...VERIFIED, status: 'rejected', family: 'expired' })
    expect(parts.title!.textContent).toBe('rejected')
    expect(parts.text!.textContent).toBe('It is too old.')
  })

  it('causes the event `ended` for other scripts when the session ends on this page, but not after an erasure', () => {
    const ended = open()
    ended.last().send(VERIFIED)
    expect(ended.events).toEqual(['ended'])
    const elsewhere = open({ state: 'returning' })
    elsewhere.last().send(VERIFIED)
    expect(elsewhere.events).toEqual([])
    const erased = open()
    erased.last().fail('erased')
    expect(erased.events).toEqual([])
  })

  it('is ignored if the script does not know the status', () => {
    const { last, state } = open()
    last().send({ ...VERIFIED, status: 'constructor' })
    expect(state()).toBe('waiting')
  })

  it('is shown as erased if the socket closes with `erased`, or if the service responds with 404', async () => {
    const one = open()
    one.last().fail('erased')
    expect(one.state()).toBe('gone')
    const other = open()
    other.replies.state = { status: 404 }
    other.last().fail()
    await seconds(1)
    expect(other.state()).toBe('gone')
  })

  it('is also read once a minute, because a broken socket may cause no error', async () => {
    const { reads, last } = open({ state: 'scanned' })
    last().send(SCANNED)
    await seconds(125)
    expect(reads()).toEqual([60_000, 120_000])
  })

  it('is read at the end of the session’s time, and then every 5 seconds until the session has ended', async () => {
    const { reads, last, replies, state, parts } = open({ expiresIn: 90_000 })
    last().send(CREATED)
    await seconds(96)
    expect(reads()).toEqual([60_000, 90_000, 95_000])
    expect(parts.time!.textContent).toBe('0:00 left')
    replies.state = { status: 200, body: { ...VERIFIED, status: 'expired' } }
    await seconds(5)
    expect(state()).toBe('expired')
  })
})

describe('a refused response', () => {
  const press = ({ parts }: ReturnType<typeof open>) =>
    parts['new-code']!.press({ preventDefault: () => undefined })

  it('is shown with the text for its kind, or with a general text if the kind is unknown, until the next refusal', () => {
    const { last, state, parts } = open()
    last().send(refused(2, 'issuer'))
    expect([state(), parts.title!.textContent, parts.text!.textContent]).toEqual([
      'refused',
      'refused',
      'Not this issuer.',
    ])
    last().send(refused(3, 'unavailable'))
    expect(parts.text!.textContent).toBe('Not now.')
    last().send(refused(4, 'a later family'))
    expect(parts.text!.textContent).toBe('It is refused.')
  })

  it('disappears when the button for a new QR code is pressed, which adds the refusal number to the URL and focuses the title', () => {
    const page = open()
    page.last().send(refused(2, 'issuer'))
    page.last().send(refused(3, 'issuer'))
    expect(page.parts['new-code']!.hidden).toBe(false)
    press(page)
    expect(page.state()).toBe('waiting')
    expect(page.draws()).toHaveLength(1)
    expect(page.addresses).toEqual(['?token=ct_1&seen=3'])
    expect([page.parts['new-code']!.hidden, page.parts.title!.focused]).toEqual([true, true])
    page.last().send(refused(3, 'issuer'))
    expect(page.state()).toBe('waiting')
    page.last().send(refused(4, 'unavailable'))
    expect([page.state(), page.parts.text!.textContent]).toEqual(['refused', 'Not now.'])
  })

  it('is replaced by the outcome of a later response', () => {
    const { last, state } = open()
    last().send(refused(2, 'issuer'))
    last().send({ ...VERIFIED, version: 9 })
    expect(state()).toBe('verified')
  })

  it.each([
    ['30 s after the fetch', null, 29, 1],
    ['30 s after a fetch that the page did not see', { number: 1, ago: 20_000 }, 9, 1],
  ])(
    'is not necessary for the button for a new QR code, which also appears %s',
    async (_, activity, before, after) => {
      const page = open({ activity, state: activity === null ? 'waiting' : 'scanned' })
      page.last().send(SCANNED)
      await seconds(before)
      expect(page.parts['new-code']!.hidden).toBe(true)
      await seconds(after)
      expect(page.parts['new-code']!.hidden).toBe(false)
      press(page)
      expect(page.state()).toBe('waiting')
      page.last().send({ ...SCANNED, version: 8 })
      expect(page.state()).toBe('waiting')
    },
  )
})

describe('a lost connection of the session page', () => {
  it('is opened again after increasing pauses, and the state is read before each attempt', async () => {
    const { sockets, reads, last } = open()
    for (const pause of [0.5, 1, 2, 5, 10, 20, 20]) {
      const before = sockets.length
      last().fail()
      await seconds(pause - 0.001)
      expect(sockets).toHaveLength(before)
      await seconds(0.001)
      expect(sockets).toHaveLength(before + 1)
    }
    expect(reads()).toHaveLength(7)
    last().send(CREATED)
    last().fail()
    await seconds(0.5)
    expect(sockets).toHaveLength(9)
  })

  it('is shown after two failures, and is hidden after the next message', async () => {
    const { last, parts, replies } = open()
    replies.state = new Error('offline')
    last().fail()
    await seconds(0.5)
    expect(parts.lost!.hidden).toBe(true)
    last().fail()
    await seconds(1)
    expect(parts.lost!.hidden).toBe(false)
    last().send(CREATED)
    expect(parts.lost!.hidden).toBe(true)
    last().fail()
    await seconds(0.5)
    expect(parts.lost!.hidden).toBe(true)
  })

  it('is not shown if only sockets are blocked, because polls keep the page current', async () => {
    const { last, parts, replies, state } = open()
    last().fail()
    await seconds(1)
    replies.state = { status: 200, body: SCANNED }
    last().fail()
    await seconds(1)
    expect(state()).toBe('scanned')
    expect(parts.lost!.hidden).toBe(true)
  })

  it('is detected if a socket never opens', async () => {
    const { sockets } = open()
    await seconds(11)
    expect(sockets[0]?.closed).toBe(true)
    expect(sockets).toHaveLength(2)
  })
})

describe('the countdown on the session page', () => {
  it.each([
    [600_000, '9:59 left'],
    [4_145_000, '1:09:04 left'],
    [61_000, '1:00 left'],
  ])('a countdown of %i ms shows "%s" after one second', async (expiresIn, words) => {
    const { parts } = open({ expiresIn })
    expect(parts.time!.hidden).toBe(false)
    await seconds(1)
    expect(parts.time!.textContent).toBe(words)
  })
})

describe('the page of a login whose session does not exist yet', () => {
  it('sends no request until another script has created the session, and then follows the session', async () => {
    const { sockets, requests, listeners, parts } = open({ begun: false, hasCode: false, shown: [] })
    listeners.online!()
    await seconds(120)
    expect([sockets.length, requests.length, parts.time!.textContent]).toEqual([0, 0, '8:00 left'])
    listeners.begun!()
    sockets[0]?.send(SCANNED)
    expect([sockets.length, parts.title!.textContent]).toEqual([1, 'scanned'])
  })

  it('returns to the relying party when the login has expired', async () => {
    const { state, parts, addresses } = open({ begun: false, hasCode: false, shown: [], expiresIn: 60_000 })
    parts.back!.href = 'https://verifier.example/oidc/rp_1/finish/v_1'
    await seconds(61)
    expect([state(), addresses]).toEqual(['expired', [parts.back!.href]])
  })

  it('returns to the relying party if the session was created and then erased', () => {
    const { listeners, last, parts, addresses } = open({ begun: false, hasCode: false, shown: [] })
    parts.back!.href = 'https://verifier.example/oidc/rp_1/finish/v_1'
    listeners.begun!()
    last().fail('erased')
    expect(addresses).toEqual([parts.back!.href])
  })
})
