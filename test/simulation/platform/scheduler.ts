// Order of everything that waits: completions of the platform, and timers on a clock of the simulation. After
// each task all promises settle, before the next task is chosen at random. So the seed decides the order of
// all steps. `time` always rises; the wall clock is `time` plus an offset, and may jump.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Random } from './random.ts'

/** Who runs: an instance of an object, or the world outside. A dead owner never continues. */
export type Owner = { readonly name: string; alive: boolean }

export type Timer = { readonly at: number; readonly run: () => void; owner: Owner; stopped: boolean }

type Task = { readonly owner: Owner; readonly run: () => void }

/** Probability of going on to the next timer, although other work waits. */
const SLOW_STEP = 0.02
/** Steps of a history at most. More are a loop without end. */
const STEP_LIMIT = 200_000

export type Scheduler = ReturnType<typeof openScheduler>

const owners = new AsyncLocalStorage<Owner>()

/** Returns the owner of the running code. */
export function currentOwner(): Owner {
  const owner = owners.getStore()
  if (owner === undefined) throw new Error('the code runs outside the simulation')
  return owner
}

export function openScheduler(random: Random, beginning: number) {
  const ready: Task[] = []
  const timers: Timer[] = []
  /**
   * `setBack`: the time by which the wall clock was set back in all. `jumped`: the same, and forward.
   * `isCalm`: no time passes while work waits. `longestStep`: time that passes at most while work waits.
   */
  const state = {
    ...{ time: beginning, offset: 0, setBack: 0, jumped: 0, step: 0 },
    ...{ isCalm: false, longestStep: Number.POSITIVE_INFINITY },
  }
  const hooks = { beforeStep: () => {} }

  const post = (owner: Owner, run: () => void): void => {
    ready.push({ owner, run })
  }
  const after = (delay: number, run: () => void, owner = currentOwner()): Timer => {
    const timer: Timer = { at: state.time + Math.max(0, delay), run, owner, stopped: false }
    insert(timers, timer)
    return timer
  }
  /** Moves timers that are due to the tasks. Returns the next timer that is not due. */
  const wakeTimers = (): Timer | undefined => {
    for (;;) {
      const next = timers[timers.length - 1]
      if (next === undefined) return undefined
      if (next.stopped || !next.owner.alive) timers.pop()
      else if (next.at > state.time) return next
      else {
        timers.pop()
        post(next.owner, () => {
          if (!next.stopped) next.run()
        })
      }
    }
  }
  /** Runs until `isOver` returns true, nothing is left, or the next timer lies after `until`. */
  const run = async (until: number, isOver: () => boolean = () => false): Promise<void> => {
    for (;;) {
      await settled()
      if (isOver()) return
      if (++state.step > STEP_LIMIT) throw new Error('the history does not end')
      hooks.beforeStep()
      const next = wakeTimers()
      const mayWait = next !== undefined && next.at <= until
      if (ready.length === 0 && !mayWait) {
        state.time = Math.max(state.time, until)
        return
      }
      const isSlow = mayWait && ready.length > 0 && !state.isCalm && random.chance(SLOW_STEP)
      const isShort = mayWait && next.at <= state.time + state.longestStep
      if (mayWait && (ready.length === 0 || (isSlow && isShort))) {
        state.time = next.at
        wakeTimers()
      }
      const index = random.below(ready.length)
      const task = ready[index] as Task
      ready[index] = ready[ready.length - 1] as Task
      ready.pop()
      if (task.owner.alive) owners.run(task.owner, task.run)
    }
  }
  return {
    random,
    state,
    hooks,
    post,
    after,
    run,
    /** Runs code as its owner. */
    as: <T>(owner: Owner, work: () => T): T => owners.run(owner, work),
    wall: () => Math.floor(state.time + state.offset),
    /** Completes a task of the platform in a later step, or at once. */
    complete: <T>(produce: () => T, atOnce: number): Promise<T> => {
      const owner = currentOwner()
      if (!owner.alive) return new Promise(() => {})
      if (random.chance(atOnce)) return new Promise((resolve) => resolve(produce()))
      return new Promise((resolve, reject) => {
        post(owner, () => {
          try {
            resolve(produce())
          } catch (error) {
            reject(error)
          }
        })
      })
    },
  }
}

/** Keeps the earliest timer at the end. Of two at one time, the first one comes first. */
function insert(timers: Timer[], timer: Timer): void {
  let [low, high] = [0, timers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((timers[middle] as Timer).at > timer.at) low = middle + 1
    else high = middle
  }
  timers.splice(low, 0, timer)
}

/** Resolves when every promise that can settle has settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
