// The webhook that a session sends to.

import type { WebhookEndpoint } from '../../relying-party/document/settings.ts'
import { settingsOf } from '../../relying-party/settings/settings-cache.ts'
import type { SessionContext } from './context.ts'

/** Loads the relying party's current webhook. `unknown`: its settings are unavailable. */
export async function webhookOf(
  { store, env }: SessionContext,
  now: number,
): Promise<WebhookEndpoint | null | 'unknown'> {
  const id = store.session()?.relying_party_id
  const settings = id === undefined ? undefined : await settingsOf(env, id, now)
  if (settings === undefined) return null
  if (!settings.ok) return settings.error === 'unavailable' ? 'unknown' : null
  return settings.value.webhook
}
