// Effects of a start on the objects of a state directory. The folders are written by SQLite, as workerd has
// them; test/slow/system/objects.test.ts has workerd's own.

import {
  copyFileSync as copyFile,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { alarmsPerSecond, descriptorLimit } from '../../scripts/service/descriptors.mjs'
import { CLASSES_WITH_ALARMS, prepareObjects } from '../../scripts/service/objects.mjs'
import { objectsReport } from '../../scripts/service/usage.mjs'

const NOW = 1_795_341_649_446
const uniqueKeys = { VerificationSession: 'aa', EventLog: 'bb', Directory: 'cc', SharedSessions: 'dd' }

let objectsPath: string
beforeEach(() => {
  objectsPath = mkdtempSync(join(tmpdir(), 'objects-'))
})
afterEach(() => rmSync(objectsPath, { recursive: true }))

describe('overdue alarms', () => {
  it('get new times from now on, in their order and at the given rate; alarms due after these times are unchanged', () => {
    index('aa', { [id(1)]: NOW - 1, [id(2)]: NOW - 3_000, [id(3)]: NOW + 1_001, [id(4)]: NOW })
    index('bb', { [id(5)]: NOW - 2_000 })
    expect(prepare({ perSecond: 4 })).toMatchObject({ spread: 4, spreadOverMs: 1_000, repaired: 0 })
    expect(alarms('aa')).toEqual({
      [id(1)]: NOW + 500,
      [id(2)]: NOW,
      [id(3)]: NOW + 1_001,
      [id(4)]: NOW + 750,
    })
    expect(alarms('bb')).toEqual({ [id(5)]: NOW + 250 })
  })

  it('are spread together with alarms that are due soon, so that they do not all run at the same time', () => {
    index('aa', { [id(1)]: NOW, [id(2)]: NOW - 1, [id(3)]: NOW + 400, [id(4)]: NOW + 500 })
    index('bb', { [id(5)]: NOW + 9_000 })
    expect(prepare({ perSecond: 2 })).toMatchObject({ spread: 4, spreadOverMs: 2_000 })
    expect(alarms('aa')).toEqual({
      [id(2)]: NOW,
      [id(1)]: NOW + 500,
      [id(3)]: NOW + 1_000,
      [id(4)]: NOW + 1_500,
    })
    expect(alarms('bb')).toEqual({ [id(5)]: NOW + 9_000 })
  })

  it('are not changed while another process writes to the index', () => {
    index('aa', { [id(1)]: NOW - 1 })
    const other = new DatabaseSync(join(objectsPath, 'aa', 'metadata.sqlite'))
    other.exec('BEGIN IMMEDIATE')
    expect(() => prepare({ timeout: 10 })).toThrow('locked')
    other.close()
    expect(alarms('aa')).toEqual({ [id(1)]: NOW - 1 })
  })
})

describe('the index of alarms', () => {
  it.each([
    ['is missing', (path: string) => rmSync(path)],
    ['is not a database', (path: string) => writeFileSync(path, 'garbage'.repeat(999))],
    ['is empty', (path: string) => writeFileSync(path, '')],
    [
      'has lost a page',
      (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size - 4_096, 'x')),
    ],
  ])('is built again if it %s: every object gets an alarm, at the given rate', (_, damage) => {
    index('aa', { [id(1)]: NOW + 5_000 })
    for (const number of [1, 2]) object('aa', number).close()
    damage(join(objectsPath, 'aa', 'metadata.sqlite'))
    expect(prepare({ perSecond: 2 }).repaired).toBe(2)
    expect(Object.values(alarms('aa')).sort()).toEqual([NOW, NOW + 500])
  })

  it('is kept beside the new index if it was damaged, and the object class is reported', () => {
    object('bb', 1).close()
    writeFileSync(join(objectsPath, 'bb', 'metadata.sqlite'), 'garbage'.repeat(999))
    expect(prepare()).toMatchObject({ damaged: ['EventLog'], repaired: 1 })
    const kept = readdirSync(join(objectsPath, 'bb')).filter((name) => name.includes('damaged'))
    expect(kept).toHaveLength(1)
  })

  it('gets an alarm for each session that has none', () => {
    index('aa', { [id(1)]: NOW + 5_000 })
    for (const number of [1, 2]) object('aa', number).close()
    expect(prepare()).toMatchObject({ damaged: [], repaired: 1 })
    expect(alarms('aa')).toEqual({ [id(1)]: NOW + 5_000, [id(2)]: NOW })
  })

  it('gets no alarm for object classes without alarms', () => {
    index('bb', {})
    object('bb', 1).close()
    object('cc', 2).close()
    expect(prepare()).toMatchObject({ damaged: [], repaired: 0 })
    expect(alarms('bb')).toEqual({})
  })
})

describe('the files of an object', () => {
  it('are removed if the object has no content and no alarm', () => {
    index('aa', { [id(3)]: NOW + 1 })
    for (const number of [1, 2, 3]) object('aa', number, number === 2).close()
    expect(prepare().removed).toBe(1)
    expect(filesOf('aa')).toEqual([id(2), id(3)].map((name) => `${name}.sqlite`))
  })

  it('are removed or kept according to their write-ahead log, not only the main file', () => {
    index('aa', {})
    const erased = object('aa', 1)
    erased.exec('PRAGMA wal_checkpoint(TRUNCATE); DROP TABLE _cf_KV; VACUUM')
    const created = object('aa', 2)
    // A killed process leaves its log, which a copy imitates.
    const copy = mkdtempSync(join(tmpdir(), 'objects-'))
    for (const name of readdirSync(join(objectsPath, 'aa')))
      if (!name.startsWith('metadata')) copyFile(join(objectsPath, 'aa', name), join(copy, name))
    erased.close()
    created.close()
    for (const name of readdirSync(copy)) copyFile(join(copy, name), join(objectsPath, 'aa', name))
    rmSync(copy, { recursive: true })
    expect(prepare()).toMatchObject({ removed: 1, repaired: 1 })
    expect(filesOf('aa')).toEqual([`${id(2)}.sqlite`])
    expect(readdirSync(join(objectsPath, 'aa')).filter((name) => name.startsWith(id(1)))).toEqual([])
  })

  it('are removed in several starts if sessions share objects and one start has too little time', () => {
    index('aa', {})
    for (const number of [1, 2, 3]) object('aa', number, number === 3).close()
    expect(prepare({ removalMs: 0 })).toMatchObject({ removed: 1 })
    expect(prepare({ removalMs: 0 })).toMatchObject({ removed: 1 })
    prepare()
    expect(filesOf('aa')).toEqual([`${id(3)}.sqlite`])
    expect(alarms('aa')).toEqual({ [id(3)]: NOW })
  })

  it('are all removed by one start if each session has its own object, or if the index of alarms was missing', () => {
    for (const options of [{ sharesObjects: false }, {}]) {
      for (const number of [1, 2, 3]) object('aa', number, false).close()
      expect(prepare({ removalMs: 0, ...options })).toMatchObject({ removed: 3 })
      rmSync(join(objectsPath, 'aa', 'metadata.sqlite'))
    }
  })

  it('are kept if they cannot be read', () => {
    index('aa', {})
    writeFileSync(join(objectsPath, 'aa', `${id(1)}.sqlite`), 'garbage'.repeat(999))
    expect(prepare().removed).toBe(0)
    expect(filesOf('aa')).toEqual([`${id(1)}.sqlite`])
  })
})

describe('an object that sessions share', () => {
  it('gets an alarm if it has none and a session in it has work', () => {
    index('dd', {})
    shared(1, NOW).close()
    shared(2, 2 ** 46).close()
    expect(prepare().repaired).toBe(1)
    expect(alarms('dd')).toEqual({ [id(1)]: NOW })
  })

  it('has its sessions counted and reported if new sessions get objects of their own', () => {
    index('dd', {})
    for (const number of [1, 2]) shared(number, NOW + 5_000).close()
    shared(3, 2 ** 46, '0'.repeat(32)).close()
    expect(prepare().sharing).toBeUndefined()
    const counts = prepare({ sharesObjects: false })
    expect(counts.sharing).toBe(2)
    expect(objectsReport(counts, 1_024).join('\n')).toContain('Sessions that still share objects: 2.')
  })

  it('makes hasOtherForm true only if new sessions get objects of their own', () => {
    index('dd', {})
    shared(1, NOW + 5_000).close()
    expect(prepare().hasOtherForm).toBe(false)
    expect(prepare({ sharesObjects: false }).hasOtherForm).toBe(true)
  })

  it('has no write-ahead log after a start, because the log may contain sessions that were erased before a crash', () => {
    index('dd', { [id(1)]: NOW + 5_000, [id(2)]: NOW + 5_000 })
    const database = shared(1, NOW + 5_000)
    const file = join(objectsPath, 'dd', `${id(1)}.sqlite`)
    // A killed process leaves its log, which a copy imitates.
    for (const suffix of ['', '-wal']) copyFile(file + suffix, file.replace(id(1), id(2)) + suffix)
    database.close()
    prepare()
    expect(readdirSync(join(objectsPath, 'dd')).filter((name) => name.includes('-wal'))).toEqual([])
    const kept = new DatabaseSync(file.replace(id(1), id(2)))
    expect(kept.prepare('SELECT wake_at FROM slots').all()).toEqual([{ wake_at: NOW + 5_000 }])
    kept.close()
  })
})

it('a state directory without objects is accepted', () => {
  const none = { damaged: [], repaired: 0, spread: 0, spreadOverMs: 0, removed: 0, hasOtherForm: false }
  expect(prepare()).toEqual(none)
  expect(existsSync(join(objectsPath, 'aa'))).toBe(false)
})

it('the list of object classes with an alarm is complete', () => {
  const withAlarm = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) =>
      readFileSync(join('src', path), 'utf8')
        .split(/^export class /m)
        .slice(1),
    )
    .filter((text) => /^ {2}override (async )?alarm\(/m.test(text))
    .map((text) => text.split(' ')[0])
  expect([...CLASSES_WITH_ALARMS].sort()).toEqual(withAlarm.sort())
})

describe('the rate of overdue alarms', () => {
  it('depends on the number of file descriptors, and is at most 60 per second', () => {
    expect([256, 1_024, 20_000, 1_048_576].map(alarmsPerSecond)).toEqual([2.4, 9.6, 60, 60])
    expect(alarmsPerSecond(20)).toBe(1)
  })

  it('is based on the file descriptor limit of this process', () => {
    expect(descriptorLimit()).toBeGreaterThanOrEqual(256)
  })
})

type Options = { perSecond?: number; timeout?: number; removalMs?: number; sharesObjects?: boolean }

function prepare(options: Options = {}) {
  return prepareObjects({ objectsPath, uniqueKeys, perSecond: 100, now: NOW, ...options })
}

function id(number: number): string {
  return String(number).padStart(64, '0')
}

/** Writes the index of a class: ids with times in milliseconds. */
function index(folder: string, times: Readonly<Record<string, number>>): void {
  mkdirSync(join(objectsPath, folder), { recursive: true })
  const database = new DatabaseSync(join(objectsPath, folder, 'metadata.sqlite'))
  database.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID',
  )
  const insert = database.prepare('INSERT INTO _cf_ALARM VALUES (?, ?, NULL)')
  for (const [name, at] of Object.entries(times)) insert.run(name, BigInt(at) * 1_000_000n)
  database.close()
}

function alarms(folder: string): Record<string, number> {
  const database = new DatabaseSync(join(objectsPath, folder, 'metadata.sqlite'), { readBigInts: true })
  const rows = database.prepare('SELECT actor_id, scheduled_time FROM _cf_ALARM').all()
  database.close()
  return Object.fromEntries(
    rows.map(({ actor_id, scheduled_time }) => [
      String(actor_id),
      Number((scheduled_time as bigint) / 1_000_000n),
    ]),
  )
}

/** Writes an object with content, or an erased object. Returns its open database. */
function object(folder: string, number: number, hasContent = true): DatabaseSync {
  mkdirSync(join(objectsPath, folder), { recursive: true })
  const database = new DatabaseSync(join(objectsPath, folder, `${id(number)}.sqlite`))
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB)')
  database.exec("INSERT INTO _cf_KV VALUES ('session', 'document')")
  if (!hasContent) database.exec('DROP TABLE _cf_KV; VACUUM')
  return database
}

/** Writes an object with one row, whose next work is at this time. Returns its open database. */
function shared(number: number, wakeAt: number, mark = 'ab'.repeat(16)): DatabaseSync {
  mkdirSync(join(objectsPath, 'dd'), { recursive: true })
  const database = new DatabaseSync(join(objectsPath, 'dd', `${id(number)}.sqlite`))
  database.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE slots (place INTEGER PRIMARY KEY, wake_at INTEGER, mark TEXT)',
  )
  database.prepare('INSERT INTO slots (wake_at, mark) VALUES (?, ?)').run(wakeAt, mark)
  return database
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(join(objectsPath, folder))
    .filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
    .sort()
}
