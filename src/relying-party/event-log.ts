// One day of a relying party's events, in the order in which they arrived (CONTRACT 7): what an outage of the receiver cannot
// lose. It holds no member that may carry personal data; those stay with the session and are read there while it lives.

import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import { CLOCK_SKEW_MS, endOfDay, forgottenAt } from './event-days.ts'

/** An event to be recorded. Times are Unix milliseconds. */
export type LogEntry = {
  readonly day: number
  readonly event_id: string
  readonly verification_id: string
  /** When the event came to be: it cannot have arrived before. */
  readonly created_at: number
  /** Its session is erased by then, and with it the members that only the session has. */
  readonly session_until: number
  /** The event as JSON, without those members. */
  readonly body: string
}

/** `closed`: the day is over and the event is not in it, nor ever will be. */
export type Recording = 'recorded' | 'closed'

/** An event with its place in the day, from 1. */
export type RecordedEvent = Omit<LogEntry, 'day' | 'created_at'> & { readonly position: number }

export type LogPage = {
  readonly events: readonly RecordedEvent[]
  /** There are more behind these. */
  readonly more: boolean
  /** No event will enter this day any more. */
  readonly closed: boolean
}

type Stored = LogEntry & { readonly arrived_at: number }

const PREFIX = 'event/'
/** Ids kept in memory; an id that may be older is looked for in storage. */
const REMEMBERED = 20_000

export class EventLog extends DurableObject<Env> {
  #last = 0
  /** The ids that arrived since `#knownSince`, in order. */
  readonly #recent = new Map<string, number>()
  #knownSince = Date.now()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    for (const [key, { day }] of ctx.storage.kv.list<Stored>({ prefix: PREFIX, reverse: true, limit: 1 })) {
      this.#last = positionOf(key)
      void ctx.blockConcurrencyWhile(async () => {
        // The platform gives up an alarm that failed too often; what must be forgotten is never left without one.
        if ((await ctx.storage.getAlarm()) === null) await ctx.storage.setAlarm(forgottenAt(day))
      })
    }
  }

  /** Records an event once, however often it is sent. */
  append(entry: LogEntry): Recording {
    const now = Date.now()
    if (this.#holds(entry)) return 'recorded'
    if (now >= endOfDay(entry.day)) return 'closed'
    this.#last += 1
    this.ctx.storage.kv.put<Stored>(keyOf(this.#last), { ...entry, arrived_at: now })
    if (this.#last === 1) void this.ctx.storage.setAlarm(forgottenAt(entry.day))
    this.#remember(entry.event_id, now)
    return 'recorded'
  }

  /** At most `limit` events behind a position. */
  read(day: number, after: number, limit: number): LogPage {
    const options = { prefix: PREFIX, startAfter: keyOf(after), limit: limit + 1 }
    const found = [...this.ctx.storage.kv.list<Stored>(options)]
    const events = found.slice(0, limit).map(([key, stored]) => {
      const { event_id, verification_id, session_until, body } = stored
      return { position: positionOf(key), event_id, verification_id, session_until, body }
    })
    // Refused from the day's end on, but called closed a little later: should this object move to a machine whose clock is
    // behind, it still takes nothing into a day that it has called closed.
    const closed = Date.now() >= endOfDay(day) + CLOCK_SKEW_MS
    return { events, more: found.length > limit, closed }
  }

  /** The day's time is up: everything goes. */
  override async alarm(): Promise<void> {
    this.#last = 0
    this.#recent.clear()
    await this.ctx.storage.deleteAll()
  }

  #holds({ event_id, created_at }: LogEntry): boolean {
    if (this.#recent.has(event_id)) return true
    const since = created_at - CLOCK_SKEW_MS
    if (since > this.#knownSince) return false
    for (const [, stored] of this.ctx.storage.kv.list<Stored>({ prefix: PREFIX, reverse: true })) {
      if (stored.arrived_at < since) return false
      if (stored.event_id === event_id) return true
    }
    return false
  }

  #remember(eventId: string, now: number): void {
    this.#recent.set(eventId, now)
    const [oldest] = this.#recent
    if (oldest === undefined || this.#recent.size <= REMEMBERED) return
    this.#recent.delete(oldest[0])
    this.#knownSince = oldest[1]
  }
}

/** Keys sort as their positions do. */
function keyOf(position: number): string {
  return PREFIX + String(position).padStart(10, '0')
}

function positionOf(key: string): number {
  return Number(key.slice(PREFIX.length))
}
