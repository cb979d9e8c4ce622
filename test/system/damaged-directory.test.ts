// A damaged file of the directory: the service starts, works for the relying parties that it has, and says
// what is broken to the monitors.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { OVER_18, type OwnService, startService } from '../support/service/service.ts'
import { WAIT } from '../support/wait.ts'

let service: OwnService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

it('with a damaged directory the service starts, warns in /readyz and /metrics, and creates verifications', async () => {
  const rp = await service.relyingParty()
  const { server } = service
  const files = directoryFiles(rp.relying_party_id)
  await server.kill9()
  for (const file of files) {
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    writeFileSync(file, 'garbage'.repeat(2_000))
  }
  await server.restart()
  expect(server.output()).toMatch(/^Ready: /m)
  const warning = /^Warning: The directory of relying parties cannot be read/m
  await vi.waitFor(() => expect(server.output()).toMatch(warning), WAIT)

  const ready = await service.fetch('/readyz')
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', warnings: expect.arrayContaining([{ code: 'directory_unavailable' }]) },
  ])
  const headers = { authorization: `Bearer ${server.adminToken}` }
  const metrics = await service.fetch('/metrics', { headers })
  expect(metrics.status).toBe(200)
  const text = await metrics.text()
  expect(text).toMatch(/^wallet_verifier_warning\{code="directory_unavailable"\} 1$/m)
  expect(text).toMatch(/^wallet_verifier_storage_writable 1$/m)
  expect(text).toMatch(/^wallet_verifier_sessions_pending\{mode="test"\} \d/m)
  expect((await rp.call('POST', '/v1/verify', { body: OVER_18 })).status).toBe(201)
})

/** Returns the files of the directory's class that name the relying party. */
function directoryFiles(relyingPartyId: string): readonly string[] {
  const objects = join(service.server.stateDir, 'objects')
  const names = readdirSync(objects, { recursive: true, encoding: 'utf8' })
  const databases = names.filter((name) => name.endsWith('.sqlite')).map((name) => join(objects, name))
  const found = databases.filter((path) =>
    ['', '-wal'].some((suffix) => read(path + suffix).includes(`${relyingPartyId}`)),
  )
  return found.filter((path) =>
    ['', '-wal'].some((suffix) => read(path + suffix).includes('TABLE relying_parties')),
  )
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
