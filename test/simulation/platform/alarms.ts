// Alarms: one for each object, at least once. A handler that throws is repeated after waits that double.
// After six repetitions the alarm is dropped. An alarm that the handler sets replaces the alarm that it runs
// for. Faults make alarms early, late, doubled or lost.

import type { Faults } from './faults.ts'
import type { Respond, SimulatedObject } from './objects.ts'
import type { Owner, Scheduler, Timer } from './scheduler.ts'

const FIRST_REPETITION_MS = 2_000
const REPETITIONS = 6

type State = { timer: Timer | undefined; isRunning: boolean; failures: number }

export function openAlarms({
  scheduler,
  faults,
  run,
  world,
  noted,
}: {
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly run: (
    object: SimulatedObject,
    method: string,
    parameters: readonly unknown[],
    respond: Respond,
  ) => void
  readonly world: Owner
  readonly noted: (text: string) => void
}) {
  const states = new Map<SimulatedObject, State>()
  /** Objects whose alarm the platform has lost. Only a call to them can repair that. */
  const lost = new Set<SimulatedObject>()

  const stateOf = (object: SimulatedObject): State => {
    const known = states.get(object) ?? { timer: undefined, isRunning: false, failures: 0 }
    states.set(object, known)
    return known
  }
  const wait = (object: SimulatedObject, delay: number): void => {
    const state = stateOf(object)
    if (state.timer !== undefined) state.timer.stopped = true
    state.timer = scheduler.after(delay, () => fire(object), world)
  }
  /** Waits for the alarm that is stored. */
  const set = (object: SimulatedObject): void => {
    const { alarm } = object.durable
    const state = stateOf(object)
    if (state.timer !== undefined) state.timer.stopped = true
    if (alarm === null) return
    if (faults.happens('alarmLost')) {
      noted(`the alarm of ${object.name} is lost`)
      object.durable.alarm = null
      lost.add(object)
      return
    }
    wait(object, alarm - scheduler.wall() + faults.alarmShift())
  }
  /** Runs the handler. A doubled alarm is not the stored alarm, and leaves the stored alarm. */
  const fire = (object: SimulatedObject, isDouble = false): void => {
    const state = stateOf(object)
    if (state.isRunning) {
      if (!isDouble) wait(object, 1_000)
      return
    }
    const { durable } = object
    const version = isDouble ? -1 : durable.alarmSet
    state.isRunning = true
    const finished: Respond = (error) => {
      state.isRunning = false
      const isReplaced = durable.alarmSet !== version
      if (error === undefined) {
        state.failures = 0
        if (!isReplaced) durable.alarm = null
        if (faults.happens('alarmTwice')) scheduler.after(faults.random.between(1, 5_000), again, world)
      } else if (!isReplaced && durable.alarm !== null) {
        const isReset = object.instance === undefined
        if (!isReset) state.failures++
        if (state.failures > REPETITIONS) {
          noted(`the alarm of ${object.name} is dropped`)
          durable.alarm = null
          state.failures = 0
        } else wait(object, FIRST_REPETITION_MS * 2 ** state.failures)
      }
    }
    const again = () => fire(object, true)
    try {
      run(object, 'alarm', [], finished)
      if (!isDouble) object.instance?.storage.alarmStarted()
    } catch (error) {
      finished(error, undefined)
    }
  }
  return {
    set,
    lost,
    /** The clock has changed, or faults have stopped. */
    reset: () => {
      for (const [object, { timer }] of states) if (timer !== undefined && !timer.stopped) set(object)
    },
  }
}
