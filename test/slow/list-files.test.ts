// Files of lists (api/lists), as workerd writes them: a damaged day is left out, a session of it can be
// deleted, and /readyz names the file. The ids of deleted sessions are in no file.

import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, vi } from 'vitest'
import type { CreatedSession, RelyingParty } from '../support/service/service.ts'
import { relyingPartyOf, useOwnStage } from '../support/service/stage.ts'
import { WAIT } from '../support/wait.ts'

const stage = useOwnStage()
/** Enough for several pages of the file. */
const SESSIONS = 40

it.each([
  ['is garbage', 503, (path: string) => writeFileSync(path, 'garbage'.repeat(2_000))],
  ['is truncated', 503, (path: string) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096)],
  ['has rows that cannot be decoded', 204, damageRows],
])(
  'a day is left out of the list and reported if its file %s, and DELETE of a session of this day returns %i',
  async (_, status, damage) => {
    const rp = await relyingPartyOf(stage)
    const { file, sessions } = await listedDay(rp)
    await stage.service.server.kill9()
    checkpoint(file)
    damage(file)
    await stage.service.server.restart()
    const today = new Date().toISOString().slice(0, 10)
    await vi.waitFor(async () => {
      expect(await read(rp, '/v1/verify')).toEqual({
        verifications: [],
        next: null,
        has_more: false,
        incomplete: [expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)],
      })
    }, WAIT)
    const range = `from=${today}T00:00:00Z&to=${today}T23:00:00Z&step=day`
    expect(await read(rp, `/v1/insights?${range}`)).toMatchObject({ incomplete: [expect.any(String)] })
    const [{ verification_id: id }] = sessions as [CreatedSession]
    expect((await rp.call('DELETE', `/v1/verify/${id}`)).status).toBe(status)
    expect((await rp.call('GET', `/v1/verify/${id}`)).status).toBe(404)
    expect((await rp.create()).status).toBe('pending')
    expect(await damagedFiles()).toContain(file)

    // The runbook: stop, remove the file, start.
    await stage.service.server.kill9()
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    await stage.service.server.restart()
    const { verification_id } = await rp.create()
    await vi.waitFor(async () => {
      const { verifications, incomplete } = await read(rp, '/v1/verify')
      expect(verifications.map((entry: CreatedSession) => entry.verification_id)).toContain(verification_id)
      expect(incomplete).toBeUndefined()
    }, WAIT)
    expect(await damagedFiles()).not.toContain(file)
    expect([204, 404]).toContain((await rp.call('DELETE', `/v1/verify/${id}`)).status)
  },
)

it('the id of a deleted session is in no file of its list', async () => {
  const rp = await relyingPartyOf(stage)
  const { file, sessions } = await listedDay(rp)
  const ids = sessions.map(({ verification_id }) => verification_id)
  const deleted = ids.filter((_, i) => i % 3 === 0)
  // Each change of an entry writes a row of another length. The log keeps the ids of ended sessions.
  const ended = ids.filter((id) => !deleted.includes(id))
  await Promise.all(ended.map((id) => rp.call('POST', `/v1/verify/${id}/cancel`)))
  for (const id of deleted) expect((await rp.call('DELETE', `/v1/verify/${id}`)).status).toBe(204)
  await vi.waitFor(async () => {
    const { verifications } = await read(rp, '/v1/verify?limit=100')
    expect(verifications.map(({ status }: CreatedSession) => status)).toEqual(
      ids.filter((id) => !deleted.includes(id)).map(() => 'canceled'),
    )
  }, WAIT)
  // The object is closed after ten seconds, and its write-ahead log is removed.
  await vi.waitFor(() => expect(existsSync(`${file}-wal`)).toBe(false), WAIT)
  const bytes = readFileSync(file)
  expect(ids.filter((id) => bytes.includes(id))).toEqual(ids.filter((id) => !deleted.includes(id)))
})

/** Creates sessions of a new relying party, and returns them with the file of their day. */
async function listedDay(rp: RelyingParty) {
  const before = dayFiles()
  const sessions: CreatedSession[] = []
  for (let i = 0; i < SESSIONS; i++) sessions.push(await rp.create())
  await vi.waitFor(async () => {
    const { verifications } = await read(rp, '/v1/verify?limit=100')
    expect(verifications).toHaveLength(SESSIONS)
  }, WAIT)
  const [file = ''] = dayFiles().filter((path) => !before.includes(path))
  return { file, sessions }
}

/** Moves everything from the log of the database into its file, and removes the log. */
function checkpoint(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
}

function damageRows(path: string): void {
  const database = new DatabaseSync(path)
  database.exec("UPDATE _cf_KV SET value = x'0102030405' WHERE key LIKE 'entry/%'")
  database.close()
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function read(rp: RelyingParty, path: string): Promise<any> {
  const response = await rp.call('GET', path)
  expect(response.status).toBe(200)
  return response.json()
}

/** Returns the files that /readyz names. */
async function damagedFiles(): Promise<readonly string[]> {
  const answer = await (await stage.service.fetch('/readyz')).json()
  const { status, warnings } = answer as { status: string; warnings: { code: string; objects?: string[] }[] }
  expect(status).toBe('ready')
  const objects = warnings.flatMap(({ code, objects }) =>
    code === 'list_day_damaged' ? (objects ?? []) : [],
  )
  const files = objects.map((id) => join(dayFolder(), `${id}.sqlite`))
  for (const file of files) expect(existsSync(file)).toBe(true)
  return files
}

function dayFiles(): readonly string[] {
  if (!existsSync(dayFolder())) return []
  const names = readdirSync(dayFolder()).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  return names.map((name) => join(dayFolder(), name))
}

function dayFolder(): string {
  const { stateDir } = stage.service.server
  return join(stateDir, 'objects', readFileSync(join(stateDir, 'keys', 'unique-key-EventLog'), 'utf8'))
}
