// Ways to take the space for new bytes from a running service, and to give it back.

import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyProject, IGNORE_FILE_LIMIT } from '../support/service/project-copy.ts'

export type Disk = {
  readonly stateDir: string
  /** Launcher of a service on this disk. */
  readonly launcher?: string
  /** Takes the space. `pid`: workerd. */
  readonly fill: (pid: number) => void
  readonly free: (pid: number) => void
  /** Call it when the service has ended. */
  readonly remove: () => void
}

const MIB = 1024 * 1024

/** Returns true if this run may mount a file system. */
export function canMount(): boolean {
  try {
    mountDisk(1).remove()
    return true
  } catch {
    return false
  }
}

/** Returns a file system of its own. Throws if the run may not mount one. */
export function mountDisk(mebibytes: number): Disk {
  const path = mkdtempSync(join(tmpdir(), 'verifier-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path])
  } catch (error) {
    rmSync(path, { recursive: true })
    throw new Error(
      'this test mounts a file system: run it as root, or under `unshare --user --map-root-user --mount`',
      {
        cause: error,
      },
    )
  }
  const ballast = join(path, 'ballast')
  return {
    stateDir: join(path, 'state'),
    fill: () => fillWith(ballast),
    free: () => rmSync(ballast),
    remove: () => {
      execFileSync('umount', [path])
      rmSync(path, { recursive: true })
    },
  }
}

/** Writes until the disk is full, with ever smaller pieces. */
function fillWith(path: string): void {
  const file = openSync(path, 'w')
  for (let bytes = MIB; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    const piece = new Uint8Array(bytes)
    try {
      while (writeSync(file, piece) === bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  closeSync(file)
}

/**
 * Returns a disk that needs no rights: the kernel refuses every write of workerd to a file. It would end
 * workerd with SIGXFSZ, which this launcher has it ignore.
 */
export function limitedDisk(): Disk {
  const stateDir = mkdtempSync(join(tmpdir(), 'verifier-'))
  const copy = copyProject([IGNORE_FILE_LIMIT])
  const limit = (pid: number, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  return {
    stateDir,
    launcher: copy.launcher,
    fill: (pid) => limit(pid, '0'),
    free: (pid) => limit(pid, 'unlimited'),
    remove: () => copy.remove(),
  }
}
