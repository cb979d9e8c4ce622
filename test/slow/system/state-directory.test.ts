// The state directory of `npm start` (api/running): one launcher at a time, and no start without its keys.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runLauncher, type Server, startServer } from '../../support/service/server.ts'
import { WAIT } from '../../support/wait.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

describe('a second start in the same state directory', () => {
  it('fails if it uses another port, names the running process, and does not end that process', async () => {
    const before = [server.pid(), await bootId()]
    const { exitCode, output } = await runLauncher({ STATE_DIR: server.stateDir })
    expect(exitCode).toBe(1)
    const [, pid] = output.match(/is in use by process (\d+), http:\/\/localhost:\d+\./) ?? []
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('start.mjs')
    expect([server.pid(), await bootId()]).toEqual(before)
  })

  it('fails if it uses the same port', async () => {
    const { exitCode, output } = await runLauncher({
      STATE_DIR: server.stateDir,
      PORT: new URL(server.origin).port,
    })
    expect([exitCode, output]).toEqual([1, expect.stringContaining('is in use by process')])
  })

  it('succeeds only once if five starts happen at the same time', async () => {
    const first = await server.end('SIGTERM')
    expect(first).toBe(0)
    const starts = await Promise.allSettled(
      Array.from({ length: 5 }, () => startServer({ env: { STATE_DIR: server.stateDir } })),
    )
    const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
    const refusals = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
    expect([running.length, refusals.length]).toEqual([1, 4])
    for (const refusal of refusals) expect(refusal).toContain('is in use by')
    await running[0]?.end('SIGTERM')
    await server.restart()
  })
})

describe('a workerd process whose launcher has ended', () => {
  it('is stopped by the next start, and the next start then runs the service', async () => {
    await server.kill9()
    const orphan = spawnOrphan()
    await vi.waitFor(async () => expect((await fetch(`${server.origin}/healthz`)).status).toBe(200), WAIT)
    await server.restart()
    expect(server.output()).toContain(`Ending workerd ${orphan.pid}, left running in this state directory.`)
    expect(orphan.signalCode ?? orphan.exitCode).not.toBeNull()
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200)
  })

  it('keeps the state directory locked until it has ended, even if its pid is unknown', async () => {
    await server.kill9()
    const lock = join(server.stateDir, 'workerd.lock')
    const holder = spawn('flock', ['--exclusive', lock, 'sh', '-c', 'echo held; read end'])
    await once(holder.stdout, 'data')
    const { exitCode, output } = await runLauncher({ STATE_DIR: server.stateDir })
    expect([exitCode, output]).toEqual([
      1,
      expect.stringContaining('a workerd without a launcher still runs'),
    ])
    holder.stdin.end()
    await once(holder, 'exit')
    await server.restart()
  })
})

describe('a service whose state directory lacks a key file', () => {
  it.each(['server-secret', 'access-token-keys.json', 'unique-key-RelyingParty'])(
    'does not start without %s, and starts once this file is back',
    async (name) => {
      await server.createRelyingParty()
      await server.end('SIGTERM')
      const path = join(server.stateDir, 'keys', name)
      const aside = join(server.stateDir, 'aside')
      renameSync(path, aside)
      const { exitCode, output } = await runLauncher({ STATE_DIR: server.stateDir })
      expect(exitCode).toBe(1)
      expect(output).toContain(name.startsWith('unique') ? 'keys/unique-key-…' : `keys/${name}`)
      expect(existsSync(path)).toBe(false)
      renameSync(aside, path)
      await server.restart()
    },
  )
})

/** Starts workerd as a launcher does, but without what ends it with its launcher. It holds the lock alone. */
function spawnOrphan() {
  const workerd: string = createRequire(import.meta.url)('workerd').default
  const lock = openSync(join(server.stateDir, 'workerd.lock'), 'a+')
  const stdio = ['ignore', 'ignore', 'ignore', lock] as const
  spawnSync('flock', ['--exclusive', '--nonblock', '3'], { stdio: [...stdio] })
  const config = join(server.stateDir, 'workerd.capnp')
  rmSync(join(server.stateDir, 'control.sock'), { force: true })
  const orphan = spawn(workerd, ['serve', config], { stdio: [...stdio], env: {} })
  closeSync(lock)
  // A launcher that was killed leaves its pid file so.
  writeFileSync(join(server.stateDir, 'workerd.pid'), String(orphan.pid))
  return orphan
}

async function bootId(): Promise<unknown> {
  return ((await (await fetch(`${server.origin}/healthz`)).json()) as { boot_id: string }).boot_id
}
