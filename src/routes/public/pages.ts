// Pages for people who open an address of the service itself: its start page, and the pages behind a
// problem's `type`. These pages look like the session page. `npm run generate` writes their bodies.

import { raw } from 'hono/html'
import { Hono } from 'hono/tiny'
import { VERSION } from '../../version.ts'
import { readStyle } from '../browser/page/assets.ts'
import { sendPage } from '../browser/page/document.ts'
import { fill, textsIn } from '../browser/page/texts.ts'
import { readMessage, readTable } from '../edge/cloudflare.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'

/** Builds the routes of `/`, `/problems` and `/problems/{code}`. */
export function pageRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/', startPage)
    .get('/problems', (c) => sendPublic(c))
    .get('/problems/:code', (c) => sendPublic(c))
}

/** Sends the start page to browsers. Programs get a problem: `/` is no route of the API. */
async function startPage(c: AppContext): Promise<Response> {
  if (!c.req.header('Accept')?.includes('text/html')) return problem(c, 'not_found')
  const shop = (await hasShop(c.env.DEMO_SHOP)) ? await readMessage(c.env.ASSETS, 'shop') : ''
  return sendPublic(c, { version: VERSION, shop }, 'no-store')
}

/** Returns true if the demo shop works. The shop sends no page without the keys of its relying party. */
async function hasShop(shop: Fetcher | undefined): Promise<boolean> {
  const response = await shop?.fetch('https://shop/demo/shop.css').catch(() => undefined)
  await response?.body?.cancel()
  return response?.ok === true
}

type PublicPages = Readonly<Record<string, { readonly title: string; readonly body: string }>>

/** Sends the page of the request's path. */
async function sendPublic(
  c: AppContext,
  values: Readonly<Record<string, string>> = {},
  caching = 'public, max-age=300',
): Promise<Response> {
  const pages = await readTable<PublicPages>(c.env.ASSETS, 'page/public.json')
  const path = c.req.path.slice(1)
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  if (page === undefined) return problem(c, 'not_found')
  const { title, body } = page
  const { text: style } = await readStyle(c.env.ASSETS, 'public.css')
  const texts = await textsIn(c.env.ASSETS, 'en')
  const response = await sendPage(c, 200, { texts, title, body: raw(fill(body, values)), style })
  response.headers.set('Cache-Control', caching)
  return response
}
