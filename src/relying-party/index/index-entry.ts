// Entry of the list of verifications (api/lists): data of one verification that a relying party can read
// without the session. An entry has no claim values. The only personal data in an entry are `metadata`, which
// are erased at the end of the retention. Times are Unix milliseconds.

/** Result of a verification's webhook after its last attempt. */
export type WebhookResult = {
  readonly delivered: boolean
  /** Number of automatic and manual attempts. */
  readonly attempts: number
  /** Duration of the last attempt in milliseconds. */
  readonly duration_ms: number
}

/** Refused responses of a verification. */
export type RefusedResponses = {
  /** Time and reason of the last refused response. */
  readonly last_at: number
  readonly last_reason: string
  /**
   * Number of refused responses by reason. If the session has very many refused responses, some are missing.
   */
  readonly reasons: Readonly<Record<string, number>>
}

export const WEBHOOK_STATES = ['delivered', 'dead'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]

/** Returns the state of the webhook; null if no attempt was made or another attempt follows. */
export function readWebhookState({ webhook }: Pick<IndexEntry, 'webhook'>): WebhookState | null {
  return webhook && (webhook.delivered ? 'delivered' : 'dead')
}

/** An entry without its metadata, which is stored sealed. */
export type ListedEntry = Omit<IndexEntry, 'metadata'>

/** One verification. Each later version of its entry has a higher `revision`. */
export type IndexEntry = {
  readonly verification_id: string
  readonly revision: number
  readonly created_at: number
  readonly expires_at: number
  readonly request_fetched_at: number | null
  readonly ended_at: number | null
  readonly status: string
  readonly stage: string
  readonly credential_types: readonly string[]
  /** Code of the reason. The edge adds the text of the reason. */
  readonly reason: string | null
  readonly attempt_count: number
  /** Absent without a refused response, and in entries of an earlier version. */
  readonly attempts?: RefusedResponses
  readonly protocol: string
  readonly channel: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** End of the retention of the session. */
  readonly metadata_until: number
  readonly webhook: WebhookResult | null
  readonly livemode: boolean
}
