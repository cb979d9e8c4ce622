// Webhook that receives the events of a session.

import type { WebhookEndpoint } from '../../relying-party/document/settings.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import type { SessionContext } from './context.ts'

/**
 * Returns the relying party's current webhook, or null if there is none. Returns `unknown` if the settings
 * are unavailable.
 */
export async function loadWebhook(
  { store, env }: SessionContext,
  now: number,
): Promise<WebhookEndpoint | null | 'unknown'> {
  const id = store.session()?.relying_party_id
  const settings = id === undefined ? undefined : await loadSettings(env, id, now)
  if (settings === undefined) return null
  if (!settings.ok) return settings.error === 'unavailable' ? 'unknown' : null
  return settings.value.webhook
}
