// Faults of the platform in one history. A seed chooses which kinds occur, and how often. So some histories
// have one kind of fault, and others have many.

import type { Random } from './random.ts'

/** An error that the simulation has planted. Every other error is an error of the service. */
export class Fault extends Error {
  override readonly name = 'Fault'
}

/** Probabilities, and numbers of events in a history. */
export type FaultPlan = {
  /** An instance is lost between two steps. */
  readonly eviction: number
  /** The whole process is lost. */
  readonly crash: number
  /** A write throws, and the object goes on. */
  readonly write: number
  /** A transaction fails before or after it is durable. The instance is lost. */
  readonly commit: number
  readonly requestLost: number
  readonly answerLost: number
  /** A call takes up to a minute. */
  readonly slowCall: number
  readonly alarmEarly: number
  readonly alarmLate: number
  readonly alarmTwice: number
  readonly alarmLost: number
  readonly clockJumps: number
  /** Times in which every write throws. */
  readonly fullDisks: number
  /** Share of POSTs that fail in some way. */
  readonly badReceiver: number
}

const NONE: FaultPlan = {
  eviction: 0,
  crash: 0,
  write: 0,
  commit: 0,
  requestLost: 0,
  answerLost: 0,
  slowCall: 0,
  alarmEarly: 0,
  alarmLate: 0,
  alarmTwice: 0,
  alarmLost: 0,
  clockJumps: 0,
  fullDisks: 0,
  badReceiver: 0,
}

/** Values of one kind in different histories. A zero is a history without this fault. */
const RATES: { readonly [Kind in keyof FaultPlan]: readonly number[] } = {
  eviction: [0, 0, 0.002, 0.01, 0.04],
  crash: [0, 0, 0.001, 0.004],
  write: [0, 0, 0.02, 0.1],
  commit: [0, 0, 0.01, 0.05],
  requestLost: [0, 0, 0.02, 0.1],
  answerLost: [0, 0, 0.05, 0.2],
  slowCall: [0, 0, 0.02, 0.1],
  alarmEarly: [0, 0, 0.2],
  alarmLate: [0, 0, 0.2, 0.5],
  alarmTwice: [0, 0, 0.2],
  alarmLost: [0, 0, 0.02],
  clockJumps: [0, 0, 1, 3],
  fullDisks: [0, 0, 1, 2],
  badReceiver: [0, 0.2, 0.6, 0.95],
}

/** Returns the plan of a history without faults of the platform but slow calls. Receivers may fail. */
export function calmPlan({ badReceiver, slowCall }: FaultPlan): FaultPlan {
  return { ...NONE, badReceiver, slowCall }
}

/** Draws the faults of a history. */
export function drawFaults(random: Random): FaultPlan {
  const kinds = Object.keys(NONE) as (keyof FaultPlan)[]
  return Object.fromEntries(kinds.map((kind) => [kind, random.pick(RATES[kind])])) as FaultPlan
}

export type Faults = ReturnType<typeof openFaults>

export function openFaults(plan: FaultPlan, random: Random) {
  const state = { plan, isDiskFull: false }
  const happens = (kind: keyof FaultPlan) => random.chance(state.plan[kind])
  return {
    state,
    happens,
    random,
    /** Ends all faults of the platform. Receivers may stay bad for ever. */
    stop: (badReceiver = 0) => {
      state.plan = { ...NONE, badReceiver }
      state.isDiskFull = false
    },
    refusesWrite: () => state.isDiskFull || happens('write'),
    commit: (): 'written' | 'fails_before' | 'fails_after' => {
      if (!happens('commit')) return 'written'
      return random.chance(0.5) ? 'fails_before' : 'fails_after'
    },
    /** Returns how much later than its time an alarm comes (milliseconds). */
    alarmShift: (): number => {
      if (happens('alarmEarly')) return -random.between(1, 5_000)
      if (happens('alarmLate')) return random.between(1, 120_000)
      return 0
    },
    callDelay: (): number => {
      if (happens('slowCall')) return random.between(100, 60_000)
      return random.chance(0.1) ? random.between(1, 50) : 0
    },
  }
}
