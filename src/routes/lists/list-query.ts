// Filters and cursors of `GET /v1/verify`, and cursors of `GET /v1/audit` (api/lists, api/audit).

import { type AuditListQuery, type ListQuery, METADATA_PREFIX } from '../../api/requests.ts'
import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { Config } from '../../config.ts'
import { deriveKey } from '../../crypto/seal.ts'
import { readTagged, writeTagged } from '../../crypto/tagged-bytes.ts'
import { endOfDay } from '../../relying-party/events/event-days.ts'
import type { EntryFilter } from '../../relying-party/index/entry-filter.ts'
import type { EntryPosition } from '../../relying-party/index/stored-entry.ts'

/**
 * Returns the filter of a query, and the position `before`. Only entries older than the position are read,
 * newest first. `before` null: all entries are read.
 */
export function parseFilter(query: ListQuery): {
  readonly filter: EntryFilter
  readonly before: EntryPosition | null
} {
  const { status, created_after, created_before, credential_type, webhook_state } = query
  const { reason, has_attempts, search } = query
  const metadata = Object.entries(query).filter(([name]) => name.startsWith(METADATA_PREFIX))
  const filter = {
    ...(status !== undefined && { status: [status].flat() }),
    ...(created_after !== undefined && { created_after: Date.parse(created_after) }),
    ...(credential_type !== undefined && { credential_type }),
    ...(webhook_state !== undefined && { webhook_state }),
    ...(reason !== undefined && { reason }),
    ...(has_attempts !== undefined && { has_attempts: has_attempts === 'true' }),
    ...(search !== undefined && { search: search.toLowerCase() }),
    ...(metadata.length > 0 && {
      metadata: Object.fromEntries(
        metadata.map(([name, value]) => [name.slice(METADATA_PREFIX.length), String(value)]),
      ),
    }),
  }
  const before = created_before === undefined ? null : { created_at: Date.parse(created_before), mark: '' }
  return { filter, before }
}

/** Returns the response member with the days that are left out; no member if there are none. */
export function leftOut(days: readonly number[]): { readonly incomplete?: string[] } {
  return days.length === 0 ? {} : { incomplete: days.map((day) => isoTime(endOfDay(day - 1)).slice(0, 10)) }
}

/**
 * Returns true if the query returns every entry that is read. `created_after` is ignored here, because
 * reading stops at the first older entry.
 */
export function isUnfiltered({ created_after: _, ...filters }: EntryFilter): boolean {
  return Object.keys(filters).length === 0
}

const TIME_BYTES = 8
const MARK_BYTES = 16
const NUMBER_BYTES = 8

/** Returns the cursor for the entries older than `at`, for this relying party and this query. */
export async function writeListCursor(config: Config, context: string, at: EntryPosition): Promise<string> {
  const bytes = new Uint8Array(TIME_BYTES + MARK_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(at.created_at))
  bytes.set(decodeBase64url(at.mark) ?? new Uint8Array(), TIME_BYTES)
  return writeTagged(await deriveCursorKey(config), context, bytes)
}

/** Parses a cursor; `undefined` for every text that was not made for this relying party and this query. */
export async function readListCursor(
  config: Config,
  context: string,
  cursor: string,
): Promise<EntryPosition | undefined> {
  const expected = { text: cursor, length: TIME_BYTES + MARK_BYTES }
  const bytes = await readTagged(await deriveCursorKey(config), context, expected)
  if (bytes === undefined) return undefined
  const created_at = Number(new DataView(bytes.buffer).getBigUint64(0))
  return { created_at, mark: encodeBase64url(bytes.slice(TIME_BYTES)) }
}

/**
 * Returns the relying party and the filters as one text, which the MAC of a cursor covers. A cursor made for
 * another relying party or for other filters is rejected.
 */
export function cursorContext(
  relyingPartyId: string,
  { limit: _, after: __, ...filters }: ListQuery | AuditListQuery,
): string {
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([relyingPartyId, sorted])
}

/** Returns the cursor for the entries of the audit log that are older than the entry with this number. */
export async function writeAuditCursor(config: Config, context: string, number: number): Promise<string> {
  const bytes = new Uint8Array(NUMBER_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number))
  return writeTagged(await deriveCursorKey(config), `audit ${context}`, bytes)
}

/** Parses a cursor of the audit log; `undefined` for every text that was not made for this query. */
export async function readAuditCursor(
  config: Config,
  context: string,
  cursor: string,
): Promise<number | undefined> {
  const expected = { text: cursor, length: NUMBER_BYTES }
  const bytes = await readTagged(await deriveCursorKey(config), `audit ${context}`, expected)
  return bytes && Number(new DataView(bytes.buffer).getBigUint64(0))
}

function deriveCursorKey({ serverSecret }: Config): Promise<Uint8Array<ArrayBuffer>> {
  return deriveKey(serverSecret, 'list-cursor')
}
