// Counts pending sessions and undelivered events, for the gauges of a service that runs as one process. A
// table has a row for each session that is pending, or has a queued or dead event.

/** Counts of one session. A session has a row while it is pending, or has a queued or dead event. */
export type SessionNote = {
  readonly verification_id: string
  readonly livemode: boolean
  /** Time from which the session is no longer pending (Unix milliseconds); `null` after its end. */
  readonly pending_until: number | null
  readonly queued_events: number
  readonly dead_events: number
}

/** The counts of one mode. */
export type SessionCounts = {
  readonly livemode: boolean
  readonly pending: number
  readonly queuedEvents: number
  readonly deadEvents: number
}

/** Number of ids in one query. A value of a query may have 2 MB, and an id has about 50 bytes. */
const IDS_AT_ONCE = 10_000

export function createSessionNotes(sql: SqlStorage): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS session_notes (
    verification_id TEXT PRIMARY KEY, livemode INTEGER NOT NULL, pending_until INTEGER,
    queued_events INTEGER NOT NULL, dead_events INTEGER NOT NULL) WITHOUT ROWID`)
}

/**
 * Replaces the rows of these sessions. Removes the row of a session that is over and has no queued or dead
 * event.
 */
export function storeSessionNotes(sql: SqlStorage, notes: readonly SessionNote[]): void {
  for (const { verification_id, livemode, pending_until, queued_events, dead_events } of notes) {
    if (pending_until === null && queued_events === 0 && dead_events === 0) {
      sql.exec('DELETE FROM session_notes WHERE verification_id = ?', verification_id)
    } else {
      const values = [verification_id, livemode ? 1 : 0, pending_until, queued_events, dead_events]
      sql.exec('INSERT OR REPLACE INTO session_notes VALUES (?, ?, ?, ?, ?)', ...values)
    }
  }
}

/**
 * Returns the counts at `now` (Unix milliseconds): first test mode, then live mode. A note in `newer` is
 * counted instead of the row of its session. `newer` has at most one note of each session.
 */
export function countSessions(
  sql: SqlStorage,
  now: number,
  newer: readonly SessionNote[] = [],
): readonly SessionCounts[] {
  const select = `SELECT livemode, count(*) FILTER (WHERE pending_until > ?) AS pending,
    sum(queued_events) AS queuedEvents, sum(dead_events) AS deadEvents FROM session_notes`
  const rowsOf = (where: string, ...values: readonly string[]) =>
    sql.exec<Row>(`${select} ${where} GROUP BY livemode`, now, ...values).toArray()
  const ids = newer.map(({ verification_id }) => verification_id)
  const replaced: Row[] = []
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const list = JSON.stringify(ids.slice(at, at + IDS_AT_ONCE))
    replaced.push(...rowsOf('WHERE verification_id IN (SELECT value FROM json_each(?))', list))
  }
  const rows = [
    ...[...rowsOf(''), ...newer.map((note) => rowOf(note, now))].map((row) => ({ row, sign: 1 })),
    ...replaced.map((row) => ({ row, sign: -1 })),
  ]
  return [false, true].map((livemode) => {
    const total = (member: Exclude<keyof Row, 'livemode'>) =>
      rows
        .filter(({ row }) => row.livemode === Number(livemode))
        .reduce((sum, { row, sign }) => sum + sign * row[member], 0)
    return {
      livemode,
      pending: total('pending'),
      queuedEvents: total('queuedEvents'),
      deadEvents: total('deadEvents'),
    }
  })
}

type Row = Omit<SessionCounts, 'livemode'> & { readonly livemode: number }

function rowOf({ livemode, pending_until, queued_events, dead_events }: SessionNote, now: number): Row {
  return {
    livemode: Number(livemode),
    pending: Number((pending_until ?? 0) > now),
    queuedEvents: queued_events,
    deadEvents: dead_events,
  }
}
