// Overwrites the write-ahead log of an object. Erased data stay in the log until SQLite begins the log again.
// SQLite removes the log of an object that is evicted from memory. An object that is always in use keeps its
// log.

/**
 * SQLite writes its log into the database once the log has 1,000 pages, and then begins the log again. So
 * after twice this number of pages, everything that was in the log is overwritten.
 */
const LOG_PAGES = 1_000
const PAGES_AT_ONCE = 64
const PAGE = 4_096
/** Number of writes. One more than needed, because other writes add pages, too. */
const WRITES = Math.ceil((2 * LOG_PAGES) / PAGES_AT_ONCE) + 1
/** Pause after each write, so that other work is not held up. */
const PAUSE_MS = 100

/** Overwrites the whole log by random bytes. Rejects if storage cannot be written. */
export async function overwriteLog(storage: DurableObjectStorage): Promise<void> {
  storage.sql.exec('CREATE TABLE IF NOT EXISTS filler (data BLOB NOT NULL)')
  storage.sql.exec('INSERT INTO filler (data) VALUES (zeroblob(?))', PAGES_AT_ONCE * PAGE)
  for (let i = 0; i < WRITES; i++) {
    storage.sql.exec('UPDATE filler SET data = randomblob(?)', PAGES_AT_ONCE * PAGE)
    await storage.sync()
    await scheduler.wait(PAUSE_MS)
  }
  storage.sql.exec('DELETE FROM filler')
}
