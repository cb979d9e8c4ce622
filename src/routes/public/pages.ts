// Pages for people who open an address of the service itself: its start page, and the pages behind a
// problem's `type`. They look like the session page, and are in English, as the API is.

import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type meanings from '../../../assets/problems.json'
import { REASONS, type ReasonCode } from '../../session/response/reasons.ts'
import { VERSION } from '../../version.ts'
import { readPageAsset } from '../browser/page/assets.ts'
import { type Markup, sendPage } from '../browser/page/document.ts'
import { textsIn } from '../browser/page/texts.ts'
import { readOnce } from '../edge/cloudflare.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { PROBLEMS, type ProblemCode, type ProblemKind, problem } from '../edge/problems.ts'

/** `/`, `/problems`, `/problems/{code}`. */
export function pageRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/', startPage)
    .get('/problems', problemsPage)
    .get('/problems/:code', problemPage)
}

/** Sends the start page to browsers. Programs get a problem: `/` is no route of the API. */
async function startPage(c: AppContext): Promise<Response> {
  if (!c.req.header('Accept')?.includes('text/html')) return problem(c, 'not_found')
  const isShopOpen = await hasShop(c.env.DEMO_SHOP)
  const body = html`<main>
<div class="status">
<h1>Wallet verifier</h1>
<p>Version ${VERSION}</p>
</div>
<p>This service checks credentials from digital identity wallets.
Did a website send you here? Go back to it, and start again.</p>
<ul>
${isShopOpen && html`<li><a href="/demo">Demo shop</a><p class="soft">Buy a bottle, and prove that you are over 18.</p></li>`}
<li><a href="/docs">API reference</a><p class="soft">Every call, with a command to paste.</p></li>
<li><a href="/problems">Problems and reasons</a><p class="soft">What each code means.</p></li>
<li><a href="/readyz">Readiness</a><p class="soft">Whether the service can work, and its warnings.</p></li>
</ul>
</main>`
  return sendPublic(c, 'Wallet verifier', body, 'no-store')
}

/** Without keys of its relying party the shop has no page. */
async function hasShop(shop: Fetcher | undefined): Promise<boolean> {
  const response = await shop?.fetch('https://shop/demo/shop.css').catch(() => undefined)
  await response?.body?.cancel()
  return response?.ok === true
}

/** Sends a list of all problems and reasons. */
function problemsPage(c: AppContext): Promise<Response> {
  const body = html`<main>
<div class="status">
<h1>Problems and reasons</h1>
</div>
<p>A problem is an error of a call.
A reason says why a verification did not succeed, or why a response of a wallet was refused.</p>
<h2>Problems</h2>
${codeList(Object.entries(PROBLEMS).map(([code, { status, title }]) => [code, `${status}: ${title}`]))}
<h2>Reasons</h2>
${codeList(Object.entries(REASONS).map(([code, { message }]) => [code, message]))}
${WAYS_ON}
</main>`
  return sendPublic(c, 'Problems and reasons', body)
}

function codeList(rows: readonly (readonly [string, string])[]): Markup {
  return html`<dl class="codes">
${rows.map(([code, text]) => html`<dt><a href="/problems/${code}"><code>${code}</code></a></dt><dd>${text}</dd>`)}
</dl>`
}

/** Sends the page of a problem, or of a reason. No code is both. */
async function problemPage(c: AppContext): Promise<Response> {
  const code = c.req.param('code') ?? ''
  const words = await wordsOf(c, code)
  if (words === undefined) return problem(c, 'not_found')
  const { title, kind, meaning, again } = words
  const body = html`<main>
<div class="status">
<h1>${title}</h1>
<p><code>${code}</code>, ${kind}</p>
</div>
<p>${meaning}</p>
<p>${again}</p>
<nav><p><a href="/problems">All problems and reasons</a></p></nav>
${WAYS_ON}
</main>`
  return sendPublic(c, code, body)
}

const WAYS_ON = html`<p class="soft"><a href="/docs">API reference</a> · <a href="/">This service</a></p>`

/** Returns the texts of a code's page. */
async function wordsOf(c: AppContext, code: string) {
  if (Object.hasOwn(PROBLEMS, code)) {
    const { status, title, retryable }: ProblemKind = PROBLEMS[code as ProblemCode]
    const meaning = (await readOnce(c.env.ASSETS, 'problems.json', parseMeanings))[code as ProblemCode]
    const again = retryable ? 'The same request may succeed later.' : 'The same request will fail again.'
    return { title, kind: `HTTP status ${status}`, meaning, again }
  }
  if (!Object.hasOwn(REASONS, code)) return undefined
  const { family, message, retryable } = REASONS[code as ReasonCode]
  const again = retryable ? 'Asking again may end differently.' : 'Asking again will end the same.'
  return { title: 'Why a verification did not succeed', kind: `a reason: ${family}`, meaning: message, again }
}

/** When each problem happens, and what to do: our own file, with every code. */
async function parseMeanings(text: string): Promise<typeof meanings> {
  return JSON.parse(text)
}

async function sendPublic(
  c: AppContext,
  title: string,
  body: Markup,
  caching = 'public, max-age=300',
): Promise<Response> {
  const { text: style } = await readPageAsset(c.env.ASSETS, 'public.css')
  const page = { texts: await textsIn(c.env.ASSETS, 'en'), title, body, style }
  const response = await sendPage(c, 200, page)
  response.headers.set('Cache-Control', caching)
  return response
}
