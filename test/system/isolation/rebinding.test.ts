// DNS rebinding (api/outgoing): a public name of a webhook whose look-up returns an address of this machine.
// The rule on names accepts it. workerd checks the address of each connection, so nothing is sent.
// Requests to issuers, lists and wallets leave by the same outbound of the configuration.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server as Listener } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { buildLibrary, PASS_LIBRARY } from '../../support/service/library.ts'
import { copyProject } from '../../support/service/project-copy.ts'
import { startService } from '../../support/service/service.ts'
import { WAIT } from '../../support/wait.ts'
import { nameOf, RESOLVER } from './resolver.ts'

const library = buildLibrary(RESOLVER)
const project = copyProject([PASS_LIBRARY])
const directory = mkdtempSync(join(tmpdir(), 'verifier-lookups-'))
const lookups = join(directory, 'lookups')
let listener: Listener
let connections = 0

beforeAll(async () => {
  listener = createServer((socket) => {
    connections++
    socket.on('error', () => undefined).destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
})
afterAll(() => {
  listener.close()
  project.remove()
  library?.remove()
  rmSync(directory, { recursive: true })
})

const ADDRESSES = [
  ['127.0.0.1', [127, 0, 0, 1]],
  ['127.8.8.8', [127, 8, 8, 8]],
  ['0.0.0.0', [0, 0, 0, 0]],
  ['::1', [...new Array<number>(15).fill(0), 1]],
  ['::ffff:127.0.0.1', [...new Array<number>(10).fill(0), 255, 255, 127, 0, 0, 1]],
] as const

it('a fetch of a public host name does not reach this machine, except with ALLOW_LOOPBACK=1, if cc is installed', async ({
  skip,
}) => {
  if (library === undefined) return skip('this machine has no C compiler (cc)')
  for (const [, bytes] of ADDRESSES) await expectAttempt('0', bytes)
  expect(lookedUp()).toEqual(ADDRESSES.map(([address]) => address))
  expect(connections).toBe(0)
  await expectAttempt('1', ADDRESSES[0][1]) // the resolver and the listener work
  expect(connections).toBeGreaterThan(0)
})

/** Ends a session whose webhook has such a name. Waits for the end of its first attempt. */
async function expectAttempt(ALLOW_LOOPBACK: '0' | '1', bytes: readonly number[]): Promise<void> {
  const service = await running(ALLOW_LOOPBACK)
  const rp = await service.relyingParty({ webhook: { url: `https://${nameOf(bytes)}/hook` } })
  const { verification_id } = await rp.create()
  await rp.call('POST', `/v1/verify/${verification_id}/cancel`)
  await vi.waitFor(async () => {
    const log = await rp.call('GET', `/v1/verify/${verification_id}/deliveries`)
    const { deliveries } = (await log.json()) as {
      deliveries: readonly { attempts: readonly object[] }[]
    }
    expect(deliveries[0]?.attempts[0]).toMatchObject({ status: null, error: 'connection' })
  }, WAIT)
}

const services = new Map<string, ReturnType<typeof startService>>()
afterAll(async () => {
  for (const service of services.values()) await (await service).stop()
})

function running(ALLOW_LOOPBACK: '0' | '1') {
  const { port } = listener.address() as { port: number }
  const env = { WORKERD_LIBRARY: library?.path ?? '', LIBRARY_PORT: String(port), LIBRARY_LOOKUPS: lookups }
  const started =
    services.get(ALLOW_LOOPBACK) ??
    startService({ ALLOW_LOOPBACK, ...env }, { launcher: project.launcher, isChecked: false })
  services.set(ALLOW_LOOPBACK, started)
  return started
}

function lookedUp(): readonly string[] {
  return [...new Set(readFileSync(lookups, 'utf8').trim().split('\n'))]
}
