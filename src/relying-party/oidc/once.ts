// Names that are stored once: `jti` of client assertions, and pushed authorization requests. They survive a
// restart, and are removed after their expiry.

import { err, ok, type Result } from '../../result.ts'

/**
 * Limit of names of one kind and relying party. The kind is the name up to its first `/`: `jti`, `par` for a
 * pushed request, and `kept` for a pushed request that a browser has visited. A `jti` expires after five
 * minutes at most, a pushed request after one minute, and a kept one shortly after its login. Each kind has a
 * limit of its own, so that visits of pushed requests cannot block a client.
 */
const MAXIMUM_NAMES = 20_000
/** Callers that did not authenticate may use half of the limit of their kind. */
const MAXIMUM_OF_ANYBODY = MAXIMUM_NAMES / 2
/** Time between an expiry and its alarm, and between an alarm that failed and the next alarm. */
const AFTER_EXPIRY_MS = 1_000
const REPEATED_MS = 60_000

const KIND = "substr(name, 1, instr(name, '/') - 1) AS kind"
const kindOf = (name: string) => name.slice(0, name.indexOf('/'))
/** Returns the name of a pushed request that a browser has visited. */
const keptName = (name: string) => `kept/${name}`

/**
 * Returns the operations on the names. Times are Unix milliseconds. The number of names is counted once, and
 * then kept in memory: only these operations change the table.
 */
export function openOnce({ sql }: Pick<DurableObjectStorage, 'sql'>) {
  /** Number of stored names of each kind; `undefined` before they are counted. */
  let names: Map<string, number> | undefined
  const isUsed = () => sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'oidc_once'").toArray().length > 0
  /** Removes expired names. Returns the numbers of the others. */
  const prune = (now: number): Map<string, number> => {
    names ??= countNames(sql)
    const expired = sql.exec<Kind>(`DELETE FROM oidc_once WHERE expires_at <= ? RETURNING ${KIND}`, now)
    for (const { kind } of expired.toArray()) add(names, kind, -1)
    return names
  }
  return {
    /** Stores a name. Nothing is stored after an error. */
    store: (name: string, value: string, { isAuthenticated, now, expiresAt }: Use & Now): Stored => {
      // The call was slow, and the name may have been used and removed.
      if (expiresAt <= now) return err('expired')
      const stored = prune(now)
      const limit = isAuthenticated ? MAXIMUM_NAMES : MAXIMUM_OF_ANYBODY
      if (sql.exec('SELECT 1 FROM oidc_once WHERE name = ?', name).toArray().length > 0) return err('known')
      if ((stored.get(kindOf(name)) ?? 0) >= limit) return err('full')
      sql.exec('INSERT INTO oidc_once VALUES (?, ?, ?)', name, value, expiresAt)
      add(stored, kindOf(name), 1)
      return ok(null)
    },
    /**
     * Returns the stored value after the client's id; null if the value begins with another id. Writes
     * nothing.
     */
    readOf: (clientId: string, name: string, now: number): PushedValue | null => {
      const found = 'SELECT value, expires_at FROM oidc_once WHERE name IN (?, ?) AND expires_at > ?'
      const [row] = isUsed() ? sql.exec<Row>(found, name, keptName(name), now).toArray() : []
      if (!row?.value.startsWith(`${clientId} `)) return null
      return { value: row.value.slice(clientId.length + 1), expiresAt: row.expires_at }
    },
    /** Changes the expiry of a pushed request that a browser visits. `over`: it is unknown or has expired. */
    keep: (name: string, expiresAt: number, now: number): Kept => {
      if (!isUsed()) return err('over')
      const stored = prune(now)
      const found = sql.exec<Name>('SELECT name FROM oidc_once WHERE name IN (?, ?)', name, keptName(name))
      const [row] = found.toArray()
      if (row === undefined) return err('over')
      const isKept = row.name !== name
      if (!isKept && (stored.get('kept') ?? 0) >= MAXIMUM_NAMES) return err('full')
      const kept = 'UPDATE oidc_once SET name = ?, expires_at = ? WHERE name = ?'
      sql.exec(kept, keptName(name), expiresAt, row.name)
      if (isKept) return ok(null)
      add(stored, kindOf(name), -1)
      add(stored, 'kept', 1)
      return ok(null)
    },
    /** Removes expired names. Returns the next expiry; null if no name is left. */
    prune: (now: number): number | null => {
      if (!isUsed()) return null
      prune(now)
      return sql.exec<{ next: number | null }>('SELECT min(expires_at) AS next FROM oidc_once').one().next
    },
    /** Counts the names again before the next operation. Call it when the storage is erased. */
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

/** Removes expired names when the alarm runs. Sets the alarm of the next expiry, unless an alarm is set. */
export async function pruneByAlarm(
  storage: DurableObjectStorage,
  once: ReturnType<typeof openOnce>,
): Promise<void> {
  try {
    const next = once.prune(Date.now())
    const isSet = (await storage.getAlarm()) !== null
    if (next !== null && !isSet) await storage.setAlarm(next + AFTER_EXPIRY_MS)
  } catch (error) {
    await storage.setAlarm(Date.now() + REPEATED_MS) // the platform drops an alarm that throws too often
    throw error
  }
}

/** A use of a name. `isAuthenticated`: the caller is a client that authenticated. */
export type Use = { readonly isAuthenticated: boolean; readonly expiresAt: number }
type Now = { readonly now: number }

type Name = { readonly name: string }
type Kind = { readonly kind: string }
type Count = Kind & { readonly names: number }
type Row = { readonly value: string; readonly expires_at: number }

/** Result of a storage. `full`: the limit is reached. `deleted`: the relying party is deleted. */
export type Stored = Result<null, 'known' | 'expired' | 'full' | 'deleted'>
export type Kept = Result<null, 'over' | 'full'>

/** A stored pushed request. `expiresAt`: Unix milliseconds. */
export type PushedValue = { readonly value: string; readonly expiresAt: number }
