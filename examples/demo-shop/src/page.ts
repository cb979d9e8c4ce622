// The shop's page in all its states: the shelf, or the order with its state, and the records beside it.

import { html } from 'hono/html'
import type { ShopContext } from './browser.ts'
import { GOODS, GOODS_IDS, type Goods } from './goods.ts'
import { isLive, MAX_REQUESTS, markOf, type Order, type OrderState, stateOf } from './order.ts'
import { bottle, sign } from './pictures.ts'
import { recordsSection } from './records.ts'
import { learned, TEXTS } from './texts.ts'

/** HTML of the `html` tag, which escapes inserted values. */
export type Markup = ReturnType<typeof html>

/** Sends the page of an order, or of the shelf without one. */
export async function sendPage(c: ShopContext, visit: { readonly id: string; readonly order: Order } | null) {
  const now = Date.now()
  const order = visit?.order
  const live = order !== undefined && isLive(order, now)
  const state = order === undefined ? 'shelf' : stateOf(order)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${state === 'shelf' ? 'Demo Cellar' : `${TEXTS[state].title} – Demo Cellar`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/demo/shop.css">
<script type="module" src="/demo/shop.js"></script>
${live ? html`<noscript><meta http-equiv="refresh" content="3"></noscript>` : ''}
</head>
<body>
<header><p class="banner">A demonstration. Nothing is for sale here, and no real person is verified.</p>
<p class="top"><a href="/demo" class="name">${sign()} Demo Cellar</a></p></header>
<main data-state="${state}"${live ? html` data-mark="${markOf(order, now)}"` : ''}>
${order === undefined ? shelf() : orderSection(order, visit?.id ?? '', state as OrderState)}
${recordsSection(order)}
</main>
</body>
</html>
`
  return c.html(page, 200, HEADERS)
}

function shelf(): Markup {
  return html`<section class="shelf">
<h1 tabindex="-1">Something good for tonight?</h1>
<p class="lead">Take a bottle. If it contains alcohol, you prove that you are over 18.
Your wallet proves it without sharing your name or your date of birth.</p>
<form method="post" action="/demo/choose" class="goods">
${GOODS_IDS.map((id) => ware(id, GOODS[id]))}
</form>
</section>`
}

function ware(id: string, goods: Goods): Markup {
  return html`<div class="ware">
${bottle(goods.look)}
<h2>${goods.name}</h2>
<p class="soft">${goods.kind}</p>
<p class="price">${goods.price}</p>
<p class="age">${goods.forAdults ? 'from 18' : 'for everyone'}</p>
<button name="goods" value="${id}" aria-label="Take one: ${goods.name}">Take one</button>
</div>`
}

function orderSection(order: Order, id: string, state: OrderState): Markup {
  const goods = GOODS[order.goods]
  const { title, text } = TEXTS[state]
  return html`<section class="order" aria-labelledby="title">
<div class="card">
<div class="item">${bottle(goods.look)}<div><p class="no">Order ${id.slice(-6).toUpperCase()}</p>
<p class="goods-name">${goods.name}</p><p class="soft">${goods.kind}</p><p class="price">${goods.price}</p></div></div>
<p class="stamp" aria-hidden="true"></p>
</div>
<h1 id="title" tabindex="-1">${title}</h1>
<p class="lead">${text}</p>
${learned(order, state)}
${failed(order) ? html`<p class="fault" role="alert">The verification service is unavailable. Please try again.</p>` : ''}
${actions(order, state)}
${state === 'chosen' || state === 'waiting' ? '' : NEXT}
${order.records.length === 0 ? '' : html`<p class="jump"><a href="#behind">What happened behind the scenes</a></p>`}
</section>`
}

/** The way from the end of an order to an integration of one's own. */
const NEXT = html`<div class="next"><h2>Build this yourself</h2>
<ul>
<li><a href="/docs">The API reference</a> has the calls of this shop, each with a <code>curl</code> command.</li>
<li><code>examples/demo-shop/src/routes.ts</code> in the repository is the code of this shop’s server.</li>
<li><code>docs/getting-started.md</code> leads to a verification of your own in five minutes.</li>
</ul></div>`

/** Actions of a state, the likeliest first. */
function actions(order: Order, state: OrderState): Markup {
  const isSpent = order.asked >= MAX_REQUESTS
  switch (state) {
    case 'chosen':
      return html`<div class="actions">${post('prove', 'Prove that you are over 18')}${another('Take something else')}</div>
<p class="soft">No wallet on this device? The next page also offers a test wallet.</p>`
    case 'waiting':
      return html`<div class="actions"><a class="button" href="${order.proof?.sessionUrl}">To the verification page</a>
${post('cancel', 'Never mind', 'quiet')}</div>
<noscript><p class="soft">This page reloads every few seconds.</p></noscript>`
    case 'confirmed':
    case 'free':
      return html`<div class="actions">${another('Back to the shelf')}</div>`
    default:
      return html`<div class="actions">${isSpent ? '' : post('prove', 'Try again')}
<form method="post" action="/demo/choose"><button class="quiet" name="goods" value="windfall">Take the apple juice instead</button></form>
${another('Back to the shelf')}</div>`
  }
}

function post(action: string, words: string, style = ''): Markup {
  return html`<form method="post" action="/demo/${action}"><button class="${style}">${words}</button></form>`
}

function another(words: string): Markup {
  return html`<form method="post" action="/demo/leave"><button class="quiet">${words}</button></form>`
}

function failed({ records }: Order): boolean {
  const last = records.at(-1)
  return last?.kind === 'call' && last.what === 'create' && (last.status ?? 500) >= 400
}

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin', // with no-referrer, browsers omit the origin in the POST of a form
  'X-Content-Type-Options': 'nosniff',
}
