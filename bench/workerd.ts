// Runs the bench's own Worker on `workerd serve`. wrangler bundles it, and the service's scripts start it.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../scripts/service/paths.mjs'
import { configPath, endWorkerd, startWorkerd } from '../scripts/service/workerd.mjs'
import { readWranglerToml } from '../scripts/service/workerd-config.mjs'

export type BenchWorker = { readonly port: number; readonly stop: () => Promise<void> }

/** Bundles bench/worker.ts and serves it on a free port. */
export async function startBenchWorker(): Promise<BenchWorker> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'bench-')))
  const port = await freePort()
  const { compatibilityDate, compatibilityFlags } = readWranglerToml()
  const platform = { date: compatibilityDate, flags: compatibilityFlags }
  bundle(directory, platform)
  writeFileSync(configPath(directory), config(port, platform))
  const child = startWorkerd(directory, {})
  await untilAnswering(port)
  return {
    port,
    stop: async () => {
      await endWorkerd(child)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

type Platform = { readonly date: string | undefined; readonly flags: readonly (string | undefined)[] }

function bundle(directory: string, { date, flags }: Platform): void {
  const file = join(directory, 'wrangler.json')
  const main = join(ROOT, 'bench', 'worker.ts')
  const settings = { name: 'bench', main, compatibility_date: date, compatibility_flags: flags }
  writeFileSync(file, JSON.stringify(settings))
  const wrangler = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const options = ['deploy', '--dry-run', '--outdir', directory, '--config', file]
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }
  const { status, stderr } = spawnSync(process.execPath, [wrangler, ...options], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the bench Worker did not build:\n${stderr}`)
}

function config(port: number, { date, flags }: Platform): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "bench", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "${date}",
    compatibilityFlags = [${flags.map((flag) => JSON.stringify(flag)).join(', ')}],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", service = "bench", http = ())],
);
`
}

async function untilAnswering(port: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer?.status === 200) return
    await sleep(20)
  }
  throw new Error('the bench Worker did not respond')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
