// The scripts of the link button and of the return page with a fake browser.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import TEXTS from '../../assets/texts/en.json' with { type: 'json' }
import { returnBody } from '../../src/routes/browser/page/return-body.ts'

type Reply = { readonly status: number; readonly body?: unknown } | Error
type Call = { readonly path: string; readonly init: { readonly method: string; readonly body?: string } }

const [LINK_SCRIPT, RETURN_SCRIPT] = [scriptOf('link.js'), scriptOf('return-page.js')]
const PATH = '/v1/verify/v_1/return'

function scriptOf(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../assets/page/${name}`, import.meta.url).href), 'utf8')
}

/** Waits until every promise and timer of the script has settled. */
const rest = async () => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs a script on a page. `replies` are used in order, the last one repeatedly. */
function run(
  script: string,
  page: object,
  { hash = '', replies = [] as Reply[], framed = false, without = [] as string[] } = {},
) {
  const made: Record<string, ReturnType<typeof element>> = {}
  const part = (id: string) => {
    made[id] ??= element()
    return made[id]
  }
  const calls: Call[] = []
  const visited: string[] = []
  const opened: string[][] = []
  const events: string[] = []
  const fetch = async (path: string, init: Call['init']) => {
    calls.push({ path, init })
    const reply = replies[Math.min(calls.length, replies.length) - 1]
    if (reply === undefined || reply instanceof Error) throw reply ?? new Error('no reply')
    return { status: reply.status, ok: reply.status === 200, json: async () => reply.body }
  }
  const location = {
    search: '?token=ct_1',
    pathname: PATH,
    hash,
    replace: (address: string) => visited.push(address),
    get href() {
      return `https://verifier.example${PATH}?token=ct_1`
    },
    set href(address: string) {
      visited.push(address)
    },
  }
  const history = {
    replaceState: (_: null, __: string, address: string) => {
      location.hash = address.split('#')[1] ?? ''
    },
  }
  const main = {
    dataset: { page: JSON.stringify(page), state: '' },
    dispatchEvent: ({ type }: Event) => events.push(type),
  }
  const window = {}
  const document = {
    title: '',
    querySelector: () => main,
    getElementById: (id: string) => (without.includes(id) ? null : part(id)),
  }
  const waits: number[] = []
  const setTimeout = (work: () => void, pause: number) => {
    waits.push(pause)
    setImmediate(work)
  }
  runInNewContext(script, {
    ...{ document, location, history, fetch, setTimeout, URL, URLSearchParams, Event },
    AbortSignal: { timeout: () => undefined },
    ...{ self: window, top: framed ? {} : window },
    open: (...opening: string[]) => opened.push(opening),
  })
  return {
    ...{ part, calls, visited, opened, waits, events, location, title: () => document.title },
    state: () => main.dataset.state,
  }
}

function element() {
  const listeners: (() => void)[] = []
  return {
    ...{ hidden: true, disabled: true, textContent: '', href: '' },
    focus: () => undefined,
    addEventListener: (_: string, listener: () => void) => listeners.push(listener),
    click: () => {
      for (const listener of listeners) listener()
    },
  }
}

describe('the return page', () => {
  const PAGE = { ...TEXTS.returning, returned: TEXTS.returned }
  const CODE = { hash: '#response_code=abc' }

  it('contains every text that its script shows', async () => {
    const data = /data-page="([^"]*)"/.exec(String(await returnBody(TEXTS).body))?.[1] ?? ''
    expect(JSON.parse(data.replaceAll('&quot;', '"').replaceAll('&#39;', "'"))).toEqual(PAGE)
  })

  it('posts the code from the URL fragment once, removes it from the history, and opens the relying party’s page', async () => {
    const return_url = 'https://shop.example/done?return_code=r'
    const page = run(RETURN_SCRIPT, PAGE, { ...CODE, replies: [{ status: 200, body: { return_url } }] })
    await rest()
    expect(page.calls).toHaveLength(1)
    expect(page.calls[0]?.path).toBe('/v1/verify/v_1/response_code')
    expect(page.calls[0]?.init.method).toBe('POST')
    expect(JSON.parse(page.calls[0]?.init.body ?? '')).toEqual({ response_code: 'abc' })
    expect(page.visited).toEqual([return_url])
    expect(page.location.hash).toBe('')
  })

  it('stays open if the session has no return_url', async () => {
    const page = run(RETURN_SCRIPT, PAGE, { ...CODE, replies: [{ status: 200, body: { return_url: null } }] })
    await rest()
    expect(page.visited).toEqual([])
    expect(page.title()).toBe(TEXTS.returned.title)
  })

  it('posts nothing if its URL has no code', async () => {
    for (const hash of ['', '#other=1', '#response_code=']) {
      const page = run(RETURN_SCRIPT, PAGE, { hash })
      await rest()
      expect(page.calls).toEqual([])
    }
  })

  it.each([
    ['other_browser', 409, TEXTS.returning.otherBrowser],
    ['invalid_code', 400, TEXTS.returning.invalidCode],
    ['verification_not_found', 404, TEXTS.returning.invalidCode],
  ])('shows a text for the error %s', async (code, status, text) => {
    const page = run(RETURN_SCRIPT, PAGE, { ...CODE, replies: [{ status, body: { code } }] })
    await rest()
    expect(page.title()).toBe(text.title)
    expect(page.part('text').textContent).toBe(text.text)
    expect(TEXTS.returning[page.state() as keyof typeof TEXTS.returning]).toEqual(text)
    expect(page.calls).toHaveLength(1)
  })

  it('keeps the code if no response arrives, tries again automatically, then shows a button', async () => {
    const down: Reply[] = [{ status: 503 }, { status: 429 }, new Error('offline')]
    const page = run(RETURN_SCRIPT, PAGE, { ...CODE, replies: down })
    await rest()
    expect(page.waits).toEqual([500, 1000, 2000, 4000])
    expect(page.calls).toHaveLength(5)
    expect(page.title()).toBe(TEXTS.returning.interrupted.title)
    expect([page.part('again').hidden, page.location.hash]).toEqual([false, '#response_code=abc'])
    page.part('again').click()
    await rest()
    expect(page.calls).toHaveLength(10)
  })
})

describe('the link button', () => {
  const PAGE = { api: '/v1/verify/v_1', link_opened: 'opened', link_failed: 'failed' }
  const uri = 'openid4vp://?client_id=x'

  it('is enabled by the script, and sends no request until it is pressed', async () => {
    const page = run(LINK_SCRIPT, PAGE)
    await rest()
    expect([page.part('link').disabled, page.calls]).toEqual([false, []])
  })

  it('opens the wallet with a new request for each press', async () => {
    const page = run(LINK_SCRIPT, PAGE, { replies: [{ status: 200, body: { uri } }] })
    for (const count of [1, 2]) {
      page.part('link').click()
      expect(page.part('link').disabled).toBe(true)
      await rest()
      expect([page.calls.length, page.visited.length, page.part('link').disabled]).toEqual([
        count,
        count,
        false,
      ])
    }
    expect(page.visited).toEqual([uri, uri])
    expect(page.events).toEqual(['begun', 'begun'])
    const headers = { Authorization: 'Bearer ct_1' }
    expect(page.calls[0]).toMatchObject({ path: '/v1/verify/v_1/link', init: { method: 'POST', headers } })
    expect(page.part('link-note').textContent).toBe('opened')
    expect([page.part('link-now').hidden, page.part('link-now').href]).toEqual([false, uri])
  })

  it('opens the session page in a tab if the page is in a frame, where the cookie is missing', async () => {
    const page = run(LINK_SCRIPT, { ...PAGE, link_elsewhere: 'elsewhere' }, { framed: true })
    page.part('link').click()
    await rest()
    expect(page.opened).toEqual([[page.location.href, '_blank', 'noopener']])
    expect([page.calls, page.visited, page.part('link-note').textContent]).toEqual([[], [], 'elsewhere'])
  })

  it('may be missing in the page, and the script then makes no call', async () => {
    const page = run(LINK_SCRIPT, PAGE, { without: ['link', 'link-note', 'link-now'] })
    await rest()
    expect(page.calls).toEqual([])
  })

  it.each<[string, Reply]>([
    ['rejected', { status: 429 }],
    ['lost', new Error('offline')],
  ])('shows that its request was %s, and can then be pressed again', async (_, reply) => {
    const page = run(LINK_SCRIPT, PAGE, { replies: [reply] })
    page.part('link').click()
    await rest()
    expect(page.visited).toEqual([])
    expect([page.part('link-note').textContent, page.part('link').disabled]).toEqual(['failed', false])
  })
})

describe('the scripts of the return page and of the link button', () => {
  it('insert no text as HTML and evaluate no code', () => {
    for (const script of [LINK_SCRIPT, RETURN_SCRIPT]) {
      expect(script).not.toMatch(
        /innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|srcdoc/,
      )
    }
  })
})
