// Names that are stored once: `jti` of client assertions, and pushed authorization requests. They survive a
// restart, and are removed after their expiry.

/**
 * Limit of names of one relying party. A name expires after five minutes at most, and a pushed request
 * shortly after its login. Callers that did not authenticate may use half of the limit, so that they cannot
 * block a client that authenticates.
 */
const MAXIMUM_NAMES = 20_000
/** Time between an expiry and its alarm, and between an alarm that failed and the next alarm. */
const AFTER_EXPIRY_MS = 1_000
const REPEATED_MS = 60_000

/**
 * Returns the operations on the names. Times are Unix milliseconds. The number of names is counted once, and
 * then kept in memory: only these operations change the table.
 */
export function openOnce({ sql }: Pick<DurableObjectStorage, 'sql'>) {
  /** Number of stored names; `undefined` before they are counted. */
  let names: number | undefined
  const isUsed = () => sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'oidc_once'").toArray().length > 0
  const count = (): number => {
    sql.exec(`CREATE TABLE IF NOT EXISTS oidc_once (name TEXT PRIMARY KEY, value TEXT, expires_at INTEGER);
      CREATE INDEX IF NOT EXISTS oidc_once_expiry ON oidc_once (expires_at);`)
    return sql.exec<{ names: number }>('SELECT count(*) AS names FROM oidc_once').one().names
  }
  /** Removes expired names. Returns the number of names that are left. */
  const prune = (now: number): number => {
    const before = names ?? count()
    const expired = sql.exec('DELETE FROM oidc_once WHERE expires_at <= ? RETURNING 1', now).toArray().length
    names = before - expired
    return names
  }
  return {
    /** Stores a name. Returns false if the name is known or has expired, or if the limit is reached. */
    store: (name: string, value: string, { isAuthenticated, now, expiresAt }: Use & Now): boolean => {
      if (expiresAt <= now) return false // the call was slow, and the name may have been used and removed
      const stored = prune(now)
      if (stored >= (isAuthenticated ? MAXIMUM_NAMES : MAXIMUM_NAMES / 2)) return false
      const insert = 'INSERT OR IGNORE INTO oidc_once VALUES (?, ?, ?)'
      const isNew = sql.exec(insert, name, value, expiresAt).rowsWritten > 0
      if (isNew) names = stored + 1
      return isNew
    },
    /**
     * Returns the stored value after the client's id; null if the value begins with another id. Writes
     * nothing.
     */
    readOf: (clientId: string, name: string, now: number): Stored | null => {
      const found = 'SELECT value, expires_at FROM oidc_once WHERE name = ? AND expires_at > ?'
      const [row] = isUsed() ? sql.exec<Row>(found, name, now).toArray() : []
      if (!row?.value.startsWith(`${clientId} `)) return null
      return { value: row.value.slice(clientId.length + 1), expiresAt: row.expires_at }
    },
    /** Changes the expiry of a name. Returns false if the name is unknown or has expired. */
    keep: (name: string, expiresAt: number, now: number): boolean => {
      const kept = 'UPDATE oidc_once SET expires_at = ? WHERE name = ? AND expires_at > ?'
      return isUsed() && sql.exec(kept, expiresAt, name, now).rowsWritten > 0
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

type Row = { readonly value: string; readonly expires_at: number }

/** A stored name. `expiresAt`: Unix milliseconds. */
export type Stored = { readonly value: string; readonly expiresAt: number }
