// Prepares the objects of a state directory while no workerd runs: repairs the index of alarms, spreads
// overdue alarms, and removes the files of erased objects. It needs node:sqlite, so that the launcher runs it
// on the packaged Node: `node objects.mjs '<options as JSON>'` prints the counts as JSON.
//
// workerd has one folder for each class. In it, `<id>.sqlite` is an object, and the table `_cf_ALARM` of
// `metadata.sqlite` has the time of each object's alarm in nanoseconds.

import { existsSync, opendirSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

/** Classes with alarms. An alarm that comes early only sets the next alarm. */
export const CLASSES_WITH_ALARMS = [
  'VerificationSession',
  'SharedSessions',
  'EventLog',
  'TrustList',
  'RelyingParty',
  'VerificationIndex',
  'EvidenceMaterials',
  'EvidenceSessions',
]
/** Class of sessions with objects of their own. Its stored objects always have an alarm. */
const OWN = 'VerificationSession'
/** Class of objects that sessions share (src/session/store/slot-table.ts). */
const SHARED = 'SharedSessions'

/** `mark` of a row of a shared object that no session uses. */
const FREE = '0'.repeat(32)

/**
 * Time in which a start removes files of erased objects from one folder if sessions share objects. Hardly any
 * such files are added then, and later starts remove the rest. A removal takes 0.05 to 3 ms.
 */
const REMOVAL_MS = 250

/** A SQLite file of one page has no table, because the content of a table needs a page of its own. */
const EMPTY_FILE_BYTES = 4096
/** workerd's own definition. */
const ALARM_TABLE = `CREATE TABLE IF NOT EXISTS _cf_ALARM (
      actor_id TEXT PRIMARY KEY,
      scheduled_time INTEGER,
      actor_name TEXT
    ) WITHOUT ROWID`
const NS_PER_MS = 1_000_000n
/**
 * Alarms that are due within this time are spread with the overdue ones: most sessions that are pending now
 * expire in it. If later alarms were spread, too, erasures would be moved by hours.
 */
const SOON_MS = 600_000

/**
 * Prepares every folder. `uniqueKeys`: the name of each class's folder, by class name. `perSecond`: the rate
 * at which overdue alarms may run. `sharesObjects`: false if each new session gets its own object.
 * `removalMs`: time (in ms) for the removals from one folder, if sessions share objects. Returns
 * `damaged` (the classes whose index was rebuilt), `repaired` (alarms set again), `spread` (alarms moved to
 * later), `spreadOverMs`, `removed` (files of erased objects), `hasOtherForm` (true if there may be sessions
 * of the form that new sessions do not have), and without `sharesObjects` also `sharing` (rows of sessions
 * that still share objects, if there are such objects).
 */
export function prepareObjects({
  objectsPath,
  uniqueKeys,
  perSecond,
  sharesObjects = true,
  removalMs = REMOVAL_MS,
  now = Date.now(),
  timeout = 5_000,
}) {
  const counts = {
    ...{ damaged: [], repaired: 0, spread: 0, spreadOverMs: 0, removed: 0 },
    ...{ hasOtherForm: false, sharing: undefined },
  }
  const folders = Object.entries(uniqueKeys)
    .map(([className, key]) => ({ className, path: join(objectsPath, key) }))
    .filter(({ path }) => existsSync(path))
  const indexes = []
  for (const { className, path } of folders) {
    const { database, wasRebuilt } = openIndex(path, timeout)
    if (database === undefined) continue
    indexes.push(database)
    const armed = new Set(
      database
        .prepare('SELECT actor_id FROM _cf_ALARM')
        .all()
        .map(({ actor_id }) => actor_id),
    )
    // After a crash the log of a file may have sessions that were erased before, until the object is used.
    if (className === SHARED) for (const id of idsIn(path)) emptyLog(path, id)
    if (className === SHARED && !sharesObjects)
      counts.sharing = [...idsIn(path)].reduce((sum, id) => sum + countSessions(path, id), 0)
    // After damage of the index, each object needs a new alarm. So then all erased objects are removed first.
    const end = sharesObjects && !wasRebuilt ? performance.now() + removalMs : Infinity
    const lost = []
    for (const id of idsIn(path)) {
      if (armed.has(id)) continue
      if (removeIfEmpty(path, id)) {
        counts.removed += 1
        if (performance.now() >= end) break
      } else lost.push(id)
    }
    if (className === (sharesObjects ? OWN : SHARED)) counts.hasOtherForm = armed.size + lost.length > 0
    if (wasRebuilt && CLASSES_WITH_ALARMS.includes(className)) counts.damaged.push(className)
    counts.repaired += repair(database, { path, className, wasRebuilt, now, lost })
  }
  spread(indexes, { now, perSecond, counts })
  for (const database of indexes) {
    database.exec('COMMIT')
    database.close()
  }
  return counts
}

/**
 * Opens the index of a folder and begins a transaction. A missing or damaged index is created again. The
 * damaged file stays beside the new file under another name. `database` is undefined for a folder without
 * objects and without an index.
 */
function openIndex(path, timeout) {
  const file = join(path, 'metadata.sqlite')
  const isPresent = existsSync(file)
  if (isPresent) {
    const database = readableIndex(file, timeout)
    if (database !== undefined) return { database, wasRebuilt: false }
    renameSync(file, `${file}.damaged-${Date.now()}`)
  }
  const [firstId] = idsIn(path)
  if (!isPresent && firstId === undefined) return { database: undefined, wasRebuilt: false }
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  const database = openDatabase(file)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('BEGIN IMMEDIATE')
  database.exec(ALARM_TABLE)
  return { database, wasRebuilt: firstId !== undefined }
}

/**
 * Returns the open index with a transaction if all of it can be read, otherwise undefined. Throws if another
 * process uses it.
 */
function readableIndex(file, timeout) {
  let database
  try {
    database = openDatabase(file, timeout)
    const [{ quick_check }] = database.prepare('PRAGMA quick_check(1)').all()
    if (quick_check !== 'ok') throw new Error(quick_check)
    database.prepare('SELECT actor_id, scheduled_time, actor_name FROM _cf_ALARM LIMIT 1').all()
    database.exec('BEGIN IMMEDIATE')
    return database
  } catch (error) {
    closeQuietly(database)
    if (isUnavailable(error)) throw new Error(`${file}: ${error.message}`)
    return undefined
  }
}

/** Returns `true` for a lock, a full disk or missing rights: the file itself may be intact. */
function isUnavailable({ errcode, code }) {
  // https://www.sqlite.org/rescode.html: PERM, BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN
  return code !== 'ERR_SQLITE_ERROR' ? false : [3, 5, 6, 7, 8, 10, 13, 14].includes(errcode & 0xff)
}

/** Sets lost alarms to now. Returns how many. */
function repair(database, { path, className, wasRebuilt, now, lost }) {
  if (!CLASSES_WITH_ALARMS.includes(className)) return 0
  // If the index is intact, a lost alarm shows only in a class whose rows tell that an object has work.
  const hasWork = { [OWN]: hasContent, [SHARED]: hasSessions }[className] ?? (() => false)
  const due = wasRebuilt ? lost : lost.filter((id) => hasWork(path, id))
  const insert = database.prepare('INSERT INTO _cf_ALARM (actor_id, scheduled_time) VALUES (?, ?)')
  for (const id of due) insert.run(id, BigInt(now) * NS_PER_MS)
  return due.length
}

/**
 * Moves the alarms of all folders that are due now or soon to later times, in their order, so that at most
 * `perSecond` run in a second. Other alarms keep their time.
 */
function spread(indexes, { now, perSecond, counts }) {
  const gap = 1000 / perSecond
  const overdue = alarmsUntil(indexes, now).length
  const updates = new Map(
    indexes.map((database) => [
      database,
      database.prepare('UPDATE _cf_ALARM SET scheduled_time = ? WHERE actor_id = ?'),
    ]),
  )
  let next = now
  for (const { database, actor_id, scheduled_time } of alarmsUntil(indexes, now + overdue * gap + SOON_MS)) {
    const own = Number(scheduled_time / NS_PER_MS)
    if (own < next || own <= now) {
      updates.get(database).run(BigInt(Math.floor(next)) * NS_PER_MS, actor_id)
      counts.spread += 1
      counts.spreadOverMs = Math.floor(next + gap - now)
    }
    next = Math.max(own, next) + gap
  }
}

/** Returns the alarms up to a time (Unix milliseconds), the earliest first. */
function alarmsUntil(indexes, until) {
  const query = 'SELECT actor_id, scheduled_time FROM _cf_ALARM WHERE scheduled_time <= ?'
  return indexes
    .flatMap((database) =>
      database
        .prepare(query)
        .all(BigInt(Math.floor(until)) * NS_PER_MS)
        .map(({ actor_id, scheduled_time }) => ({ database, actor_id, scheduled_time })),
    )
    .sort((a, b) => (a.scheduled_time < b.scheduled_time ? -1 : a.scheduled_time > b.scheduled_time ? 1 : 0))
}

/** Removes the files of an object without content and without an alarm. Returns `true` if it did. */
function removeIfEmpty(path, id) {
  const file = join(path, `${id}.sqlite`)
  const hasLog = (sizeOf(`${file}-wal`) ?? 0) > 0
  if (hasLog ? hasContent(path, id) : (sizeOf(file) ?? 0) > EMPTY_FILE_BYTES) return false
  unlinkSync(file)
  // `hasContent` removes these files, too.
  for (const suffix of ['-wal', '-shm']) if (existsSync(file + suffix)) unlinkSync(file + suffix)
  return true
}

/** Returns `false` if an object's database has no row. A database that cannot be read counts as content. */
function hasContent(path, id) {
  let database
  try {
    database = openDatabase(join(path, `${id}.sqlite`))
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.some(({ name }) => database.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).all().length > 0)
  } catch {
    return true
  } finally {
    closeQuietly(database) // writes the WAL back and removes it
  }
}

/** Returns the ids of the objects in a folder one after another, because there can be a million files. */
function* idsIn(path) {
  const folder = opendirSync(path, { bufferSize: 1_000 })
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
      if (/^[0-9a-f]{64}\.sqlite$/.test(entry.name)) yield entry.name.slice(0, 64)
  } finally {
    folder.closeSync()
  }
}

/** Returns `true` if a shared object has a session with further work. */
function hasSessions(path, id) {
  let database
  try {
    database = openDatabase(join(path, `${id}.sqlite`))
    return database.prepare('SELECT 1 FROM slots WHERE wake_at < ? LIMIT 1').all(2 ** 46).length > 0
  } catch {
    return true
  } finally {
    closeQuietly(database)
  }
}

/** Returns the number of rows of a shared object that are in use; 0 if it cannot be read. */
function countSessions(path, id) {
  let database
  try {
    database = openDatabase(join(path, `${id}.sqlite`))
    return Number(database.prepare('SELECT count(*) AS rows FROM slots WHERE mark <> ?').get(FREE).rows)
  } catch {
    return 0
  } finally {
    closeQuietly(database)
  }
}

/** Writes the write-ahead log of an object into its database, and removes the log. */
function emptyLog(path, id) {
  const file = join(path, `${id}.sqlite`)
  if ((sizeOf(`${file}-wal`) ?? 0) === 0) return
  let database
  try {
    database = openDatabase(file)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // A damaged file: the service reports it (docs/runbooks/damaged-storage.md).
  } finally {
    closeQuietly(database)
  }
}

function openDatabase(file, timeout = 5_000) {
  return new DatabaseSync(file, { readBigInts: true, timeout })
}

function closeQuietly(database) {
  try {
    database?.close()
  } catch {
    // The damage that made the database unreadable can also make its closing fail.
  }
}

function sizeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(prepareObjects(JSON.parse(process.argv[2]))))
}
