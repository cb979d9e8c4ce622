// Runs one workerd process for each state directory: ends the old one, and waits until the new one is ready.

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from './request.mjs'

const READY_WITHIN_MS = 20_000
const END_WITHIN_MS = 3_000

/** Ends the workerd that an earlier launcher left running, if its pid still belongs to it. */
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
 * does.
 */
export function startWorkerd(directory, environment) {
  const workerd = createRequire(import.meta.url)('workerd').default
  const command = [...diesWithParent(), workerd, 'serve', configPath(directory)]
  const child = spawn(command[0], command.slice(1), {
    env: environment,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  writeFileSync(pidPath(directory), String(child.pid))
  child.once('exit', () => {
    if (readPid(directory) === child.pid) rmSync(pidPath(directory), { force: true })
  })
  child.stderr.pipe(process.stderr)
  return child
}

/**
 * Resolves when `/healthz` returns 200 with this process's boot id, which no other process has, and `/readyz`
 * returns 200. An invalid certificate does not prevent the start: wallets refuse it, but earlier results can
 * still be read. Throws the reason otherwise.
 */
export async function untilReady(child, { origin, bootId }) {
  const errors = configurationErrors(child)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const deadline = Date.now() + READY_WITHIN_MS
  let last = '/healthz did not respond'
  while (Date.now() < deadline) {
    // If workerd has ended, another process may hold the port and never respond.
    const answer = await Promise.race([ended, request('GET', `${origin}/healthz`).catch(() => undefined)])
    if (hasEnded(child)) throw new Error('workerd ended (see above)')
    if (answer?.json()?.boot_id === bootId) {
      const ready = await request('GET', `${origin}/readyz`)
      if (ready.status === 200 || ready.json()?.status === 'not_ready') return
      last = `/readyz returned ${ready.status} ${ready.text.slice(0, 200)}`
    }
    if (errors.length > 0) throw new Error(errors[0])
    await sleep(10)
  }
  throw new Error(`not ready after ${READY_WITHIN_MS / 1000} s: ${last}`)
}

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
 * On Linux the kernel ends workerd with its launcher, even after `kill -9`. Elsewhere the next start does.
 */
function diesWithParent() {
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
