// A visitor: a browser with cookies, and the test wallet on the same device.

import assert from 'node:assert/strict'

export type Visitor = {
  /** Presses "Buy wine", and opens the verifier's page. */
  readonly order: () => Promise<void>
  /** Opens the wallet by the page's link, answers with these fields of its form, and returns to the shop. */
  readonly answer: (fields: Readonly<Record<string, string>>) => Promise<void>
  /** Returns the shop's page of the order. */
  readonly shownOrder: () => Promise<string>
}

/** Opens a shop. */
export function openVisitor(shopUrl: string, verifierUrl: string): Visitor {
  const open = openBrowser()
  let sessionUrl = new URL(verifierUrl)
  return {
    order: async () => {
      assert.match(await (await open(shopUrl)).text(), /Buy wine/)
      const ordered = await open(`${shopUrl}/orders`, { method: 'POST' })
      assert.equal(ordered.status, 303, await ordered.text())
      sessionUrl = new URL(ordered.headers.get('Location') ?? '')
      assert.equal((await open(sessionUrl)).status, 200)
    },
    answer: async (fields) => {
      const returned = await open(await answerOnPage(open, sessionUrl, fields))
      assert.equal(returned.headers.get('Location'), '/order')
    },
    shownOrder: async () => (await open(`${shopUrl}/order`)).text(),
  }
}

/** Answers on the verifier's page with these fields of the wallet's form. Returns where the page goes on. */
export async function answerOnPage(
  open: Browser,
  sessionUrl: URL,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const { origin: verifierUrl, pathname, searchParams } = sessionUrl
  const id = pathname.split('/').at(-1)
  const own = { 'Content-Type': 'application/json', Origin: verifierUrl }
  const token = { Authorization: `Bearer ${searchParams.get('token')}` }
  const link = { method: 'POST', headers: { ...own, ...token }, body: '{}' }
  const { uri } = (await (await open(`${verifierUrl}/v1/verify/${id}/link`, link)).json()) as { uri: string }
  const form = new URLSearchParams({ uri, reason: '', ...fields })
  const answered = await open(`${verifierUrl}/test/wallet`, { method: 'POST', body: form })
  assert.equal(answered.status, 303, await answered.text())
  const back = new URL(answered.headers.get('Location') ?? '')
  const response_code = new URLSearchParams(back.hash.slice(1)).get('response_code')
  const code = { method: 'POST', headers: own, body: JSON.stringify({ response_code }) }
  const completed = await open(`${verifierUrl}/v1/verify/${id}/response_code`, code)
  return ((await completed.json()) as { return_url: string }).return_url
}

export type Browser = (address: string | URL, init?: RequestInit) => Promise<Response>

/** Returns a `fetch` that keeps cookies by origin, and returns redirects. */
export function openBrowser(): Browser {
  const cookies = new Map<string, Map<string, string>>()
  return async (address, init = {}) => {
    const { origin } = new URL(address)
    const own = cookies.get(origin) ?? new Map<string, string>()
    cookies.set(origin, own)
    const headers = new Headers(init.headers)
    headers.set('Cookie', [...own].map((pair) => pair.join('=')).join('; '))
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      own.set(name, value)
    }
    return response
  }
}
