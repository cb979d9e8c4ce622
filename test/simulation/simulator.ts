// Runs histories of one build of the service: the present sources, or a mutant of them.

import { buildService, type Change } from './build.ts'
import { type Credentials, makeCredentials } from './credentials.ts'
import { FORMS, type Form } from './form.ts'
import { type Focus, type HistoryResult, platformOf, runHistory, type Stage } from './history.ts'

export type Simulator = {
  readonly run: (seed: number, options?: RunOptions) => Promise<HistoryResult>
}

export type RunOptions = {
  readonly focus?: Focus | undefined
  /** The form of the sessions; `undefined`: the seed draws it. */
  readonly form?: Form | undefined
  /** True if every session has evidence, false if none has; `undefined`: the seed draws it. */
  readonly hasEvidence?: boolean | undefined
  readonly trace?: (line: string) => void
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
  for (const form of FORMS)
    for (const seed of WARM_UP) await runHistory({ stage, code, credentials, seed, form })
  return {
    run: (seed, options) => runHistory({ ...options, stage, code, credentials, seed }),
  }
}

/** The end of a history, for people who look for its fault. */
export async function traceOf(
  simulator: Simulator,
  seed: number,
  { lines, ...options }: RunOptions & { readonly lines: number },
): Promise<readonly string[]> {
  const trace: string[] = []
  await simulator.run(seed, { ...options, trace: (line) => trace.push(line) })
  return trace.slice(-lines)
}

/** Returns the command that runs one history again. */
export function commandOf(
  seed: number,
  { mutant, form }: { readonly mutant?: string | undefined; readonly form?: Form | undefined } = {},
): string {
  const chosen = form === undefined ? '' : ` --form ${form}`
  const planted = mutant === undefined ? '' : ` --mutant ${JSON.stringify(mutant)}`
  return `npm run proof -- simulate --seed ${seed} --histories 1${chosen}${planted}`
}
