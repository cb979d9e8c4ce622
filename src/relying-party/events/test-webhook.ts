// Test event: one signed POST to the relying party's webhook. The test event is validated, signed and sent
// like a real event, but never sent again.

import { encodeBase64url } from '../../codec/base64url.ts'
import type { Config } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { hasSucceeded } from '../../webhook/delivery.ts'
import { buildTestEvent } from '../../webhook/event.ts'
import type { Settings, WebhookEndpoint } from '../document/settings.ts'
import { postEvent } from './post-event.ts'

/** Sends one test event. A disabled webhook is tested too, which shows if the webhook can be enabled. */
export async function sendTestEvent(settings: Settings, webhook: WebhookEndpoint, config: Config) {
  const eventId = `evt_${encodeBase64url(randomBytes(16))}`
  const { relying_party_id: relyingPartyId, livemode } = settings
  const event = buildTestEvent({ eventId, relyingPartyId, livemode, now: Date.now() })
  const outcome = await postEvent(config, { webhook, livemode }, { eventId, body: JSON.stringify(event) })
  const { status, error, durationMs } = outcome
  return { event, succeeded: hasSucceeded(outcome), status, error, durationMs }
}
