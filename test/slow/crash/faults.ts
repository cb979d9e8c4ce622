// Faults between and at the kills: a full disk, few file descriptors, a moved clock, another build on the
// same state. Each needs no rights beyond the rights of the service.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { buildClock } from '../../support/service/clock.ts'
import { PASS_LIBRARY } from '../../support/service/library.ts'
import { type Change, copyProject, IGNORE_FILE_LIMIT } from '../../support/service/project-copy.ts'
import type { Server } from '../../support/service/server.ts'

/** Fault beside a kill. `disk_full`: no file can grow for a moment before the kill. */
export const KILLS = ['workerd', 'launcher', 'disk_full'] as const
export type Kill = (typeof KILLS)[number]

/** How the service runs after a kill. */
export type Life = 'usual' | 'few_descriptors' | 'clock_ahead' | 'clock_behind' | 'previous_build'

/**
 * Lives of one run, in turn. The previous build is not run beside a moved clock: it stores some events twice
 * in the log when the clock goes back.
 */
export const LIVES = {
  usual: ['usual'],
  clocks: ['usual', 'few_descriptors', 'clock_ahead', 'clock_behind'],
  builds: ['usual', 'previous_build', 'few_descriptors'],
} as const satisfies Readonly<Record<string, readonly Life[]>>
export type Lives = keyof typeof LIVES

/** Projects, and the library that moves the clock of workerd. */
export type Faults = {
  /** Launcher of the present build. */
  readonly launcher: string
  /** Returns the lives that this machine can show, or those that it cannot. */
  readonly livesOf: (lives: Lives, wanted?: 'shown' | 'left_out') => readonly Life[]
  /** Starts the service again in this life. */
  readonly restart: (server: Server, life: Life) => Promise<void>
  readonly remove: () => void
}

/** workerd has some fifty open, and the callers and sessions of a run need more than the rest. */
const DESCRIPTORS = 192
/** A service manager starts the service again so often. */
const START_TRIES = 10
/** Has the service work on until the last of few descriptors is in use. */
const IGNORE_FEW_DESCRIPTORS: Change = {
  path: 'scripts/start.mjs',
  replaced: 'void reportCapacity(directory, started)',
  by: `if (descriptorLimit() > ${DESCRIPTORS}) void reportCapacity(directory, started)`,
  appended: '',
}

/** Less than the difference of clocks that the service accepts from a wallet. */
const CLOCK_SECONDS = 40

/** Returns true if a library can be built that moves the clock. */
export function canMoveClock(): boolean {
  return spawnSync('cc', ['--version']).status === 0
}

/** Returns how often workerd could not open a file, as it does without a descriptor. */
export function refusalsIn(output: string): number {
  return output.split('unable to open database file').length - 1
}

/** Prepares the projects. `changes` are planted in the present build. */
export function prepareFaults(changes: readonly Change[] = []): Faults {
  const machine = [IGNORE_FILE_LIMIT, PASS_LIBRARY, IGNORE_FEW_DESCRIPTORS]
  const present = copyProject([...changes, ...machine])
  const previous = copyProject(machine, previousBundle())
  const clock = buildClock()
  if (clock === undefined) console.warn('The clock is not moved: this machine has no C compiler (cc).')
  return {
    launcher: present.launcher,
    livesOf: (lives, wanted = 'shown') =>
      LIVES[lives].filter((life: Life) => {
        const isShown = clock !== undefined || !life.startsWith('clock')
        return isShown === (wanted === 'shown')
      }),
    restart: async (server, life) => {
      const isFew = life === 'few_descriptors'
      const seconds = { clock_ahead: CLOCK_SECONDS, clock_behind: -CLOCK_SECONDS }[life as string] ?? 0
      const variables = { WORKERD_LIBRARY: clock?.path ?? '', LIBRARY_CLOCK: String(seconds) }
      const options = {
        launcher: life === 'previous_build' ? previous.launcher : present.launcher,
        ...(isFew && { descriptors: DESCRIPTORS }),
      }
      // Without a descriptor for the next connection workerd ends, also before it is ready.
      for (let tries = isFew ? START_TRIES : 1; ; tries--) {
        try {
          return await server.restart(variables, options)
        } catch (error) {
          if (tries === 1) throw error
        }
      }
    },
    remove: () => {
      for (const made of [present, previous, clock]) made?.remove()
    },
  }
}

/** Takes the space for new bytes from workerd until its end. */
export function fillDisk(pid: number): void {
  execFileSync('prlimit', ['--pid', String(pid), '--fsize=0:unlimited'])
}

/** The build of test/previous. */
export function previousBundle(): Uint8Array {
  return gunzipSync(readFileSync(join(import.meta.dirname, '../../previous/worker.js.gz')))
}
