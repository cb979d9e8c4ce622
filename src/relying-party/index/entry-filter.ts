// Filters of the list of verifications (api/lists).

import { type IndexEntry, type ListedEntry, type WebhookState, webhookStateOf } from './index-entry.ts'

/** Conditions that an entry must match. An absent member matches every entry. */
export type EntryFilter = {
  readonly status?: readonly string[]
  /** Earliest creation time in Unix milliseconds, inclusive. The reader stops at this time. */
  readonly created_after?: number
  readonly credential_type?: string
  readonly webhook_state?: WebhookState
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * Returns true if the filter matches an entry. Does not compare the metadata and the creation time. The
 * reader of the entries compares them.
 */
export function matches(entry: ListedEntry, filter: EntryFilter): boolean {
  const { status, credential_type, webhook_state } = filter
  return (
    (status === undefined || status.includes(entry.status)) &&
    (credential_type === undefined || entry.credential_types.includes(credential_type)) &&
    (webhook_state === undefined || webhookStateOf(entry) === webhook_state)
  )
}

/** Returns true if the filter matches the metadata of an entry. */
export function matchesMetadata(metadata: IndexEntry['metadata'], filter: EntryFilter): boolean {
  return Object.entries(filter.metadata ?? {}).every(
    ([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value,
  )
}
