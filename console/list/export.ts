// All verifications that a filter finds, as a table for a file.

import type { VerificationPage } from '../../packages/client/src/wire.ts'
import type { CsvTable } from '../csv.ts'

type Entry = VerificationPage['verifications'][number]

/** Largest number of rows of one file, and of calls for it. A call may find few rows. */
export const ROWS = 10_000
export const CALLS = 500

/** A page, or why it cannot be read. */
export type PageAnswer<P> =
  | { readonly ok: true; readonly value: VerificationPage }
  | { readonly ok: false; readonly problem: P }

export type Reading<P> = {
  /** Reads the page after a cursor; without a cursor, the newest page. */
  readonly read: (after: string | undefined) => Promise<PageAnswer<P>>
  /** Is called after each page. Returns false to stop. */
  readonly progress: (count: number) => boolean
}

/**
 * Rows that were read. `isCut`: older rows were not read. `leftOut`: days that the list leaves out.
 * `problem`: why a page could not be read.
 */
export type Exported<P> = {
  readonly entries: readonly Entry[]
  readonly isCut: boolean
  readonly leftOut: readonly string[]
  readonly problem: P | null
}

/** Reads page after page, the newest first, until the last page or a limit. */
export async function readAll<P>({ read, progress }: Reading<P>): Promise<Exported<P>> {
  const entries = new Map<string, Entry>()
  const leftOut = new Set<string>()
  let after: string | undefined
  for (let calls = 0; calls < CALLS; calls++) {
    const answer = await read(after)
    if (!answer.ok) return { ...resultOf(entries, leftOut, true), problem: answer.problem }
    const { verifications, next, incomplete = [] } = answer.value
    for (const entry of verifications) entries.set(entry.verification_id, entry)
    for (const day of incomplete) leftOut.add(day)
    const goesOn = progress(Math.min(entries.size, ROWS))
    if (next === null) return resultOf(entries, leftOut, entries.size > ROWS)
    if (!goesOn || entries.size >= ROWS) break
    after = next
  }
  return resultOf(entries, leftOut, true)
}

function resultOf(
  entries: ReadonlyMap<string, Entry>,
  leftOut: ReadonlySet<string>,
  isCut: boolean,
): Exported<never> {
  return {
    entries: [...entries.values()].slice(0, ROWS),
    isCut,
    leftOut: [...leftOut].sort(),
    problem: null,
  }
}

/** Largest number of columns for keys of the metadata. */
const KEYS = 50

/**
 * Returns a table with one row for each verification. Its columns are the members of the API, then one for
 * each key of the metadata. With too many keys, one column has the metadata as JSON.
 */
export function tableOf(entries: readonly Entry[]): CsvTable {
  const keys = [...new Set(entries.flatMap(({ metadata }) => Object.keys(metadata)))].sort()
  const isWide = keys.length <= KEYS
  const header = [...MEMBERS, ...(isWide ? keys.map((key) => `metadata.${key}`) : ['metadata'])]
  const cells = (entry: Entry) => MEMBERS.map((member) => cellOf(entry[member]))
  const named = ({ metadata }: Entry) =>
    isWide ? keys.map((key) => metadata[key] ?? '') : [JSON.stringify(metadata)]
  return [header, entries.map((entry) => [...cells(entry), ...named(entry)])]
}

const MEMBERS = [
  'verification_id',
  'status',
  'stage',
  'created_at',
  'ended_at',
  'expires_at',
  'credential_types',
  'reason',
  'attempt_count',
  'last_attempt_reason',
  'webhook_state',
  'livemode',
] as const

/** A reason by its code, a list with spaces, an absent value as an empty cell. */
function cellOf(value: Entry[(typeof MEMBERS)[number]]): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'object' && 'code' in value ? value.code : String(value)
}
