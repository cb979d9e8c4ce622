// What the service tells the shop by itself. Nobody is believed who has not signed: not the sender's address, not what it says.

import { verifyWebhook } from '@wallet-verifier/client/webhook'
import type { VerificationEvent } from '@wallet-verifier/client/wire'
import { readText } from '../../../src/sandbox/bounded-body.ts'
import { type ShopContext, visitById } from './browser.ts'
import type { Webhook } from './order.ts'
import type { Shop } from './service.ts'

const BODY_LIMIT = 65_536

/** `POST /demo/webhook`. 204 says: understood, do not send it again, also of what is of no interest here. */
export async function receiveWebhook(c: ShopContext, shop: Shop): Promise<Response> {
  const body = await readText(c.req.raw, BODY_LIMIT)
  if (body === undefined) return c.text('The body is too long.\n', 413)
  const signature = c.req.header('X-Service-Signature')
  const now = Date.now()
  const event = await verifyWebhook(body, signature, { secrets: [shop.webhookSecret], now })
  if (!event.ok) return c.text(`Not believed: ${event.error}.\n`, 400)
  const visit = visitById(shop, orderOf(event.value))
  await visit?.told(event.value, deliveryOf(c, event.value, body, now))
  return c.body(null, 204)
}

/** The test event of the settings page is of no verification and has no metadata. */
function orderOf({ metadata }: Partial<VerificationEvent>): string {
  return metadata?.order ?? ''
}

function deliveryOf(c: ShopContext, { event_id }: VerificationEvent, body: string, now: number): Webhook {
  const headers = Object.entries(c.req.header())
    .filter(([name]) => !OF_THE_PLATFORM.test(name))
    .map(([name, value]) => ({ name, value }))
  const t = Number(/(?:^|,)t=(\d+)/.exec(c.req.header('X-Service-Signature') ?? '')?.[1])
  return { kind: 'webhook', at: now, eventId: event_id, headers, body, age: Math.round(now / 1000 - t) }
}

/** What the network between the two adds. */
const OF_THE_PLATFORM = /^(cf-|cdn-|x-forwarded-|x-real-ip|true-client-ip)/
