// Test event: one signed POST to the relying party's webhook. It is validated, signed and sent as a real
// event, and never retried.

import { encodeBase64url } from '../../codec/base64url.ts'
import { type Config, outboundRule } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { checkOutboundUrl } from '../../net/outbound-url.ts'
import { type AttemptOutcome, deliver, hasSucceeded } from '../../webhook/delivery.ts'
import { buildTestEvent } from '../../webhook/event.ts'
import { signatureHeaders } from '../../webhook/signature.ts'
import type { Settings, WebhookEndpoint } from '../settings/settings.ts'

/** Outcome of a test event. `durationMs` is milliseconds. */
export type TestDelivery = Pick<AttemptOutcome, 'status' | 'error' | 'durationMs'> & {
  readonly eventId: string
  readonly succeeded: boolean
}

/** Sends one test event. A disabled webhook is tested too, to find out if it can be enabled. */
export async function sendTestEvent(
  settings: Settings,
  webhook: WebhookEndpoint,
  config: Config,
): Promise<TestDelivery> {
  const now = Date.now()
  const eventId = `evt_${encodeBase64url(randomBytes(16))}`
  const url = checkOutboundUrl(webhook.url, outboundRule(config, settings.livemode))
  if (!url.ok) return { eventId, succeeded: false, status: null, error: 'forbidden_url', durationMs: 0 }
  const { relying_party_id: relyingPartyId, livemode } = settings
  const body = buildTestEvent({ eventId, relyingPartyId, livemode, now })
  const secrets = webhook.secrets.map(({ secret }) => secret)
  const headers = await signatureHeaders({ body, secrets, eventId, now })
  const outcome = await deliver({
    url: url.value,
    body,
    headers,
    fetch: (target, init) => fetch(target, init),
    clock: Date.now,
  })
  const { status, error, durationMs } = outcome
  return { eventId, succeeded: hasSucceeded(outcome), status, error, durationMs }
}
