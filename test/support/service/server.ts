// The service as its users run it: the launcher of `npm start`, on a free port, with its own state directory.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { diesWithParent } from '../../../scripts/service/workerd.mjs'
import { takeCounters } from '../counters/counters.ts'
import { readIfPresent } from '../reading/live-files.ts'
import { WAIT } from '../wait.ts'

const LAUNCHER = process.env.COUNTED_LAUNCHER ?? join(ROOT, 'scripts', 'start.mjs')
/** Starts of a service whose port is free when it is chosen. */
const STARTS = 5
/** The tests of faults at full size start with much work. */
const READY_WITHIN_MS = process.env.FAULTS === 'full' ? 600_000 : WAIT.timeout

/** A service that runs, started by this test file or shared with other test files (shared-services.ts). */
export type RunningServer = {
  /** Address of the port: `http://127.0.0.1:<port>`, or https with TLS_CERT. */
  readonly origin: string
  /** The service's own address: BASE_URL. */
  readonly baseUrl: string
  readonly adminToken: string
  readonly stateDir: string
}

/** A service whose starts and ends belong to this test file. */
export type Server = RunningServer & {
  /** Returns the output of the launcher since the last start, both streams. */
  output(): string
  /** Returns the output, and forgets it: the output of a long run does not fit into memory. */
  takeOutput(): string
  /** Returns the pid of the running workerd. */
  pid(): number
  /**
   * Ends the launcher, waits for it, and deletes the state directory. Resolves to the launcher's exit code.
   */
  stop(): Promise<number | null>
  /** Sends SIGKILL to launcher and workerd, which cannot clean up. */
  kill9(): Promise<void>
  /** Sends SIGKILL to workerd alone. The launcher notices that and ends. */
  killWorkerd(): void
  /**
   * Starts again on the same port and state. Ends a running launcher first. `changed` replaces variables
   * permanently. The options are those of this start only.
   */
  restart(
    changed?: Readonly<Record<string, string>>,
    options?: { readonly launcher?: string; readonly descriptors?: number },
  ): Promise<void>
  /** Sends a signal to the launcher, and resolves to its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
  createRelyingParty(settings?: Readonly<Record<string, unknown>>): Promise<CreatedRelyingParty>
}

export type CreatedRelyingParty = {
  readonly relying_party_id: string
  readonly api_key: string
  readonly webhook_secret: string
}

/**
 * Starts the launcher and waits until it is ready. `env` adds or replaces variables of the launcher.
 * `launcher` may belong to another copy of the project. `descriptors`: hard limit of file descriptors.
 */
export async function startServer({
  env = {},
  launcher = LAUNCHER,
  descriptors,
}: {
  env?: Readonly<Record<string, string>>
  launcher?: string
  descriptors?: number
} = {}): Promise<Server> {
  const stateDir = env.STATE_DIR ?? (await mkdtemp(join(tmpdir(), 'verifier-')))
  let port = env.PORT ?? String(await freePort())
  let variables: Record<string, string> = { ...inherited(), ...env, STATE_DIR: stateDir, PORT: port }
  const start = async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await launch(launcher, variables, descriptors)
      } catch (error) {
        // Another process has taken the port in the meantime.
        if (env.PORT !== undefined || attempt === STARTS || !/ is in use /.test(String(error))) throw error
        port = String(await freePort())
        variables = { ...variables, PORT: port }
      }
    }
  }
  let run = await start()
  const origin = `${env.TLS_CERT === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  const endRun = async (signal: NodeJS.Signals) => {
    await takeCounters(Number(port))
    return end(run.launcher, signal)
  }
  const adminToken = env.ADMIN_TOKEN ?? readFileSync(join(stateDir, 'keys', 'admin-token'), 'utf8')

  return {
    origin,
    baseUrl: env.BASE_URL ?? origin.replace('127.0.0.1', 'localhost'),
    adminToken,
    stateDir,
    output: () => run.output(),
    takeOutput: () => run.takeOutput(),
    pid: () => readPid(stateDir) ?? 0,
    async stop() {
      const exitCode = await endRun('SIGTERM')
      await rm(stateDir, { recursive: true, force: true })
      return exitCode
    },
    end: endRun,
    async kill9() {
      const workerd = readPid(stateDir)
      await endRun('SIGKILL')
      if (workerd !== undefined) killIfRunning(workerd, stateDir)
    },
    killWorkerd() {
      const workerd = readPid(stateDir)
      if (workerd !== undefined) killIfRunning(workerd, stateDir)
    },
    async restart(changed = {}, { launcher: path = launcher, descriptors: limit = descriptors } = {}) {
      await endRun('SIGTERM')
      variables = { ...variables, ...changed }
      run = await launch(path, variables, limit)
    },
    createRelyingParty: (settings = {}) => createRelyingParty({ origin, adminToken }, settings),
  }
}

/** Runs the launcher to its end, for starts that must fail. Resolves to its exit code and its output. */
export async function runLauncher(env: Readonly<Record<string, string>>) {
  const { launcher, output } = spawnLauncher(LAUNCHER, {
    ...inherited(),
    PORT: String(await freePort()),
    ...env,
  })
  const exitCode = await ended(launcher)
  return { exitCode, output: output() }
}

async function launch(path: string, variables: Record<string, string>, descriptors?: number) {
  const run = spawnLauncher(path, variables, descriptors)
  const deadline = setTimeout(() => run.launcher.kill('SIGTERM'), READY_WITHIN_MS)
  await new Promise<void>((resolve, reject) => {
    // The demo relying party is created after that line. A session of a test must not wait for it.
    // Later lines are not searched: each search copies the whole output.
    const look = () => {
      if (!/^(?:Ready|Not ready): /m.test(run.output())) return
      run.launcher.stdout?.off('data', look)
      resolve()
    }
    run.launcher.stdout?.on('data', look)
    // Not `exit`: the last lines may still be unread then.
    run.launcher.once('close', (code) =>
      reject(new Error(`the launcher ended with ${code}:\n${run.output()}`)),
    )
  }).finally(() => clearTimeout(deadline))
  return run
}

function spawnLauncher(path: string, variables: Record<string, string>, descriptors?: number) {
  const limit = descriptors === undefined ? [] : ['prlimit', `--nofile=${descriptors}:${descriptors}`]
  const [command = '', ...args] = [...limit, ...diesWithParent(), process.execPath, path]
  const launcher = spawn(command, args, { env: variables, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  // Ends the launcher when a test run is aborted. On Linux the kernel does it, even after `kill -9`.
  const endWithUs = () => launcher.kill('SIGKILL')
  process.once('exit', endWithUs)
  launcher.once('exit', () => process.off('exit', endWithUs))
  const takeOutput = () => {
    const taken = text
    text = ''
    return taken
  }
  return { launcher, output: () => text, takeOutput }
}

/**
 * Returns the launcher's required environment, without variables that would configure it. The shop is off by
 * default.
 */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE, DEMO: '0' }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return ended(child)
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('close', (code) => resolve(code)))
}

function readPid(stateDir: string): number | undefined {
  const content = readIfPresent(join(stateDir, 'workerd.pid'))
  return content && Number(content)
}

/**
 * Kills workerd if it still runs: the kernel may have ended it, and its pid may belong to another process.
 */
function killIfRunning(pid: number, stateDir: string) {
  if (!readIfPresent(`/proc/${pid}/cmdline`)?.includes(stateDir)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has ended meanwhile
  }
}

/**
 * `POST /v1/admin/relying_parties`, in test mode unless the settings differ. Throws unless it returns 201.
 */
export async function createRelyingParty(
  { origin, adminToken }: Pick<RunningServer, 'origin' | 'adminToken'>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<CreatedRelyingParty> {
  const response = await fetch(`${origin}/v1/admin/relying_parties`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Test', livemode: false, ...settings }),
  })
  if (response.status !== 201) throw new Error(`HTTP ${response.status} ${await response.text()}`)
  return (await response.json()) as CreatedRelyingParty
}

/** Returns a free port. Another process may take it before the start. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
