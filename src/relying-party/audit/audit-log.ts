// Audit log of one relying party, in its object (api/audit): who changed something, when and from where, and
// who signed in to the console. Each entry is one row. An entry is never changed. An entry contains the names
// of the changed members, but not their values.

import { type Actor, type Origin, UNKNOWN_ORIGIN } from './actor.ts'

/** Kinds of entries. */
export const AUDIT_ACTIONS = [
  'relying_party.created',
  'settings.changed',
  'api_key.created',
  'api_key.deleted',
  'webhook.secret_rotated',
  'webhook.enabled',
  'webhook.tested',
  'webhook.redelivered',
  'oidc_client.created',
  'oidc_client.changed',
  'oidc_client.deleted',
  'oidc_client.secret_rotated',
  'console.signed_in',
  'console.sign_in_failed',
  'console.signed_out',
  'verification.canceled',
  'verification.erased',
  'verification.redelivered',
  'verification.outcome_set',
  'verification.evidence_erased',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/**
 * An event to be recorded. `target`: id of the API key, OpenID Connect client or verification of the event.
 * `target_name`: name of the API key. `members`: names of the changed members.
 */
export type AuditEvent = {
  readonly action: AuditAction
  readonly target?: string
  readonly target_name?: string | null
  readonly members?: readonly string[]
}

/** An entry. `number`: position in the log, from 1 and without gaps. `at`: Unix milliseconds. */
export type AuditEntry = Origin &
  Required<Pick<AuditEvent, 'action' | 'members'>> & {
    readonly number: number
    readonly at: number
    readonly target: string | null
    readonly target_name: string | null
  }

/** `actor`: id, name or email of the actor. Times are Unix milliseconds. */
export type AuditFilter = {
  readonly actions?: readonly string[]
  readonly actor?: string
  readonly created_after?: number
  readonly created_before?: number
}

/**
 * Entries that were erased before they expired, because the log was full. `entries`: their number. `until`:
 * the time of the newest of them, in Unix milliseconds.
 */
export type MissingEntries = { readonly entries: number; readonly until: number }

const DAY_MS = 86_400_000
/** Time for which an entry is stored. */
export const AUDIT_KEPT_MS = 400 * DAY_MS
/** Limit of entries. One more entry erases the oldest. */
const MAXIMUM_ENTRIES = 50_000
/** Limit of failed sign-ins that are recorded in 24 hours. Anyone can cause failed sign-ins. */
const MAXIMUM_FAILED_SIGN_INS = 50
/** Storage key of the `MissingEntries`. */
const MISSING = 'audit_missing'

export type AuditLog = ReturnType<typeof openAuditLog>

/** Returns the operations on the log. Times are Unix milliseconds. */
export function openAuditLog(
  { sql, kv }: Pick<DurableObjectStorage, 'sql' | 'kv'>,
  maximum: number = MAXIMUM_ENTRIES,
) {
  const isUsed = () => sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'audit'").toArray().length > 0
  const eraseOldest = (number: number): void => {
    const statement = 'DELETE FROM audit WHERE number <= ? RETURNING at'
    const times = sql.exec<{ at: number }>(statement, number - maximum).toArray()
    if (times.length === 0) return
    const entries = (kv.get<MissingEntries>(MISSING)?.entries ?? 0) + times.length
    kv.put<MissingEntries>(MISSING, { entries, until: Math.max(...times.map(({ at }) => at)) })
  }
  return {
    /**
     * Appends an entry, but no failed sign-in beyond `MAXIMUM_FAILED_SIGN_INS`. Erases expired entries, and
     * entries beyond the limit. Must be called in the same transaction as the change.
     */
    append: (event: AuditEvent, origin: Origin | undefined, now: number): void => {
      const { actor, channel, address } = origin ?? UNKNOWN_ORIGIN
      createTable(sql)
      prune(sql, now)
      if (event.action === 'console.sign_in_failed' && hasManyFailures(sql, now)) return
      const [last] = sql.exec<{ at: number }>('SELECT at FROM audit ORDER BY number DESC LIMIT 1').toArray()
      const { action, target = null, target_name = null, members = [] } = event
      const names = [actor?.kind ?? null, idOf(actor), actor?.name ?? null, emailOf(actor)]
      const place = [target, target_name, JSON.stringify(members), channel, address]
      // A clock that is set back must not change the order of the entries by time.
      const values = [Math.max(now, last?.at ?? 0), action, ...names, ...place]
      const marks = values.map(() => '?').join()
      const statement = `INSERT INTO audit (${COLUMNS}) VALUES (${marks}) RETURNING number`
      eraseOldest(sql.exec<{ number: number }>(statement, ...values).one().number)
    },
    /** Returns at most `limit` entries before a number, newest first. `more`: older entries follow. */
    read: (query: AuditQuery, now: number): AuditPage => {
      const missing = kv.get<MissingEntries>(MISSING)
      const shown = missing !== undefined && missing.until > now - AUDIT_KEPT_MS ? missing : null
      if (!isUsed()) return { entries: [], more: false, missing: shown }
      const { text, values } = conditions(query, now)
      const statement = `SELECT number, ${COLUMNS} FROM audit WHERE ${text} ORDER BY number DESC LIMIT ?`
      const rows = sql.exec<Row>(statement, ...values, query.limit + 1).toArray()
      const entries = rows.slice(0, query.limit).map(toEntry)
      return { entries, more: rows.length > query.limit, missing: shown }
    },
    /** Erases expired entries. Returns the time at which the next entry expires; null if none is left. */
    prune: (now: number): number | null => (isUsed() ? prune(sql, now) : null),
  }
}

/** `before`: only entries with a smaller number are read; null: all. */
export type AuditQuery = {
  readonly before: number | null
  readonly limit: number
  readonly filter: AuditFilter
}
export type AuditPage = {
  readonly entries: readonly AuditEntry[]
  readonly more: boolean
  readonly missing: MissingEntries | null
}

const COLUMNS =
  'at, action, actor_kind, actor_id, actor_name, actor_email, target, target_name, members, channel, address'

type Row = {
  readonly number: number
  readonly at: number
  readonly action: AuditAction
  readonly actor_kind: Actor['kind'] | null
  readonly actor_id: string | null
  readonly actor_name: string | null
  readonly actor_email: string | null
  readonly target: string | null
  readonly target_name: string | null
  readonly members: string
  readonly channel: Origin['channel']
  readonly address: string | null
}

function createTable(sql: SqlStorage): void {
  // AUTOINCREMENT: the number of an erased entry is not used again.
  sql.exec(`CREATE TABLE IF NOT EXISTS audit (number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
      action TEXT NOT NULL, actor_kind TEXT, actor_id TEXT, actor_name TEXT, actor_email TEXT,
      target TEXT, target_name TEXT, members TEXT NOT NULL, channel TEXT, address TEXT);
    CREATE INDEX IF NOT EXISTS audit_action ON audit (action, number);`)
}

function prune(sql: SqlStorage, now: number): number | null {
  // The order of the numbers is the order of the times, so the search ends at the first entry that has not
  // expired.
  const staying = 'SELECT number, at FROM audit WHERE at > ? ORDER BY number LIMIT 1'
  const [oldest] = sql.exec<{ number: number; at: number }>(staying, now - AUDIT_KEPT_MS).toArray()
  sql.exec('DELETE FROM audit WHERE number < ?', oldest?.number ?? Number.MAX_SAFE_INTEGER)
  return oldest === undefined ? null : oldest.at + AUDIT_KEPT_MS
}

function hasManyFailures(sql: SqlStorage, now: number): boolean {
  const statement = `SELECT at FROM audit WHERE action = 'console.sign_in_failed'
    ORDER BY number DESC LIMIT 1 OFFSET ?`
  const [last] = sql.exec<{ at: number }>(statement, MAXIMUM_FAILED_SIGN_INS - 1).toArray()
  return last !== undefined && last.at > now - DAY_MS
}

function conditions({ before, filter }: AuditQuery, now: number) {
  const { actions = [], actor, created_after, created_before } = filter
  const parts: readonly (readonly [string, ...(string | number)[]])[] = [
    ['at > ?', now - AUDIT_KEPT_MS],
    ...(before === null ? [] : [['number < ?', before] as const]),
    ...(actions.length === 0 ? [] : [[`action IN (${actions.map(() => '?').join()})`, ...actions] as const]),
    ...(actor === undefined ? [] : [['? IN (actor_id, actor_name, actor_email)', actor] as const]),
    ...(created_after === undefined ? [] : [['at >= ?', created_after] as const]),
    ...(created_before === undefined ? [] : [['at < ?', created_before] as const]),
  ]
  return {
    text: parts.map(([text]) => text).join(' AND '),
    values: parts.flatMap(([, ...values]) => values),
  }
}

function toEntry({ actor_kind, actor_id, actor_name: name, actor_email: email, ...row }: Row): AuditEntry {
  const id = actor_id ?? ''
  const actors = {
    api_key: { kind: 'api_key', key_id: id, name },
    person: { kind: 'person', subject: id, name, email },
    operator: { kind: 'operator', name },
  } as const
  const actor = actor_kind === null ? null : actors[actor_kind]
  return { ...row, members: JSON.parse(row.members) as readonly string[], actor }
}

function idOf(actor: Actor | null): string | null {
  if (actor?.kind === 'api_key') return actor.key_id
  return actor?.kind === 'person' ? actor.subject : null
}

function emailOf(actor: Actor | null): string | null {
  return actor?.kind === 'person' ? actor.email : null
}
