// The demonstration shop (docs/demo-shop.md): a relying party that asks for "over 18", on the service's own address. Its pages show
// what it knows; what it knows came to its server, by the API or by a webhook, and never from a browser.

import type { Client } from '@wallet-verifier/client'
import type { Result } from '@wallet-verifier/client/result'
import type { CreatedVerification, Problem, Verification } from '@wallet-verifier/client/wire'
import { Hono } from 'hono/tiny'
import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { readText } from '../../../src/sandbox/bounded-body.ts'
import { forgetVisit, isOwnPage, keepVisit, type ShopContext, type Visiting, visitOf } from './browser.ts'
import { GOODS, isGoodsId } from './goods.ts'
import { ASKED_AT_MOST, type Call, isPollDue, markOf, type Order, stateOf } from './order.ts'
import { sendPage } from './page.ts'
import { SCRIPT } from './script.ts'
import { QUESTION, type Seen, type Shop, type ShopEnv, shopOf } from './service.ts'
import { receiveWebhook } from './webhook.ts'

/** `/demo` and what is below it. Where the service has no such shop, nothing is there. */
export function shopRoutes(): Hono<{ Bindings: ShopEnv }> {
  return new Hono<{ Bindings: ShopEnv }>()
    .get('/demo', inShop(showPage))
    .get('/demo/return', inShop(comeBack))
    .get('/demo/state', inShop(tellState))
    .get('/demo/shop.js', inShop(sendScript))
    .post('/demo/choose', inShop(fromOwnPage(choose)))
    .post('/demo/prove', inShop(fromOwnPage(prove)))
    .post('/demo/cancel', inShop(fromOwnPage(cancel)))
    .post('/demo/leave', inShop(fromOwnPage(leave)))
    .post('/demo/webhook', inShop(receiveWebhook))
    .notFound(nothing)
}

type Handler = (c: ShopContext, shop: Shop) => Promise<Response>

function inShop(handle: Handler): (c: ShopContext) => Promise<Response> {
  return async (c) => {
    const shop = shopOf(c.env)
    return shop === undefined ? nothing(c) : handle(c, shop)
  }
}

function fromOwnPage(handle: Handler): Handler {
  return async (c, shop) =>
    isOwnPage(c, shop) ? handle(c, shop) : c.text('This comes from another site.\n', 403)
}

async function showPage(c: ShopContext, shop: Shop): Promise<Response> {
  if (isOtherLoopbackName(c, shop)) return c.redirect(`${shop.baseUrl}/demo`)
  const visiting = await visitOf(c, shop)
  const order = visiting && (await upToDate(shop, visiting))
  return sendPage(c, order === undefined ? null : { id: visiting?.id ?? '', order })
}

/** What the page's script asks for: the mark of a page that would be written now. */
async function tellState(c: ShopContext, shop: Shop): Promise<Response> {
  const visiting = await visitOf(c, shop)
  const order = visiting && (await upToDate(shop, visiting))
  return c.json({ mark: markOf(order, Date.now()) }, 200, { 'Cache-Control': 'no-store' })
}

async function sendScript(c: ShopContext): Promise<Response> {
  return c.body(SCRIPT, 200, { 'Content-Type': 'text/javascript; charset=utf-8' })
}

/** Something is taken from the shelf: a new visit begins. */
async function choose(c: ShopContext, shop: Shop): Promise<Response> {
  const form = new URLSearchParams(await readText(c.req.raw, FORM_LIMIT))
  const goods = form.get('goods') ?? ''
  if (isGoodsId(goods)) {
    const id = shop.visits.newUniqueId()
    const secret = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
    await shop.visits.get(id).open(goods, secret)
    keepVisit(c, shop, id.toString(), secret)
  }
  return c.redirect('/demo', 303)
}

/** The server asks the service, and the visitor is sent to the page where the wallet answers. */
async function prove(c: ShopContext, shop: Shop): Promise<Response> {
  const visiting = await visitOf(c, shop)
  if (visiting === undefined || !mayAsk(visiting.order)) return c.redirect('/demo', 303)
  const { id, order } = visiting
  if (stateOf(order) === 'waiting') return c.redirect(order.proof?.sessionUrl ?? '/demo', 303)
  const created = await asking(shop, visiting, 'create', (client) =>
    client.create(
      {
        ...QUESTION,
        metadata: { order: id, item: GOODS[order.goods].name },
        return_url: `${shop.baseUrl}/demo/return`,
      },
      { idempotencyKey: `${id}.${order.asked}` }, // a button that is pressed twice asks once
    ),
  )
  return c.redirect(created.ok ? created.value.session_url : '/demo', 303)
}

/** The visitor is back. Where the browser brings a code, the server redeems it: nothing else binds the proof to this visitor. */
async function comeBack(c: ShopContext, shop: Shop): Promise<Response> {
  const visiting = await visitOf(c, shop)
  const verificationId = visiting?.order.proof?.verificationId
  const code = c.req.query('return_code') ?? ''
  if (visiting !== undefined && verificationId !== undefined && /^[A-Za-z0-9_-]{1,128}$/.test(code)) {
    await asking(shop, visiting, 'redeem', (client) => client.redeem(verificationId, code))
  }
  return c.redirect('/demo', 303) // the code does not stay in the address
}

async function cancel(c: ShopContext, shop: Shop): Promise<Response> {
  const visiting = await visitOf(c, shop)
  const proof = visiting?.order.proof
  if (visiting && proof && stateOf(visiting.order) === 'waiting') {
    await asking(shop, visiting, 'cancel', (client) => client.cancel(proof.verificationId))
  }
  return c.redirect('/demo', 303)
}

/** Back to the shelf. The visit that was is erased in time, by itself. */
async function leave(c: ShopContext): Promise<Response> {
  forgetVisit(c)
  return c.redirect('/demo', 303)
}

/** The order, after a look at the service where one is due. */
async function upToDate(shop: Shop, visiting: Visiting): Promise<Order> {
  const { order, visit } = visiting
  const { proof } = order
  if (proof === null || !isPollDue(order, Date.now())) return order
  await asking(shop, visiting, 'poll', (client) => client.get(proof.verificationId))
  return (await visit.read(order.secret)) ?? order
}

/** One call of the service, written into the order with what came of it. */
async function asking<T extends CreatedVerification | Verification>(
  { client }: Shop,
  { visit }: Visiting,
  what: Call['what'],
  ask: (client: Client) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  let seen: Seen | undefined
  const answer = await ask(
    client((call) => {
      seen = call
    }),
  )
  if (seen !== undefined) await visit.called({ kind: 'call', what, ...seen }, answer.ok ? answer.value : null)
  return answer
}

function mayAsk(order: Order): boolean {
  const state = stateOf(order)
  return state !== 'free' && state !== 'confirmed' && order.asked < ASKED_AT_MOST
}

/** The service's cookies and ours belong to the name in BASE_URL; on one's own machine people write either. */
function isOtherLoopbackName(c: ShopContext, { baseUrl }: Shop): boolean {
  const [asked, own] = [new URL(c.req.url).hostname, new URL(baseUrl).hostname]
  return asked !== own && [asked, own].every((name) => LOOPBACK.includes(name))
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const FORM_LIMIT = 1024

function nothing(c: ShopContext): Response {
  return c.html('There is nothing here.\n', 404, { 'Content-Security-Policy': "default-src 'none'" })
}
