// A damaged file of an object that sessions share: its sessions are unavailable, and all others work.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnService, startService } from '../../support/service/service.ts'

let service: OwnService
beforeAll(async () => {
  service = await startService({ SESSION_OBJECTS: '2' })
})
afterAll(() => service?.stop())

it('a damaged file of sessions makes only the sessions in it unavailable, and /readyz names the file', async () => {
  const rp = await service.relyingParty()
  const { server } = service
  const sessions = await Promise.all(Array.from({ length: 20 }, () => rp.create()))
  await server.kill9()
  const [damaged = ''] = sessionFiles()
  const content = ['', '-wal'].map((suffix) => readFileSync(damaged + suffix, 'latin1')).join('')
  const lost = sessions.filter(({ verification_id }) => content.includes(verification_id))
  expect(lost.length).toBeGreaterThan(0)
  expect(lost.length).toBeLessThan(sessions.length)
  for (const suffix of ['-wal', '-shm']) rmSync(damaged + suffix, { force: true })
  writeFileSync(damaged, 'garbage'.repeat(2_000))
  await server.restart()
  for (const session of sessions) {
    const answer = await rp.call('GET', `/v1/verify/${session.verification_id}`)
    expect(answer.status).toBe(lost.includes(session) ? 503 : 200)
  }
  expect(await warnings()).toContainEqual({
    code: 'sessions_damaged',
    objects: [basename(damaged, '.sqlite')],
  })

  // As the runbook says (docs/runbooks/damaged-storage.md).
  await server.end('SIGTERM')
  rmSync(damaged)
  await server.restart()
  for (const { verification_id } of lost)
    expect((await rp.call('GET', `/v1/verify/${verification_id}`)).status).toBe(404)
  expect(await warnings()).not.toContainEqual(expect.objectContaining({ code: 'sessions_damaged' }))
  for (let i = 0; i < 20; i++) await rp.create()
})

async function warnings(): Promise<readonly object[]> {
  const ready = await service.fetch('/readyz')
  return ((await ready.json()) as { warnings: readonly object[] }).warnings
}

function sessionFiles(): readonly string[] {
  const { stateDir } = service.server
  const folder = join(stateDir, 'objects', readFileSync(join(stateDir, 'keys', 'shared-unique-key'), 'utf8'))
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  return names.map((name) => join(folder, name))
}
