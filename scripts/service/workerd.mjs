// Runs one workerd process for each state directory: ends an orphan, waits until the new process is ready,
// and drains it before its end.

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from './request.mjs'

/** Time after which a start that is not ready yet is reported. */
const REPORT_AFTER_MS = 20_000
const END_WITHIN_MS = 3_000
const DRAINED_WITHIN_MS = 10_000
/** Time for the last bytes of the last response. */
const FLUSH_MS = 100
/** Longest address of a Unix socket on every system. */
const SOCKET_PATH_LENGTH = 100

/**
 * Ends the workerd that an earlier launcher left running, if its pid still belongs to it. Call it under the
 * launcher's lock, so that no other launcher can be running here.
 */
export async function endStaleWorkerd(directory) {
  const pid = readPid(directory)
  if (pid === undefined || !isOurs(pid, directory)) return
  console.error(`Ending workerd ${pid}, left running in this state directory.`)
  signal(pid, 'SIGTERM')
  const deadline = Date.now() + END_WITHIN_MS
  while (isOurs(pid, directory)) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL')
    await sleep(10)
  }
}

/**
 * Starts workerd with the configuration in the state directory. `environment` holds every secret; no argument
 * does. `lock`: an open file that workerd inherits with its lock. The caller reads stderr, and stdout if its
 * own is a terminal. Otherwise workerd writes its log lines itself: copying them costs a twentieth of its
 * processor time.
 */
export function startWorkerd(directory, environment, lock = 'ignore') {
  const workerd = createRequire(import.meta.url)('workerd').default
  const command = [...diesWithParent(), workerd, 'serve', configPath(directory)]
  for (const path of [controlSocket(directory), relaySocket(directory)]) {
    rmSync(path, { force: true }) // left by a process that was killed
  }
  const child = spawn(command[0], command.slice(1), {
    env: environment,
    stdio: ['ignore', process.stdout.isTTY ? 'pipe' : 'inherit', 'pipe', lock],
  })
  writeFileSync(pidPath(directory), String(child.pid))
  child.once('exit', () => {
    if (readPid(directory) === child.pid) rmSync(pidPath(directory), { force: true })
  })
  return child
}

/**
 * Resolves when `/healthz` returns 200 with this process's boot id, which no other process has, and `/readyz`
 * responds. Waits as long as the process runs, because a machine under load needs time, and a restart would
 * lose the work done so far. An invalid certificate does not prevent the start: wallets refuse it, but
 * earlier results can still be read. Throws if the process ends or reports a bad configuration. `output`:
 * output of the process. It is delayed during the start, and dropped if the configuration is bad, because the
 * error then has the whole reason.
 */
export async function untilReady(child, { origin, bootId, output }) {
  const errors = configurationErrors(child)
  // Not `exit`: its last lines may still be unread then.
  const ended = new Promise((resolve) => child.once('close', resolve))
  let reportAt = Date.now() + REPORT_AFTER_MS
  for (;;) {
    // If workerd has ended, another process may hold the port and never respond.
    const last = await Promise.race([ended, missingReadiness({ origin, bootId })])
    if (errors.length > 0) {
      output.discard()
      throw new Error(errors[0])
    }
    if (hasEnded(child)) {
      await ended
      output.release()
      throw new Error('workerd ended (see above)')
    }
    if (last === null) return
    if (Date.now() > reportAt) {
      output.release()
      console.error(`Not ready yet: ${last}. Waiting.`)
      reportAt = Date.now() + REPORT_AFTER_MS
    }
    await sleep(10)
  }
}

/** Returns `null` if the process with this boot id is ready, otherwise what is missing. */
async function missingReadiness({ origin, bootId }) {
  try {
    const health = await request('GET', `${origin}/healthz`)
    if (health.json()?.boot_id !== bootId) return '/healthz is not from this process'
    const ready = await request('GET', `${origin}/readyz`)
    if (ready.status === 200 || ready.json()?.status === 'not_ready') return null
    return `/readyz returned ${ready.status} ${ready.text.slice(0, 200)}`
  } catch (error) {
    return `${origin} did not respond (${error.message})`
  }
}

/**
 * Lets the service finish: new requests get 503 and waiting requests are answered. Resolves when no request
 * is open, or after ten seconds.
 */
export async function drainWorkerd(child, directory) {
  const deadline = Date.now() + DRAINED_WITHIN_MS
  const socketPath = controlSocket(directory)
  while (!hasEnded(child) && Date.now() < deadline) {
    const answer = await request('POST', 'http://control/drain', { socketPath }).catch(() => undefined)
    if (answer === undefined) return // an older bundle, or a process that ends already
    if (answer.json()?.open_requests === 0) return sleep(FLUSH_MS)
    await sleep(50)
  }
}

/**
 * Returns the path of the Unix socket by which the launcher calls the service. No other user can reach it. A
 * path too long for a socket is replaced by one in a directory of its own.
 */
export function controlSocket(directory) {
  return socketPath(directory, 'control.sock')
}

/** Returns the path of the Unix socket to which a relay passes connections on. */
export function relaySocket(directory) {
  return socketPath(directory, 'relay.sock')
}

function socketPath(directory, name) {
  const path = join(directory, name)
  if (Buffer.byteLength(path) <= SOCKET_PATH_LENGTH) return path
  socketDirectory ??= mkdtempSync(join(tmpdir(), 'verifier-'))
  return join(socketDirectory, name)
}

let socketDirectory

/** Ends the process with SIGTERM, then with SIGKILL. */
export async function endWorkerd(child) {
  if (hasEnded(child)) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const insist = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS)
  await ended
  clearTimeout(insist)
}

function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null
}

export function configPath(directory) {
  return join(directory, 'workerd.capnp')
}

/**
 * Collects configuration errors. The Worker reports `configuration: …` (src/config.ts) on stderr when it
 * first reads its variables.
 */
function configurationErrors(child) {
  const errors = []
  let text = ''
  child.stderr.on('data', (chunk) => {
    text = (text + chunk).slice(-16_384)
    const error = text.match(/\bconfiguration: .+(?=\n)/)
    if (error) errors.push(error[0])
  })
  return errors
}

/**
 * Returns the words to put before a command, so that the kernel ends the command when its parent ends, even
 * after `kill -9`. This works only on Linux. Elsewhere the next start ends a workerd that was left running.
 */
export function diesWithParent() {
  return existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : []
}

function pidPath(directory) {
  return join(directory, 'workerd.pid')
}

function readPid(directory) {
  if (!existsSync(pidPath(directory))) return undefined
  const pid = Number(readFileSync(pidPath(directory), 'utf8'))
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
}

/**
 * Returns `true` if the process runs this directory's configuration. A pid alone is no proof, since numbers
 * are reused.
 */
function isOurs(pid, directory) {
  return commandLine(pid).split('\0').includes(configPath(directory))
}

function commandLine(pid) {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
      .replaceAll(' ', '\0')
      .trim()
  } catch {
    return '' // No such process.
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
