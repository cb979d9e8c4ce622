// The visitor's browser: the cookie of its visit, and the check that a POST comes from the shop's page.

import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Order } from './order.ts'
import type { Shop, ShopEnv } from './shop.ts'
import { type ShopVisit, VISIT_SECONDS } from './visit.ts'

export type ShopBindings = { readonly Bindings: ShopEnv; readonly Variables: { readonly shop: Shop } }

export type ShopContext = Context<ShopBindings>

/** A visit and its current order. */
export type Visit = {
  readonly id: string
  readonly stub: DurableObjectStub<ShopVisit>
  readonly order: Order
}

const COOKIE = 'demo_visit'

/** The object's id, which also travels in `metadata`, and a secret that only this browser has. */
const VALUE = /^([0-9a-f]{64})\.([A-Za-z0-9_-]{22})$/

/** Returns the visit of the requesting browser, undefined without one or after its end. */
export async function visitOf(c: ShopContext): Promise<Visit | undefined> {
  const [, id = '', secret = ''] = VALUE.exec(getCookie(c, COOKIE) ?? '') ?? []
  const stub = visitById(c.var.shop, id)
  const order = await stub?.read(secret)
  return stub && order ? { id, stub, order } : undefined
}

/** Returns the object of an id, undefined for an id that the platform did not create. */
export function visitById({ visits }: Shop, id: string): DurableObjectStub<ShopVisit> | undefined {
  if (!/^[0-9a-f]{64}$/.test(id)) return undefined
  try {
    return visits.get(visits.idFromString(id))
  } catch {
    return undefined // the platform rejects forged ids
  }
}

/** Sets the cookie of a new visit. `Lax`: the wallet returns the visitor by a link on another page. */
export function setVisit(c: ShopContext, id: string, secret: string): void {
  setCookie(c, COOKIE, `${id}.${secret}`, {
    path: '/demo',
    httpOnly: true,
    sameSite: 'Lax',
    secure: c.var.shop.baseUrl.startsWith('https:'),
    maxAge: VISIT_SECONDS,
  })
}

export function clearVisit(c: ShopContext): void {
  deleteCookie(c, COOKIE, { path: '/demo' })
}

/**
 * True for a POST of the shop's own page. Browsers send the origin with every POST, and no other page can
 * send ours.
 */
export function isOwnPage(c: ShopContext): boolean {
  const site = c.req.header('Sec-Fetch-Site') ?? 'same-origin'
  return site === 'same-origin' && c.req.header('Origin') === c.var.shop.baseUrl
}
