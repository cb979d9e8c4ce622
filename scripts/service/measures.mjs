// Measures of workerd and of the state directory, which the service cannot see itself. The launcher sends
// them to the service for `/metrics`. A measure that this system cannot read is left out.

import { execFile } from 'node:child_process'
import { readdir, readFile, statfs } from 'node:fs/promises'
import { promisify } from 'node:util'
import { request } from './request.mjs'
import { controlSocket } from './workerd.mjs'

const EVERY_MS = 10_000
/**
 * The size of the state is measured once a minute at most. The measurement takes at most a fiftieth of the
 * time.
 */
const SIZE_EVERY_MS = 60_000
const SIZE_SHARE = 1 / 50

/** Sends the measures of a running workerd, now and every ten seconds, until it ends. */
export function reportMeasures(directory, child) {
  let stateBytes
  let measureSizeAt = 0
  const end = new AbortController()
  const measureSize = async () => {
    const begun = Date.now()
    measureSizeAt = Infinity
    stateBytes = await sizeOf(directory, end.signal)
    const took = Date.now() - begun
    measureSizeAt = Date.now() + Math.max(SIZE_EVERY_MS, took / SIZE_SHARE)
    await send()
  }
  const send = async () => {
    const body = { ...(await processMeasures(child.pid)), ...(await diskMeasures(directory)) }
    if (stateBytes !== undefined) body.state_bytes = stateBytes
    const socketPath = controlSocket(directory)
    await request('POST', 'http://control/measures', { socketPath, body }).catch(() => undefined)
  }
  const report = () => {
    void send()
    if (Date.now() >= measureSizeAt) void measureSize()
  }
  const timer = setInterval(report, EVERY_MS).unref()
  child.once('exit', () => {
    clearInterval(timer)
    end.abort() // a long measurement must not keep the launcher
  })
  report()
}

/** Returns the data about a process that Linux has below /proc. */
export async function processMeasures(pid) {
  const [status, descriptors, limits] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    readdir(`/proc/${pid}/fd`).catch(() => undefined),
    readFile(`/proc/${pid}/limits`, 'utf8').catch(() => ''),
  ])
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return {
    ...(kilobytes !== undefined && { process_resident_memory_bytes: Number(kilobytes) * 1024 }),
    ...(descriptors !== undefined && { process_open_fds: descriptors.length }),
    ...(limit !== undefined && { process_max_fds: Number(limit) }),
  }
}

async function diskMeasures(directory) {
  const disk = await statfs(directory).catch(() => undefined)
  return disk === undefined ? {} : { state_free_bytes: disk.bavail * disk.bsize }
}

/**
 * Returns the space that a directory takes on the disk, or undefined. A program of its own counts millions of
 * files without holding up the launcher. It reports files that disappear meanwhile as errors.
 */
async function sizeOf(directory, signal) {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const du = promisify(execFile)('du', ['-sk', directory], { env, signal })
  const { stdout } = await du.catch((error) => error)
  const [, kilobytes] = /^(\d+)\s/.exec(stdout ?? '') ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
