// Ledger of one history: what was durable, what callers were sent, and what receivers got. Properties watch
// it. The first broken property ends the history.

import type { HourCounts } from '../../src/relying-party/index/counters.ts'
import type { SessionCounts } from '../../src/relying-party/session-counts.ts'
import type { SessionDocument, Tombstone } from '../../src/session/document/document.ts'
import type { SlotRow } from './form.ts'
import type { SimulatedObject } from './platform/objects.ts'
import type { Post } from './receiver.ts'
import type { Party, Session } from './world.ts'

/** The durable value of a session's object. */
export type Stored = SessionDocument | Tombstone | undefined

/** A call of an actor, when it is over. `lost`: the actor got no answer. */
export type Call = {
  readonly session: Session
  readonly method: string
  readonly parameters: readonly unknown[]
  readonly step: number
  /** Wall clock when the call began. */
  readonly began: number
  /** False if the clock was set back meanwhile. */
  readonly isClockSteady: boolean
  /** The durable value when the call began. */
  readonly before: Stored
  readonly answer: { readonly lost: true } | { readonly lost: false; readonly value: unknown }
}

/** A call of an actor to the object of a relying party, when it is over. */
export type PartyCall = Pick<Call, 'method' | 'parameters' | 'began' | 'answer'> & { readonly party: Party }

export type Watcher = {
  /** A write of a session's document became durable. */
  readonly committed?: (session: Session, before: Stored, after: Stored) => void
  /** The object of a session was lost, or a write of it failed. */
  readonly interrupted?: (session: Session) => void
  /** Any write of another object became durable. */
  readonly objectCommitted?: (object: SimulatedObject, key: string, after: unknown, before: unknown) => void
  /** A write of an object that sessions share became durable. `rows`: all its rows. */
  readonly rowsCommitted?: (object: SimulatedObject, rows: readonly SlotRow[]) => void
  /** A call of an actor begins. */
  readonly asked?: (session: Session, method: string) => void
  readonly called?: (call: Call) => void
  readonly partyAsked?: (party: Party, method: string, parameters: readonly unknown[]) => void
  readonly partyCalled?: (call: PartyCall) => void
  /** An actor has read the counters of one day of a list. Nothing changed that day meanwhile. */
  readonly counted?: (list: SimulatedObject, hours: readonly HourCounts[]) => void
  /** The gauges were read, from step `begunAt` on. */
  readonly gauged?: (counts: readonly SessionCounts[], begunAt: number) => void
  /** The process ended. */
  readonly crashed?: () => void
  /** Faults have stopped. */
  readonly repaired?: () => void
  readonly watched?: (session: Session, text: string) => void
  readonly posted?: (post: Post) => void
  /** Faults have stopped, and the lifetime of every session is over. */
  readonly lifetimesOver?: () => void
  /** Every event had the time of all its attempts. */
  readonly eventsOver?: () => void
  /** Every entry of a list is erased. Counters are not. */
  readonly listsOver?: () => void
  /** Every retention is over. */
  readonly retentionsOver?: () => void
}

export type Facts = {
  readonly sessions: readonly Session[]
  readonly parties: readonly Party[]
  readonly wall: () => number
  /** A time that no clock of this history has passed yet, also before it was set back. */
  readonly latest: () => number
  /** Sum of all jumps of the clock. */
  readonly jumped: () => number
  readonly step: () => number
  readonly durable: (session: Session) => Stored
  /** True if the platform has no faults but slow calls, and no time passes while work waits. */
  readonly isCalm: boolean
  /** True also after faults stop: a slow call may end later. */
  readonly hasSlowCalls: boolean
  /** Days of the lists of all relying parties. */
  readonly indexes: () => readonly SimulatedObject[]
  /** The objects with the ids of sessions that may have evidence. */
  readonly evidenceSessions: () => readonly SimulatedObject[]
  /** Ids of the relying parties in the directory; `undefined` in a history without a directory. */
  readonly directory: () => readonly string[] | undefined
  /** Returns true if the platform has lost an alarm of the object. */
  readonly hasLostAlarm: (object: SimulatedObject) => boolean
  /** Names of the objects that have an alarm. */
  readonly alarms: () => readonly string[]
  /** Reports a broken property. */
  readonly fail: (text: string) => void
}

export type Property = { readonly name: string; readonly watch: (facts: Facts) => Watcher }

export type Violation = { readonly property: string; readonly text: string }

export type Ledger = ReturnType<typeof openLedger>

export function openLedger(properties: readonly Property[], facts: Omit<Facts, 'fail'>) {
  let violation: Violation | undefined
  const report = (property: string) => (text: string) => {
    violation ??= { property, text }
  }
  const watchers = properties.map(({ name, watch }) => watch({ ...facts, fail: report(name) }))
  return {
    violation: () => violation,
    report,
    /** Sends a fact to every property. */
    add: <Name extends keyof Watcher>(
      name: Name,
      ...parameters: Parameters<NonNullable<Watcher[Name]>>
    ): void => {
      for (const watcher of watchers) {
        const watch = watcher[name] as ((...all: typeof parameters) => void) | undefined
        watch?.(...parameters)
      }
    },
  }
}

/** Returns true for a login that no wallet has acted on. It leaves nothing at its expiry. */
export function isUntouchedLogin({
  login,
  status,
  held,
  request_fetched,
  attempt_count,
}: SessionDocument): boolean {
  const isUntouched = status === 'pending' && held === null && !request_fetched && attempt_count === 0
  return login !== undefined && isUntouched
}

/** The session, if it is neither erased nor missing. */
export function documentOf(stored: Stored): SessionDocument | undefined {
  return stored?.erased === false ? stored : undefined
}

/** Returns true if a write ends a pending session. */
export function isEnd(before: Stored, after: Stored): boolean {
  const [old, document] = [documentOf(before), documentOf(after)]
  return old?.status === 'pending' && document !== undefined && document.status !== 'pending'
}
