// Runs histories of one build of the service: the present sources, or a mutant of them.

import { buildService, type Change } from './build.ts'
import { type Credentials, makeCredentials } from './credentials.ts'
import { type Focus, type HistoryResult, platformOf, runHistory, type Stage } from './history.ts'

export type Simulator = {
  readonly run: (seed: number, focus?: Focus, trace?: (line: string) => void) => Promise<HistoryResult>
}

let shared: Promise<Credentials> | undefined

/**
 * Histories before the first history. They fill caches of what never changes, so that all other histories are
 * alike.
 */
const WARM_UP = [1, 2, 3]

/** Builds the service with these changes. */
export async function openSimulator(changes: readonly Change[] = []): Promise<Simulator> {
  const stage: Stage = { platform: undefined }
  shared ??= makeCredentials()
  const credentials = await shared
  const code = await buildService(() => platformOf(stage), changes)
  for (const seed of WARM_UP) await runHistory({ stage, code, credentials, seed })
  return {
    run: (seed, focus, trace) =>
      runHistory({ stage, code, credentials, seed, ...(focus && { focus }), ...(trace && { trace }) }),
  }
}

/** The end of a history, for people who look for its fault. */
export async function traceOf(
  simulator: Simulator,
  seed: number,
  { lines, focus }: { readonly lines: number; readonly focus?: Focus | undefined },
): Promise<readonly string[]> {
  const trace: string[] = []
  await simulator.run(seed, focus, (line) => trace.push(line))
  return trace.slice(-lines)
}

/** Returns the command that runs one history again. */
export function commandOf(seed: number, mutant?: string): string {
  const planted = mutant === undefined ? '' : ` --mutant ${JSON.stringify(mutant)}`
  return `npm run proof -- simulate --seed ${seed} --histories 1${planted}`
}
