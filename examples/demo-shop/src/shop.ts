// The shop as a relying party: its configuration, and its calls to the verification service by the typed
// client. Each call is recorded for the page. Secrets are removed before a record is stored.

import { type Client, createClient } from '@wallet-verifier/client'
import type { Call } from './order.ts'
import type { ShopVisit } from './visit.ts'

/** Bindings of wrangler.toml, and variables. The secrets are missing until the shop has a relying party. */
export type ShopEnv = {
  readonly SHOP_VISIT: DurableObjectNamespace<ShopVisit>
  readonly ASSETS: Fetcher
  /** The verifier, where both run in one process. Deployed, the shop calls its public address. */
  readonly VERIFIER?: Fetcher
  readonly BASE_URL?: string
  readonly DEMO_API_KEY?: string | null
  readonly DEMO_WEBHOOK_SECRET?: string | null
}

export type Shop = {
  /** Origin of the verifier, and of the shop's own pages. */
  readonly baseUrl: string
  readonly visits: DurableObjectNamespace<ShopVisit>
  readonly webhookSecret: string
  /** Returns a client that passes each call to `record`. */
  readonly client: (record: (call: RecordedCall) => void) => Client
}

/** A call as it was sent and answered. */
export type RecordedCall = Pick<Call, 'at' | 'method' | 'path' | 'sent' | 'status' | 'answer'>

/** Returns the shop, undefined until it is configured. */
export function shopOf(env: ShopEnv): Shop | undefined {
  const { BASE_URL, SHOP_VISIT, VERIFIER, DEMO_API_KEY, DEMO_WEBHOOK_SECRET } = env
  if (!BASE_URL || !DEMO_API_KEY || !DEMO_WEBHOOK_SECRET) return undefined
  const send: typeof fetch = (target, init) => (VERIFIER ?? globalThis).fetch(target, init)
  return {
    baseUrl: BASE_URL,
    visits: SHOP_VISIT,
    webhookSecret: DEMO_WEBHOOK_SECRET,
    client: (record) =>
      createClient({ baseUrl: BASE_URL, token: DEMO_API_KEY, fetch: recording(send, record) }),
  }
}

/** The request of the shop: one fact, from any of three credentials. */
export const AGE_REQUEST = {
  credential_types: ['age_attestation', 'pid', 'mdl'],
  scope: ['age_over_18'],
  purpose: 'Wine and ale are sold to adults only.',
  locale: 'en',
} as const

function recording(send: typeof fetch, record: (call: RecordedCall) => void): typeof fetch {
  return async (target, init) => {
    const url = new URL(target instanceof Request ? target.url : target)
    const sent = typeof init?.body === 'string' ? readable(init.body) : null
    const call = { at: Date.now(), method: init?.method ?? 'GET', path: url.pathname, sent }
    try {
      const response = await send(url, init)
      const answer = readable(await response.clone().text())
      record({ ...call, status: response.status, answer })
      return response
    } catch (error) {
      record({ ...call, status: null, answer: 'no response' })
      throw error
    }
  }
}

const TEXT_LIMIT = 16_384

/** Indents JSON and removes what would open the visitor's session. Other text stays as it is. */
function readable(text: string): string {
  try {
    const indented = JSON.stringify(JSON.parse(text, withoutSecrets), null, 2)
    return indented.slice(0, TEXT_LIMIT)
  } catch {
    return text.slice(0, TEXT_LIMIT)
  }
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (name === 'client_token' || name === 'return_code') return '… (secret)'
  if (name === 'qr_code') return `${value.slice(0, 28)}… (${value.length} characters)`
  return value.replace(/([?&](?:token|return_code)=)[^&]+/g, '$1…')
}
