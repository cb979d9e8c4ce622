// One visitor's browser: the cookie that it is known by, and whether a post comes from a page of this shop.

import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Order } from './order.ts'
import type { Shop, ShopEnv } from './service.ts'
import { type ShopVisit, VISIT_SECONDS } from './visit.ts'

export type ShopContext = Context<{ readonly Bindings: ShopEnv }>

/** A visit and its order as it stands. */
export type Visiting = {
  readonly id: string
  readonly visit: DurableObjectStub<ShopVisit>
  readonly order: Order
}

const COOKIE = 'demo_visit'

/** The platform's object id, and the secret that only this browser holds: the id travels in `metadata`. */
const VALUE = /^([0-9a-f]{64})\.([A-Za-z0-9_-]{22})$/

/** The visit of the browser that asks; undefined where it has none, or none any more. */
export async function visitOf(c: ShopContext, shop: Shop): Promise<Visiting | undefined> {
  const [, id = '', secret = ''] = VALUE.exec(getCookie(c, COOKIE) ?? '') ?? []
  const visit = visitById(shop, id)
  const order = await visit?.read(secret)
  return visit && order ? { id, visit, order } : undefined
}

/** The object of an id that the platform made for us; whatever else is called one has none. */
export function visitById({ visits }: Shop, id: string): DurableObjectStub<ShopVisit> | undefined {
  if (!/^[0-9a-f]{64}$/.test(id)) return undefined
  try {
    return visits.get(visits.idFromString(id))
  } catch {
    return undefined // the platform tells its own ids from forged ones
  }
}

/** Gives the browser its cookie. Lax: the visitor comes back from the wallet by a link of another page. */
export function keepVisit(c: ShopContext, { baseUrl }: Shop, id: string, secret: string): void {
  setCookie(c, COOKIE, `${id}.${secret}`, {
    path: '/demo',
    httpOnly: true,
    sameSite: 'Lax',
    secure: baseUrl.startsWith('https:'),
    maxAge: VISIT_SECONDS,
  })
}

export function forgetVisit(c: ShopContext): void {
  deleteCookie(c, COOKIE, { path: '/demo' })
}

/** Whether a page of our own posts this: browsers name the origin of every POST, and no other page can name ours. */
export function isOwnPage(c: ShopContext, { baseUrl }: Shop): boolean {
  const site = c.req.header('Sec-Fetch-Site') ?? 'same-origin'
  return site === 'same-origin' && c.req.header('Origin') === baseUrl
}
