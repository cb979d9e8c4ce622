// Runs Workers of the bench on `workerd serve`. wrangler bundles them, and the service's scripts start them.

import { type ChildProcess, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../scripts/service/paths.mjs'
import { configPath, endWorkerd, startWorkerd } from '../scripts/service/workerd.mjs'
import { readWranglerToml } from '../scripts/service/workerd-config.mjs'
import { freePort } from '../test/support/service/server.ts'

export type BenchWorker = {
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

type Options = {
  /** File of the Worker below bench/. */
  readonly main?: string
  /** Classes of its objects by their bindings. */
  readonly objects?: Readonly<Record<string, string>>
  /** Folder in which the objects are stored. */
  readonly under?: string
}

/** Bundles a Worker and serves it on a free port. */
export async function startBenchWorker({
  main = 'worker.ts',
  objects = {},
  under = tmpdir(),
}: Options = {}): Promise<BenchWorker> {
  const directory = realpathSync(mkdtempSync(join(under, 'bench-')))
  mkdirSync(join(directory, 'objects'))
  const port = await freePort()
  const { compatibilityDate, compatibilityFlags } = readWranglerToml()
  const platform = { date: compatibilityDate, flags: compatibilityFlags }
  bundle(directory, main, platform)
  writeFileSync(configPath(directory), config(port, { directory, main, objects, platform }))
  const child: ChildProcess = startWorkerd(directory, {})
  await untilAnswering(port)
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      await endWorkerd(child)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

type Platform = { readonly date: string | undefined; readonly flags: readonly (string | undefined)[] }

function bundle(directory: string, path: string, { date, flags }: Platform): void {
  const file = join(directory, 'wrangler.json')
  const main = join(ROOT, 'bench', path)
  const settings = { name: 'bench', main, compatibility_date: date, compatibility_flags: flags }
  writeFileSync(file, JSON.stringify(settings))
  const wrangler = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const options = ['deploy', '--dry-run', '--outdir', directory, '--config', file]
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }
  const { status, stderr } = spawnSync(process.execPath, [wrangler, ...options], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the bench Worker did not build:\n${stderr}`)
}

type Configured = {
  readonly directory: string
  readonly main: string
  readonly objects: Readonly<Record<string, string>>
  readonly platform: Platform
}

function config(port: number, { directory, main, objects, platform }: Configured): string {
  const { date, flags } = platform
  const bundled = main.replace(/ts$/, 'js')
  const classes = Object.entries(objects)
  const bindings = classes.map(([name, of]) => `(name = "${name}", durableObjectNamespace = "${of}")`)
  const namespaces = classes.map(([, of]) => `(className = "${of}", uniqueKey = "${of}", enableSql = true)`)
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "bench", worker = (
      modules = [(name = "worker.js", esModule = embed "${bundled}")],
      compatibilityDate = "${date}",
      compatibilityFlags = [${flags.map((flag) => JSON.stringify(flag)).join(', ')}],
      bindings = [${bindings.join(', ')}],
      durableObjectNamespaces = [${namespaces.join(', ')}],
      durableObjectStorage = (localDisk = "objects"),
    )),
    (name = "objects", disk = (path = "${directory}/objects", writable = true)),
  ],
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
