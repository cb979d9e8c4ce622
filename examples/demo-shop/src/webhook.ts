// Receives webhooks of the verification service. Verifies the signature over the raw body before it reads
// anything else.

import { verifyWebhook } from '@wallet-verifier/client/webhook'
import type { VerificationEvent } from '@wallet-verifier/client/wire'
import { type ShopContext, visitById } from './browser.ts'
import type { Webhook } from './order.ts'

/** `POST /demo/webhook`. Responds 204 to every signed event, so that the service does not send it again. */
export async function receiveWebhook(c: ShopContext): Promise<Response> {
  const { shop } = c.var
  const body = await c.req.text()
  const now = Date.now()
  const signature = c.req.header('X-Service-Signature')
  const event = await verifyWebhook(body, signature, { secrets: [shop.webhookSecret], now })
  if (!event.ok) return c.text(`Webhook refused: ${event.error}.\n`, 400)
  // A test event has no metadata: it belongs to no visit.
  const { value } = event
  if ('metadata' in value)
    await visitById(shop, value.metadata?.order ?? '')?.storeWebhook(value, recordOf(c, value, body, now))
  return c.body(null, 204)
}

function recordOf(c: ShopContext, { event_id }: VerificationEvent, body: string, now: number): Webhook {
  const headers = Object.entries(c.req.header())
    .filter(([name]) => !PLATFORM_HEADERS.test(name))
    .map(([name, value]) => ({ name, value }))
  const t = Number(/(?:^|,)t=(\d+)/.exec(c.req.header('X-Service-Signature') ?? '')?.[1])
  return { kind: 'webhook', at: now, eventId: event_id, headers, body, age: Math.round(now / 1000 - t) }
}

/** Headers that the network adds on the way. */
const PLATFORM_HEADERS = /^(cf-|cdn-|x-forwarded-|x-real-ip|true-client-ip)/
