// The demo shop's server (docs/demo-shop.md): a relying party that requests proof of age. Orders are
// confirmed only by what the verification service reports to this server, never by what a browser sends.

import type { Client, Problem } from '@wallet-verifier/client'
import type { Result } from '@wallet-verifier/client/result'
import type { CreatedVerification, Verification } from '@wallet-verifier/client/wire'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import {
  clearVisit,
  isOwnPage,
  type ShopBindings,
  type ShopContext,
  setVisit,
  type Visit,
  visitOf,
} from './browser.ts'
import { GOODS, isGoodsId } from './goods.ts'
import { type Call, isPollDue, MAX_REQUESTS, markOf, type Order, stateOf } from './order.ts'
import { sendPage } from './page.ts'
import { AGE_REQUEST, type RecordedCall, shopOf } from './shop.ts'
import { receiveWebhook } from './webhook.ts'

const FORM_LIMIT = 1024
const WEBHOOK_LIMIT = 65_536

/** `/demo` and below. Without a configured shop every route is 404. */
export function shopRoutes(): Hono<ShopBindings> {
  return new Hono<ShopBindings>()
    .use(requireShop)
    .get('/demo', showPage)
    .get('/demo/return', completeReturn)
    .get('/demo/state', sendState)
    .get('/demo/shop.js', (c) => sendAsset(c, 'shop.js', 'text/javascript; charset=utf-8'))
    .get('/demo/shop.css', (c) => sendAsset(c, 'shop.css', 'text/css; charset=utf-8'))
    .post('/demo/choose', requireOwnPage, bodyLimit({ maxSize: FORM_LIMIT, onError: toShop }), choose)
    .post('/demo/prove', requireOwnPage, prove)
    .post('/demo/cancel', requireOwnPage, cancel)
    .post('/demo/leave', requireOwnPage, leave)
    .post('/demo/webhook', bodyLimit({ maxSize: WEBHOOK_LIMIT, onError: tooLong }), receiveWebhook)
    .notFound(notFound)
}

const requireShop: MiddlewareHandler<ShopBindings> = async (c, next) => {
  const shop = shopOf(c.env)
  if (shop === undefined) return notFound(c)
  c.set('shop', shop)
  await next()
}

const requireOwnPage: MiddlewareHandler<ShopBindings> = async (c, next) => {
  if (!isOwnPage(c)) return c.text('Cross-site request refused.\n', 403)
  await next()
}

async function showPage(c: ShopContext): Promise<Response> {
  if (isOtherLoopbackName(c)) return c.redirect(`${c.var.shop.baseUrl}/demo`)
  const visit = await visitOf(c)
  return sendPage(c, visit === undefined ? null : { id: visit.id, order: await refresh(c, visit) })
}

/** Returns the mark of the current page. The page's script reloads when it differs. */
async function sendState(c: ShopContext): Promise<Response> {
  const visit = await visitOf(c)
  const order = visit && (await refresh(c, visit))
  return c.json({ mark: markOf(order, Date.now()) }, 200, { 'Cache-Control': 'no-store' })
}

async function sendAsset(c: ShopContext, name: string, type: string): Promise<Response> {
  const file = await c.env.ASSETS.fetch(`https://assets.invalid/${name}`)
  const headers = { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' }
  return file.ok ? new Response(file.body, { headers }) : notFound(c)
}

/** Starts a new visit with an order. */
async function choose(c: ShopContext): Promise<Response> {
  const goods = new URLSearchParams(await c.req.text()).get('goods') ?? ''
  if (isGoodsId(goods)) {
    const { visits } = c.var.shop
    const id = visits.newUniqueId()
    const secret = randomText()
    await visits.get(id).open(goods, secret)
    setVisit(c, id.toString(), secret)
  }
  return toShop(c)
}

/** Creates the verification and sends the visitor to its page. */
async function prove(c: ShopContext): Promise<Response> {
  const visit = await visitOf(c)
  if (visit === undefined || !mayRequest(visit.order)) return toShop(c)
  const { id, order } = visit
  if (stateOf(order) === 'waiting') return c.redirect(order.proof?.sessionUrl ?? '/demo', 303)
  const created = await callService(c, visit, 'create', (client) =>
    client.create(
      {
        ...AGE_REQUEST,
        metadata: { order: id, item: GOODS[order.goods].name },
        return_url: `${c.var.shop.baseUrl}/demo/return`,
      },
      { idempotencyKey: `${id}.${order.asked}` }, // pressing the button twice creates one verification
    ),
  )
  return c.redirect(created.ok ? created.value.session_url : '/demo', 303)
}

/** `return_url`. Redeems the browser's code: this alone binds the proof to this visitor. */
async function completeReturn(c: ShopContext): Promise<Response> {
  const visit = await visitOf(c)
  const verificationId = visit?.order.proof?.verificationId
  const code = c.req.query('return_code') ?? ''
  if (visit !== undefined && verificationId !== undefined && /^[A-Za-z0-9_-]{1,128}$/.test(code)) {
    await callService(c, visit, 'redeem', (client) => client.redeem(verificationId, code))
  }
  return toShop(c) // removes the code from the address
}

async function cancel(c: ShopContext): Promise<Response> {
  const visit = await visitOf(c)
  const proof = visit?.order.proof
  if (visit && proof && stateOf(visit.order) === 'waiting') {
    await callService(c, visit, 'cancel', (client) => client.cancel(proof.verificationId))
  }
  return toShop(c)
}

/** Ends the visit for this browser. Its object erases itself later. */
async function leave(c: ShopContext): Promise<Response> {
  clearVisit(c)
  return toShop(c)
}

/** Returns the order after a poll of the service, if one is due. */
async function refresh(c: ShopContext, visit: Visit): Promise<Order> {
  const { order, stub } = visit
  const { proof } = order
  if (proof === null || !isPollDue(order, Date.now())) return order
  await callService(c, visit, 'poll', (client) => client.get(proof.verificationId))
  return (await stub.read(order.secret)) ?? order
}

/** Makes one call to the service and stores its record and result in the order. */
async function callService<T extends CreatedVerification | Verification>(
  c: ShopContext,
  { stub }: Visit,
  what: Call['what'],
  send: (client: Client) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  let recorded: RecordedCall | undefined
  const client = c.var.shop.client((call) => {
    recorded = call
  })
  const result = await send(client)
  if (recorded !== undefined)
    await stub.called({ kind: 'call', what, ...recorded }, result.ok ? result.value : null)
  return result
}

function mayRequest(order: Order): boolean {
  const state = stateOf(order)
  return state !== 'free' && state !== 'confirmed' && order.asked < MAX_REQUESTS
}

/**
 * Cookies belong to the host name in BASE_URL. On their own machine people also use another loopback name.
 */
function isOtherLoopbackName(c: ShopContext): boolean {
  const names = [new URL(c.req.url).hostname, new URL(c.var.shop.baseUrl).hostname]
  return names[0] !== names[1] && names.every((name) => LOOPBACK.includes(name))
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Returns 128 random bits as base64url. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => BASE64URL[sign] ?? '')
}

const BASE64URL: Readonly<Record<string, string>> = { '+': '-', '/': '_' }

function toShop(c: Pick<ShopContext, 'redirect'>): Response {
  return c.redirect('/demo', 303)
}

function tooLong(c: Pick<ShopContext, 'text'>): Response {
  return c.text('The body is too long.\n', 413)
}

function notFound(c: ShopContext): Response {
  return c.html('There is nothing here.\n', 404, { 'Content-Security-Policy': "default-src 'none'" })
}
