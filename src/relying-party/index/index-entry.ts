// Entry of the list of verifications (api/lists): what a relying party sees of one verification without
// reading its session. It has no claim value and nothing of the person but `metadata`, which is emptied at
// the end of the retention. Times are Unix milliseconds.

/** Result of a verification's webhook after its last attempt. */
export type WebhookResult = {
  readonly delivered: boolean
  /** Number of automatic and manual attempts. */
  readonly attempts: number
  /** Duration of the last attempt in milliseconds. */
  readonly duration_ms: number
}

export const WEBHOOK_STATES = ['delivered', 'dead'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]

/** Returns the state of the webhook; null while an attempt follows, and if no attempt was made. */
export function webhookStateOf({ webhook }: Pick<IndexEntry, 'webhook'>): WebhookState | null {
  return webhook && (webhook.delivered ? 'delivered' : 'dead')
}

/** An entry without its metadata, which is stored sealed. */
export type ListedEntry = Omit<IndexEntry, 'metadata'>

/** One verification. A later put of the same verification has a higher `revision`. */
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
  /** Code of the reason. The edge adds the text. */
  readonly reason: string | null
  readonly attempt_count: number
  readonly protocol: string
  readonly channel: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** End of the retention of the session. */
  readonly metadata_until: number
  readonly webhook: WebhookResult | null
  readonly livemode: boolean
}
