// Locks of a state directory. The kernel releases a lock when the last process that holds it ends, however it
// ends. So a lock never outlives its processes, and no pid has to be trusted.
//
// The launcher alone holds `launcher.lock`. Launcher and workerd both hold `workerd.lock`.

import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const RELEASED_WITHIN_MS = 10_000

/**
 * Takes the directory for this launcher. `description` is the text that another start prints about this
 * launcher. Throws if another launcher runs here.
 */
export function lockForLauncher(directory, description) {
  const path = join(directory, 'launcher.lock')
  const file = openSync(path, 'a+', 0o600)
  if (!tryLock(file)) {
    closeSync(file)
    const holder = readFileSync(path, 'utf8').trim() || 'a start that has just begun'
    throw new Error(
      `STATE_DIR ${directory} is in use by ${holder}. End that process first, or set another STATE_DIR and PORT.`,
    )
  }
  ftruncateSync(file)
  writeSync(file, `process ${process.pid}, ${description}\n`)
  return file // never closed: the lock is held until this process ends
}

/**
 * Takes the lock that workerd inherits. Only a workerd without a launcher can still hold the lock. It was
 * asked to end before. Throws if it does not end.
 */
export async function lockForWorkerd(directory) {
  const file = openSync(join(directory, 'workerd.lock'), 'a+', 0o600)
  const deadline = Date.now() + RELEASED_WITHIN_MS
  while (!tryLock(file)) {
    if (Date.now() > deadline) {
      throw new Error(
        `a workerd without a launcher still runs in ${directory}: find it with \`fuser -v ${join(directory, 'workerd.lock')}\` and end it`,
      )
    }
    await sleep(20)
  }
  return file
}

/**
 * Locks an open file. flock(1) locks the open file itself, which it shares with this process, so that the
 * lock stays when flock(1) ends. Returns `true` if util-linux is missing. Then only the pid file shows that
 * another process runs.
 */
function tryLock(file) {
  const flock = ['/usr/bin/flock', '/bin/flock'].find((path) => existsSync(path))
  if (flock === undefined) return true
  const { status, error } = spawnSync(flock, ['--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', file],
  })
  if (error) throw error
  return status === 0
}
