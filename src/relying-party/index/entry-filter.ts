// Filters of the list of verifications (api/lists).

import { type IndexEntry, type ListedEntry, readWebhookState, type WebhookState } from './index-entry.ts'

/** Conditions that an entry must match. An absent member matches every entry. */
export type EntryFilter = {
  readonly status?: readonly string[]
  /**
   * Earliest creation time in Unix milliseconds, inclusive. `matches` does not compare the time, because the
   * caller reads no older entries.
   */
  readonly created_after?: number
  readonly credential_type?: string
  readonly webhook_state?: WebhookState
  /** Reason of the end, or of a refused response. */
  readonly reason?: string
  readonly has_attempts?: boolean
  readonly metadata?: Readonly<Record<string, string>>
  /** Part of the id or of a value of the metadata, in lower case. */
  readonly search?: string
}

/**
 * Returns true if the filter matches an entry. Does not compare the creation time, the id and the metadata:
 * the reader of the entries compares these.
 */
export function matches(entry: ListedEntry, filter: EntryFilter): boolean {
  const { status, credential_type, webhook_state, reason, has_attempts } = filter
  return (
    (status === undefined || status.includes(entry.status)) &&
    (credential_type === undefined || entry.credential_types.includes(credential_type)) &&
    (webhook_state === undefined || readWebhookState(entry) === webhook_state) &&
    (reason === undefined || hasReason(entry, reason)) &&
    (has_attempts === undefined || entry.attempt_count > 0 === has_attempts)
  )
}

function hasReason({ reason, attempts }: ListedEntry, code: string): boolean {
  return reason === code || Object.hasOwn(attempts?.reasons ?? {}, code)
}

/** Returns true if the filter needs the metadata of each entry, which are sealed. */
export function needsMetadata({ metadata, search }: EntryFilter): boolean {
  return metadata !== undefined || search !== undefined
}

/** Returns true if the filter matches the id and the opened metadata of an entry. */
export function matchesOpened(
  { verification_id, metadata }: Pick<IndexEntry, 'verification_id' | 'metadata'>,
  { metadata: wanted = {}, search }: EntryFilter,
): boolean {
  const isNamed = Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value,
  )
  if (!isNamed || search === undefined) return isNamed
  return [verification_id, ...Object.values(metadata)].some((text) => text.toLowerCase().includes(search))
}
