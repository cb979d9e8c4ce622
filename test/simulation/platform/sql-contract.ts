// What the service expects of SQL in an object. It is run in workerd (test/workerd/sql.test.ts) and on the
// simulated storage (test/simulation/storage.test.ts).

export type SqlParts = {
  readonly storage: Pick<DurableObjectStorage, 'kv' | 'sql' | 'transactionSync' | 'deleteAll'>
  /** Runs code as one step of the object, and waits until its writes are durable. */
  readonly step: <T>(work: () => T) => Promise<T>
}

const TABLE = `CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, value TEXT, expires_at INTEGER);
  CREATE INDEX IF NOT EXISTS names_expiry ON names (expires_at);`
const INSERT = 'INSERT INTO names VALUES (?, ?, ?)'

/** Runs statements of every kind that the service has. Returns what they return. */
export async function runSql({ storage, step }: SqlParts): Promise<readonly unknown[]> {
  const { kv, sql } = storage
  const names = () => sql.exec<{ name: string }>('SELECT name FROM names ORDER BY name').toArray()
  const fails = (work: () => unknown): boolean => {
    try {
      work()
      return false
    } catch {
      return true
    }
  }
  const results: unknown[] = []
  const run = async (work: () => unknown) => void results.push(await step(work))
  await run(() => sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'names'").toArray())
  await run(() => sql.exec(TABLE).toArray())
  await run(() => sql.exec('SELECT min(expires_at) AS next, count(*) AS names FROM names').one())
  await run(() => sql.exec('INSERT OR IGNORE INTO names VALUES (?, ?, ?)', 'a', 'one', 10).rowsWritten > 0)
  await run(() => sql.exec('INSERT OR IGNORE INTO names VALUES (?, ?, ?)', 'a', 'two', 20).rowsWritten > 0)
  await run(() => fails(() => sql.exec(INSERT, 'a', 'three', 30)))
  await run(() => sql.exec('SELECT value, expires_at FROM names WHERE name = ?', 'a').toArray())
  await run(() => sql.exec('INSERT OR REPLACE INTO names VALUES (?, ?, ?)', 'b', null, 30).rowsWritten > 0)
  await run(() => sql.exec('SELECT count(*) FILTER (WHERE expires_at > ?1) AS later FROM names', 10).one())
  await run(() => fails(() => sql.exec('SELECT * FROM names').one()))
  await run(() => fails(() => sql.exec("SELECT * FROM names WHERE name = 'c'").one()))
  await run(() => sql.exec('DELETE FROM names WHERE expires_at <= ?', 10).rowsWritten > 0)
  await run(() => sql.exec('DELETE FROM names WHERE expires_at <= ?', 10).rowsWritten > 0)
  const refused = () => {
    kv.put('refused', 1)
    sql.exec(INSERT, 'd', '', 40)
    throw new Error('the work fails')
  }
  await run(() => [fails(() => storage.transactionSync(refused)), kv.get('refused') ?? null, names()])
  await run(() => storage.transactionSync(() => sql.exec(INSERT, 'e', '', 50).rowsWritten > 0))
  await run(names)
  const bytesOf = () =>
    [...sql.exec<{ data: ArrayBuffer }>('SELECT data FROM blobs')].map(({ data }) => [
      data instanceof ArrayBuffer,
      ...new Uint8Array(data),
    ])
  await run(() => sql.exec('CREATE TABLE blobs (place INTEGER PRIMARY KEY, data BLOB NOT NULL)').toArray())
  await run(() => {
    const data = new Uint8Array([1, 2])
    const row = sql.exec('INSERT INTO blobs (data) VALUES (?) RETURNING place', data).one()
    data[0] = 9
    return row
  })
  await run(bytesOf)
  await run(() => sql.exec('UPDATE blobs SET data = zeroblob(?) WHERE place = ?', 3, 1).toArray())
  await run(bytesOf)
  await run(() => {
    sql.exec(INSERT, 'f', '', 60)
    void storage.deleteAll()
    return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'names'").toArray()
  })
  return results
}

export const RESULTS_OF_SQL = [
  [],
  [],
  { next: null, names: 0 },
  true,
  false,
  true,
  [{ value: 'one', expires_at: 10 }],
  true,
  { later: 1 },
  true,
  true,
  true,
  false,
  [true, null, [{ name: 'b' }]],
  true,
  [{ name: 'b' }, { name: 'e' }],
  [],
  { place: 1 },
  [[true, 1, 2]],
  [],
  [[true, 0, 0, 0]],
  [],
]
