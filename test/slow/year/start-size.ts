// `npm run proof -- start-size`: a start with many stored sessions and with what erased ones left. The files
// are those of the real service; their number is made by copies. Options:
//   --sessions  stored sessions that share objects, and as many free rows of erased ones
//   --erased    files of erased sessions that had objects of their own, as version 0.2.0 leaves them
//   --starts    starts to measure: a start removes only some of these files

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { callerOf, repeat } from '../../faults/load.ts'
import { startService } from '../../support/service/service.ts'
import { residentMiB } from './life.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '100000' },
    erased: { type: 'string', default: '1000000' },
    starts: { type: 'string', default: '3' },
  },
})
const [sessions, erased, starts] = [values.sessions, values.erased, values.starts].map(Number) as [
  number,
  number,
  number,
]
/** Sessions that the service creates. So each of 64 objects has one, with a probability of 99.99 %. */
const CREATED = 800
/** No session has work during the starts. The retention of a session is at least an hour. */
const DUE = { afterMs: 3_600_000, withinMs: 172_800_000 }
const SETTLED_MS = 15_000

const service = await startService({ LOG_REQUESTS: 'problems' })
const { server } = service
try {
  const { create } = callerOf(server.origin, await service.relyingParty())
  await repeat({ count: CREATED, perSecond: 100 }, () => create({ expires_in: 1_800 }))
  await server.end('SIGTERM')
  const shared = folderOf('shared-unique-key')
  const objects = readdirSync(shared).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  for (const name of objects) multiply(join(shared, name), Math.ceil(sessions / objects.length))
  leaveFiles(folderOf('unique-key-VerificationSession'), erased)
  const rows: object[] = []
  for (let number = 1; number <= starts; number++) {
    const begun = Date.now()
    await server.restart()
    const ready = Date.now() - begun
    await sleep(SETTLED_MS)
    const [, removed = '0'] = /^Files of erased objects removed: (\d+)/m.exec(server.output()) ?? []
    const descriptors = readdirSync(`/proc/${server.pid()}/fd`).length
    const memory = residentMiB(server.pid())
    rows.push({ start: number, 'ready, ms': ready, removed, 'memory, MiB': memory, descriptors })
    await server.end('SIGTERM') // the time of a start has no stop
  }
  console.log(`${sessions} stored sessions, ${sessions} free rows, ${erased} files of erased sessions`)
  console.table(rows)
} finally {
  await service.stop()
}

function folderOf(key: string): string {
  const { stateDir } = server
  return join(stateDir, 'objects', readFileSync(join(stateDir, 'keys', key), 'utf8'))
}

/** Copies the rows of a shared object until it has `count` sessions, and adds as many free rows. */
function multiply(path: string, count: number): void {
  const database = new DatabaseSync(path)
  const row = database.prepare('SELECT pages, data FROM slots LIMIT 1').get() as {
    pages: number
    data: Uint8Array
  }
  const insert = database.prepare('INSERT INTO slots (pages, wake_at, mark, data) VALUES (?, ?, ?, ?)')
  database.exec('BEGIN')
  for (let i = 0; i < count; i++) {
    const at = Date.now() + DUE.afterMs + Math.floor(Math.random() * DUE.withinMs)
    insert.run(row.pages, at, randomBytes(16).toString('hex'), row.data)
    insert.run(row.pages, 2 ** 46, '0'.repeat(32), new Uint8Array(row.data.length))
  }
  database.exec('COMMIT')
  database.close()
}

/** Writes files of SQLite without content, of one page, as workerd leaves them. */
function leaveFiles(folder: string, count: number): void {
  const model = join(tmpdir(), `erased-${randomBytes(8).toString('hex')}.sqlite`)
  const database = new DatabaseSync(model)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE _cf_KV (key TEXT); DROP TABLE _cf_KV; VACUUM')
  database.close()
  const empty = readFileSync(model)
  rmSync(model)
  for (let i = 0; i < count; i++)
    writeFileSync(join(folder, `${randomBytes(32).toString('hex')}.sqlite`), empty)
}
