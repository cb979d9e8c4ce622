// Queries of `GET /v1/insights` and `GET /v1/verify` (api/lists): filters, and the cursor between pages.

import * as z from 'zod/mini'
import { NOT_A_CURSOR, pageLimit } from '../../api/requests.ts'
import { STATUSES } from '../../api/values.ts'
import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { text } from '../../codec/schema.ts'
import type { Config } from '../../config.ts'
import { deriveKey } from '../../crypto/seal.ts'
import { readTagged, writeTagged } from '../../crypto/tagged-bytes.ts'
import type { EntryFilter } from '../../relying-party/index/entry-filter.ts'
import { WEBHOOK_STATES } from '../../relying-party/index/index-entry.ts'
import type { EntryPosition } from '../../relying-party/index/stored-entry.ts'

const METADATA = 'metadata.'
const METADATA_FILTERS = 3

const status = z.enum(STATUSES)
const time = z.iso.datetime({ offset: true, error: 'must be a time with an offset, as 2027-01-31T12:00:00Z' })

/** Query of `GET /v1/verify`. A name that starts with `metadata.` is a filter for one key of the metadata. */
export const listQuery = z
  .catchall(
    z.object({
      status: z.exactOptional(z.union([status, z.array(status)])),
      created_after: z.exactOptional(time),
      created_before: z.exactOptional(time),
      credential_type: z.exactOptional(text(300)),
      webhook_state: z.exactOptional(z.enum(WEBHOOK_STATES)),
      limit: pageLimit,
      after: z.exactOptional(z.string().check(z.regex(/^[A-Za-z0-9_-]{54}$/, NOT_A_CURSOR))),
    }),
    z.string('must be given once').check(z.maxLength(500)),
  )
  .check((context) => {
    const names = Object.keys(context.value).filter((name) => !KNOWN.has(name))
    const unknown = names.filter((name) => !/^metadata\..{1,40}$/su.test(name))
    if (unknown.length > 0) {
      context.issues.push({ code: 'unrecognized_keys', keys: unknown, input: context.value })
    }
    if (names.length - unknown.length > METADATA_FILTERS) {
      const message = `must be at most ${METADATA_FILTERS} of \`metadata.{key}\``
      context.issues.push({
        code: 'custom',
        path: [names[METADATA_FILTERS] ?? ''],
        message,
        input: context.value,
      })
    }
  })
export type ListQuery = z.infer<typeof listQuery>

/** Query of `GET /v1/insights`. */
export const insightsQuery = z.strictObject({
  from: time,
  to: time,
  step: z._default(z.enum(['hour', 'day']), 'day'),
})

const KNOWN = new Set([
  ...['status', 'created_after', 'created_before', 'credential_type', 'webhook_state'],
  ...['limit', 'after'],
])

/**
 * Returns the filter of a query, and the position where reading starts. Only entries before the position are
 * read. `before` null: reading starts at the newest entry.
 */
export function parseFilter(query: ListQuery): {
  readonly filter: EntryFilter
  readonly before: EntryPosition | null
} {
  const { status, created_after, created_before, credential_type, webhook_state } = query
  const metadata = Object.entries(query).filter(([name]) => name.startsWith(METADATA))
  const filter = {
    ...(status !== undefined && { status: [status].flat() }),
    ...(created_after !== undefined && { created_after: Date.parse(created_after) }),
    ...(credential_type !== undefined && { credential_type }),
    ...(webhook_state !== undefined && { webhook_state }),
    ...(metadata.length > 0 && {
      metadata: Object.fromEntries(
        metadata.map(([name, value]) => [name.slice(METADATA.length), String(value)]),
      ),
    }),
  }
  const before = created_before === undefined ? null : { created_at: Date.parse(created_before), mark: '' }
  return { filter, before }
}

/**
 * Returns true if the query returns every entry that is read. The filter by time is ignored here, because
 * older entries are not read.
 */
export function isUnfiltered({ created_after: _, ...filters }: EntryFilter): boolean {
  return Object.keys(filters).length === 0
}

const TIME_BYTES = 8
const MARK_BYTES = 16

/** Returns the cursor that continues after an entry, for this relying party and this query. */
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
export function cursorContext(relyingPartyId: string, query: ListQuery): string {
  const { limit: _, after: __, ...filters } = query
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([relyingPartyId, sorted])
}

function deriveCursorKey({ serverSecret }: Config): Promise<Uint8Array<ArrayBuffer>> {
  return deriveKey(serverSecret, 'list-cursor')
}
