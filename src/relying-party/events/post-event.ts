// One POST of an event to a relying party's webhook, signed with every secret that has not expired.

import { type Config, outboundRule } from '../../config.ts'
import { checkOutboundUrl } from '../../net/outbound-url.ts'
import { type AttemptOutcome, deliver } from '../../webhook/delivery.ts'
import { signatureHeaders } from '../../webhook/signature.ts'
import type { WebhookEndpoint } from '../document/settings.ts'

/** The body of an event, and headers in addition to its signature. */
type EventPost = {
  readonly eventId: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Sends one event. The URL is checked again. Our own host, or the rule that allows calls to loopback hosts,
 * may have changed since the URL was set.
 */
export async function postEvent(
  config: Config,
  { webhook, livemode }: { readonly webhook: WebhookEndpoint; readonly livemode: boolean },
  { eventId, body, headers }: EventPost,
): Promise<AttemptOutcome> {
  const now = Date.now()
  const url = checkOutboundUrl(webhook.url, outboundRule(config, livemode))
  if (!url.ok) return { status: null, error: 'forbidden_url', retryAfter: null, durationMs: 0 }
  const live = webhook.secrets.filter(({ expires_at }) => expires_at === null || expires_at > now)
  const secrets = live.map(({ secret }) => secret)
  const signature = await signatureHeaders({ body, secrets, eventId, now })
  return deliver({
    url: url.value,
    body,
    headers: { ...signature, ...headers },
    fetch: (input, init) => fetch(input, init),
    clock: () => Date.now(),
  })
}
