// The shop's server as a relying party: it calls the verification service with the typed client, as any shop would, and keeps what
// went over the wire to show it. Secrets are taken out before anything is kept.

import { type Client, createClient } from '@wallet-verifier/client'
import { type CallVerifier, type VerifierEnv, verifierOf } from '../../../src/sandbox/verifier.ts'
import type { Call } from './order.ts'
import type { ShopVisit } from './visit.ts'

/** What the platform binds. The shop is there where the service has a relying party for it: both secrets, or none. */
export type ShopEnv = VerifierEnv & {
  readonly SHOP_VISIT?: DurableObjectNamespace<ShopVisit>
  readonly DEMO_API_KEY?: string | null
  readonly DEMO_WEBHOOK_SECRET?: string | null
}

export type Shop = {
  /** Origin of the service, below which the shop stands too. */
  readonly baseUrl: string
  readonly visits: DurableObjectNamespace<ShopVisit>
  readonly webhookSecret: string
  /** A client whose calls are told to `record`. */
  readonly client: (record: (call: Seen) => void) => Client
}

/** A call as it went over the wire. */
export type Seen = Pick<Call, 'at' | 'method' | 'path' | 'sent' | 'status' | 'answer'>

/** The shop, where there is one. */
export function shopOf(env: ShopEnv): Shop | undefined {
  const { BASE_URL, SHOP_VISIT, DEMO_API_KEY, DEMO_WEBHOOK_SECRET } = env
  const call = verifierOf(env)
  if (!BASE_URL || !call || !SHOP_VISIT || !DEMO_API_KEY || !DEMO_WEBHOOK_SECRET) return undefined
  return {
    baseUrl: BASE_URL,
    visits: SHOP_VISIT,
    webhookSecret: DEMO_WEBHOOK_SECRET,
    client: (record) =>
      createClient({ baseUrl: BASE_URL, token: DEMO_API_KEY, fetch: recording(call, record) }),
  }
}

/** What the shop asks for: one fact, from whichever of these the visitor has, in the language of this shop. */
export const QUESTION = {
  credential_types: ['age_attestation', 'pid', 'mdl'],
  scope: ['age_over_18'],
  purpose: 'Wine and ale are sold to adults only.',
  locale: 'en',
} as const

/** `fetch` to the service, noting down what it carries. */
function recording(call: CallVerifier, record: (call: Seen) => void): typeof fetch {
  return async (target, init) => {
    const url = new URL(target instanceof Request ? target.url : target)
    const sent = typeof init?.body === 'string' ? readable(init.body) : null
    const seen = { at: Date.now(), method: init?.method ?? 'GET', path: url.pathname, sent }
    try {
      const response = await call(url, init)
      const answer = readable(await response.clone().text())
      record({ ...seen, status: response.status, answer })
      return response
    } catch (error) {
      record({ ...seen, status: null, answer: 'no answer' })
      throw error
    }
  }
}

const TEXT_AT_MOST = 16_384

/** JSON for people to read: pretty, without what opens the visitor's session. Any other text is as it is. */
function readable(text: string): string {
  try {
    const shown = JSON.stringify(JSON.parse(text, withoutSecrets), null, 2)
    return shown.slice(0, TEXT_AT_MOST)
  } catch {
    return text.slice(0, TEXT_AT_MOST)
  }
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (name === 'client_token' || name === 'return_code') return '… (kept to ourselves)'
  if (name === 'qr_code') return `${value.slice(0, 28)}… (${value.length} characters)`
  return value.replace(/([?&](?:token|return_code)=)[^&]+/g, '$1…')
}
