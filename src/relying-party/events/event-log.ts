// One day of a relying party's events, in the order in which they arrived (CONTRACT 7): what an outage of the receiver cannot
// lose. It holds no member that may carry personal data; those stay with the session and are read there while it lives.

import { DurableObject } from 'cloudflare:workers'
import { type Env, withJurisdiction } from '../../env.ts'
import { CLOCK_SKEW_MS, endOfDay, forgottenAt } from './event-days.ts'

/** An event to be recorded. Times are Unix milliseconds. */
export type LogEntry = {
  readonly day: number
  readonly event_id: string
  readonly verification_id: string
  /** When the event came to be: it cannot have arrived before. */
  readonly created_at: number
  /** It was never sent to this day before. */
  readonly first: boolean
  /** Its session is erased by then, and with it the members that only the session has. */
  readonly session_until: number
  /** The event as JSON, without those members. */
  readonly body: string
}

/** `closed`: the day is over and the event is not in it, nor ever will be. */
export type Recording = 'recorded' | 'closed'

/** An event with its place in the day, from 1. */
export type RecordedEvent = Omit<LogEntry, 'day' | 'created_at' | 'first'> & { readonly position: number }

export type LogPage = {
  readonly events: readonly RecordedEvent[]
  /** There are more behind these. */
  readonly more: boolean
  /** No event will enter this day any more. */
  readonly closed: boolean
}

type Stored = Omit<LogEntry, 'first'> & { readonly arrived_at: number }

const PREFIX = 'event/'
/** By event id: one that came late, which cannot be looked for by its time. One that came promptly costs no second row. */
const LATE_PREFIX = 'late/'
/** An event is prompt where it comes within this of its beginning: well before its session sends it a second time (30 s). */
const PROMPT_MS = 15_000

export class EventLog extends DurableObject<Env> {
  #last = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
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
    const { first, ...event } = entry
    const now = Date.now()
    const prompt = now - event.created_at <= PROMPT_MS
    const isNew = first && prompt
    if (!isNew && this.#holds(event)) return 'recorded'
    if (now >= endOfDay(event.day)) return 'closed'
    const { kv } = this.ctx.storage
    kv.put<Stored>(keyOf(this.#last + 1), { ...event, arrived_at: now })
    this.#last += 1
    if (!prompt) kv.put(LATE_PREFIX + event.event_id, this.#last)
    if (this.#last === 1) void this.ctx.storage.setAlarm(forgottenAt(event.day))
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
    await this.ctx.storage.deleteAll()
  }

  /** Looked for by its id among those that came late, and by its time among those that came promptly. */
  #holds({ event_id, created_at }: Pick<LogEntry, 'event_id' | 'created_at'>): boolean {
    const { kv } = this.ctx.storage
    if (kv.get(LATE_PREFIX + event_id) !== undefined) return true
    const startAfter = keyOf(this.#lastBefore(created_at - CLOCK_SKEW_MS))
    for (const [, stored] of kv.list<Stored>({ prefix: PREFIX, startAfter })) {
      if (stored.event_id === event_id) return true
      if (stored.arrived_at > created_at + PROMPT_MS + CLOCK_SKEW_MS) return false
    }
    return false
  }

  /**
   * A position up to which everything came before `time`; 0 where there is none. Should this object have moved between machines,
   * arrivals are in order up to the difference of their clocks.
   */
  #lastBefore(time: number): number {
    let [before, after] = [0, this.#last + 1]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      const arrivedAt = this.ctx.storage.kv.get<Stored>(keyOf(middle))?.arrived_at ?? 0
      if (arrivedAt < time - CLOCK_SKEW_MS) before = middle
      else after = middle
    }
    return before
  }
}

/** Keys sort as their positions do. */
function keyOf(position: number): string {
  return PREFIX + String(position).padStart(10, '0')
}

function positionOf(key: string): number {
  return Number(key.slice(PREFIX.length))
}
