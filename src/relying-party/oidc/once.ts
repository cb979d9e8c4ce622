// Names that may be used once: `jti` of client assertions, and pushed authorization requests. They survive a
// restart, and are removed after their expiry.

/**
 * Limit of names of one relying party. A name expires after five minutes at most. Callers that did not
 * authenticate may use half of the limit, so that they cannot block a client that authenticates.
 */
const MAXIMUM_NAMES = 20_000

/** Returns the operations on the names. Times are Unix milliseconds. */
export function openOnce({ sql }: Pick<DurableObjectStorage, 'sql'>) {
  const isUsed = () => sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'oidc_once'").toArray().length > 0
  /** Creates the table if it is missing, as after an erasure of the object. Removes expired names. */
  const prune = (now: number) => {
    sql.exec(`CREATE TABLE IF NOT EXISTS oidc_once (name TEXT PRIMARY KEY, value TEXT, expires_at INTEGER);
      CREATE INDEX IF NOT EXISTS oidc_once_expiry ON oidc_once (expires_at);`)
    sql.exec('DELETE FROM oidc_once WHERE expires_at <= ?', now)
    return sql.exec<Rest>('SELECT min(expires_at) AS next, count(*) AS names FROM oidc_once').one()
  }
  return {
    /** Stores a name. Returns false if the name is known or the limit is reached. */
    store: (name: string, value: string, { isAuthenticated, now, expiresAt }: Use & Now): boolean => {
      if (prune(now).names >= (isAuthenticated ? MAXIMUM_NAMES : MAXIMUM_NAMES / 2)) return false
      return (
        sql.exec('INSERT OR IGNORE INTO oidc_once VALUES (?, ?, ?)', name, value, expiresAt).rowsWritten > 0
      )
    },
    /**
     * Removes a name and returns its value, if `accepts` returns true for the value. Otherwise returns
     * `undefined`.
     */
    take: (name: string, accepts: (value: string) => boolean, now: number): string | undefined => {
      prune(now)
      const [row] = sql.exec<{ value: string }>('SELECT value FROM oidc_once WHERE name = ?', name).toArray()
      if (row === undefined || !accepts(row.value)) return undefined
      sql.exec('DELETE FROM oidc_once WHERE name = ?', name)
      return row.value
    },
    /** Removes expired names. Returns the next expiry; null if no name is left. */
    prune: (now: number): number | null => (isUsed() ? prune(now).next : null),
  }
}

/** A use of a name. `isAuthenticated`: the caller is a client that authenticated. */
export type Use = { readonly isAuthenticated: boolean; readonly expiresAt: number }
type Now = { readonly now: number }

type Rest = { readonly next: number | null; readonly names: number }
