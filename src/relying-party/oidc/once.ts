// Stored names, each of which is accepted only once: the `jti` of a client assertion, or the name of a pushed
// authorization request. The names survive a restart, and are removed after their expiry.

import { err, ok, type Result } from '../../result.ts'

/**
 * Limit of names of one kind and relying party. The kind is the part of the name before its first `/`. `jti`:
 * a client assertion, which expires after at most five minutes. `par`: a pushed request, which expires after
 * one minute. `kept`: a pushed request that a browser has visited, which expires shortly after its login.
 * Each kind has its own limit, so visits of pushed requests cannot block a client.
 */
const MAXIMUM_NAMES = 20_000
/** If this many names of a kind are stored, callers that did not authenticate cannot store more. */
const MAXIMUM_OF_ANYBODY = MAXIMUM_NAMES / 2

const KIND = "substr(name, 1, instr(name, '/') - 1) AS kind"
const readKind = (name: string) => name.slice(0, name.indexOf('/'))
/** Returns the name under which a pushed request is stored after a browser has visited it. */
const keptName = (name: string) => `kept/${name}`

/**
 * Returns functions that read and change the stored names. Times are Unix milliseconds. The names are counted
 * once. After that, the number is updated in memory, because only these functions change the table.
 */
export function openOnce({ sql }: Pick<DurableObjectStorage, 'sql'>) {
  /** Number of stored names of each kind; `undefined` before they are counted. */
  let names: Map<string, number> | undefined
  const isUsed = () => sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'oidc_once'").toArray().length > 0
  /** Removes expired names. Returns the number of remaining names of each kind. */
  const prune = (now: number): Map<string, number> => {
    names ??= countNames(sql)
    const expired = sql.exec<Kind>(`DELETE FROM oidc_once WHERE expires_at <= ? RETURNING ${KIND}`, now)
    for (const { kind } of expired.toArray()) add(names, kind, -1)
    return names
  }
  return {
    /** Stores a name. Nothing is stored after an error. */
    store: (name: string, value: string, { isAuthenticated, now, expiresAt }: Use & Now): Stored => {
      // A name that expired during a slow call is rejected: it may have been stored by another call, and
      // removed already.
      if (expiresAt <= now) return err('expired')
      const stored = prune(now)
      const limit = isAuthenticated ? MAXIMUM_NAMES : MAXIMUM_OF_ANYBODY
      if (sql.exec('SELECT 1 FROM oidc_once WHERE name = ?', name).toArray().length > 0) return err('known')
      if ((stored.get(readKind(name)) ?? 0) >= limit) return err('full')
      sql.exec('INSERT INTO oidc_once VALUES (?, ?, ?)', name, value, expiresAt)
      add(stored, readKind(name), 1)
      return ok(null)
    },
    /**
     * Returns the value of a name, and its expiry. A stored value begins with a client's id and a space,
     * which are left out. Returns null if the name is unknown or expired, or belongs to another client.
     */
    readOf: (clientId: string, name: string, now: number): PushedValue | null => {
      const query = 'SELECT value, expires_at FROM oidc_once WHERE name IN (?, ?) AND expires_at > ?'
      const [row] = isUsed() ? sql.exec<Row>(query, name, keptName(name), now).toArray() : []
      if (!row?.value.startsWith(`${clientId} `)) return null
      return { value: row.value.slice(clientId.length + 1), expiresAt: row.expires_at }
    },
    /** Keeps a pushed request, which a browser has visited, until `expiresAt`. `over`: expired or unknown. */
    keep: (name: string, expiresAt: number, now: number): Kept => {
      if (!isUsed()) return err('over')
      const stored = prune(now)
      const rows = sql.exec<Name>('SELECT name FROM oidc_once WHERE name IN (?, ?)', name, keptName(name))
      const [row] = rows.toArray()
      if (row === undefined) return err('over')
      const isKept = row.name !== name
      if (!isKept && (stored.get('kept') ?? 0) >= MAXIMUM_NAMES) return err('full')
      const kept = 'UPDATE oidc_once SET name = ?, expires_at = ? WHERE name = ?'
      sql.exec(kept, keptName(name), expiresAt, row.name)
      if (isKept) return ok(null)
      add(stored, readKind(name), -1)
      add(stored, 'kept', 1)
      return ok(null)
    },
    /** Removes expired names. Returns the next expiry; null if no name is left. */
    prune: (now: number): number | null => {
      if (!isUsed()) return null
      prune(now)
      return sql.exec<{ next: number | null }>('SELECT min(expires_at) AS next FROM oidc_once').one().next
    },
    /** Discards the counts. Call it when the storage is erased. The next operation counts again. */
    reset: (): void => {
      names = undefined
    },
  }
}

/** Counts the names of each kind. Creates the table if there is none. */
function countNames(sql: SqlStorage): Map<string, number> {
  sql.exec(`CREATE TABLE IF NOT EXISTS oidc_once (name TEXT PRIMARY KEY, value TEXT, expires_at INTEGER);
    CREATE INDEX IF NOT EXISTS oidc_once_expiry ON oidc_once (expires_at);`)
  const rows = sql.exec<Count>(`SELECT ${KIND}, count(*) AS names FROM oidc_once GROUP BY kind`).toArray()
  return new Map(rows.map((row) => [row.kind, row.names]))
}

function add(names: Map<string, number>, kind: string, change: number): void {
  names.set(kind, (names.get(kind) ?? 0) + change)
}

/** A use of a name. `isAuthenticated`: the caller is a client that authenticated. */
export type Use = { readonly isAuthenticated: boolean; readonly expiresAt: number }
type Now = { readonly now: number }

type Name = { readonly name: string }
type Kind = { readonly kind: string }
type Count = Kind & { readonly names: number }
type Row = { readonly value: string; readonly expires_at: number }

/** Result of storing a name. `full`: the limit is reached. `deleted`: the relying party is deleted. */
export type Stored = Result<null, 'known' | 'expired' | 'full' | 'deleted'>
export type Kept = Result<null, 'over' | 'full'>

/** A stored pushed request. `expiresAt`: Unix milliseconds. */
export type PushedValue = { readonly value: string; readonly expiresAt: number }
