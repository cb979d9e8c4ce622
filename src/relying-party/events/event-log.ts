// Events of one relying party on one day, in the order of arrival (api/events). An outage of the receiver
// loses none of them. Members with personal data stay in the session, and are read there while it exists.

import { DurableObject } from 'cloudflare:workers'
import { type Env, withJurisdiction } from '../../env.ts'
import { CLOCK_SKEW_MS, endOfDay, forgottenAt } from './event-days.ts'

/** An event to be stored. Times are Unix milliseconds. */
export type LogEntry = {
  readonly day: number
  readonly event_id: string
  readonly verification_id: string
  /** Creation of the event. It cannot have arrived before. */
  readonly created_at: number
  /** True for the first attempt to store it on this day. */
  readonly first: boolean
  /** Time at which the session and its personal members are erased. */
  readonly session_until: number
  /** The event as JSON, without personal members. */
  readonly body: string
}

/** `closed`: the day is over without this event, which cannot be added any more. */
export type AppendResult = 'recorded' | 'closed'

/** An event with its position in the day, from 1. */
export type RecordedEvent = Omit<LogEntry, 'day' | 'created_at' | 'first'> & { readonly position: number }

type StoredEvent = Omit<LogEntry, 'first'> & { readonly arrived_at: number }

const PREFIX = 'event/'
/**
 * Positions by event id of events that arrived late, or before their creation by a clock that was set back. A
 * prompt event is found by its time, and needs no second row.
 */
const LATE_PREFIX = 'late/'
/** An event is prompt within this time of its creation: well before its session sends it again (25 s). */
const PROMPT_MS = 15_000
/** Events whose ids are in memory. */
const RECENT_EVENTS = 10_000
/**
 * Age of the events that a restarted object reads back. A session repeats its first call within this time.
 */
const RECENT_MS = 60_000

export class EventLog extends DurableObject<Env> {
  #last = 0
  /** Arrival of the last event. Arrivals never go back, even if the clock does. */
  #lastArrival = 0
  /**
   * Arrivals of the last events by id, oldest first. Undefined until the first event that may be a
   * repetition.
   */
  #recent: Map<string, number> | undefined
  /** Time after which every arrived event is in `#recent`. */
  #recentSince = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    for (const [key, { day, arrived_at }] of ctx.storage.kv.list<StoredEvent>({
      prefix: PREFIX,
      reverse: true,
      limit: 1,
    })) {
      this.#last = parsePosition(key)
      this.#lastArrival = arrived_at
      void ctx.blockConcurrencyWhile(async () => {
        // The platform drops an alarm that failed too often. A log always has an alarm, so that it is erased.
        if ((await ctx.storage.getAlarm()) === null) await ctx.storage.setAlarm(forgottenAt(day))
      })
    }
  }

  /** Stores an event once, however often it is sent. */
  append(entry: LogEntry): AppendResult {
    const { first, ...event } = entry
    const now = Date.now()
    const arrived_at = Math.max(now, this.#lastArrival)
    const delay = arrived_at - event.created_at
    const prompt = delay >= -CLOCK_SKEW_MS && delay <= PROMPT_MS
    const isNew = first && prompt
    if (!isNew && this.#holds(event)) return 'recorded'
    if (now >= endOfDay(event.day)) return 'closed'
    const { kv } = this.ctx.storage
    kv.put<StoredEvent>(toKey(this.#last + 1), { ...event, arrived_at })
    this.#last += 1
    this.#lastArrival = arrived_at
    this.#remember(event.event_id, arrived_at)
    if (!prompt) kv.put(LATE_PREFIX + event.event_id, this.#last)
    if (this.#last === 1) void this.ctx.storage.setAlarm(forgottenAt(event.day))
    return 'recorded'
  }

  /**
   * Returns at most `limit` events after a position. `more`: more events follow. `closed`: no event will be
   * added to this day.
   */
  read(day: number, after: number, limit: number) {
    const options = { prefix: PREFIX, startAfter: toKey(after), limit: limit + 1 }
    const found = [...this.ctx.storage.kv.list<StoredEvent>(options)]
    const events = found.slice(0, limit).map(([key, stored]) => {
      const { event_id, verification_id, session_until, body } = stored
      return { position: parsePosition(key), event_id, verification_id, session_until, body }
    })
    // `append` rejects at the end of the day, and `closed` follows later. An object that moves to a machine
    // with a slower clock must not add to a day that was reported as closed.
    const closed = Date.now() >= endOfDay(day) + CLOCK_SKEW_MS
    return { events, more: found.length > limit, closed }
  }

  /** Returns the position of the last event; 0 before the first. */
  end(): number {
    return this.#last
  }

  /**
   * Erases the day when its time is over. An alarm that comes early, such as an alarm of a repaired index,
   * only sets the next alarm.
   */
  override async alarm(): Promise<void> {
    const [first] = this.ctx.storage.kv.list<StoredEvent>({ prefix: PREFIX, limit: 1 })
    const until = first === undefined ? 0 : forgottenAt(first[1].day)
    if (Date.now() < until) return this.ctx.storage.setAlarm(until)
    this.#last = 0
    this.#lastArrival = 0
    this.#recent = undefined
    await this.ctx.storage.deleteAll()
  }

  /** Finds a recent or late event by its id, and a prompt one by its time. */
  #holds({ event_id, created_at }: Pick<LogEntry, 'event_id' | 'created_at'>): boolean {
    const { kv } = this.ctx.storage
    this.#recent ??= this.#readRecent()
    if (this.#recent.has(event_id) || kv.get(LATE_PREFIX + event_id) !== undefined) return true
    // Events older than this arrived late, even allowing for the clock of an older version.
    if (created_at - 2 * CLOCK_SKEW_MS > this.#recentSince) return false
    const startAfter = toKey(this.#lastBefore(created_at - CLOCK_SKEW_MS))
    for (const [, stored] of kv.list<StoredEvent>({ prefix: PREFIX, startAfter })) {
      if (stored.event_id === event_id) return true
      if (stored.arrived_at > created_at + PROMPT_MS + CLOCK_SKEW_MS) return false
    }
    return false
  }

  #readRecent(): Map<string, number> {
    const found: [string, number][] = []
    const options = { prefix: PREFIX, reverse: true, limit: RECENT_EVENTS }
    for (const [, { event_id, arrived_at }] of this.ctx.storage.kv.list<StoredEvent>(options)) {
      found.push([event_id, arrived_at])
      if (arrived_at < Date.now() - RECENT_MS) break
    }
    this.#recentSince = found.length < this.#last ? (found.at(-1)?.[1] ?? 0) : 0
    return new Map(found.reverse())
  }

  #remember(eventId: string, arrivedAt: number): void {
    this.#recent?.set(eventId, arrivedAt)
    const [oldest] = this.#recent ?? []
    if (oldest === undefined || (this.#recent?.size ?? 0) <= RECENT_EVENTS) return
    this.#recent?.delete(oldest[0])
    this.#recentSince = oldest[1]
  }

  /**
   * Returns a position up to which every event arrived before `time`, else 0. An earlier version stored
   * arrivals in the order of clocks that may differ.
   */
  #lastBefore(time: number): number {
    let [before, after] = [0, this.#last + 1]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      const arrivedAt = this.ctx.storage.kv.get<StoredEvent>(toKey(middle))?.arrived_at ?? 0
      if (arrivedAt < time - CLOCK_SKEW_MS) before = middle
      else after = middle
    }
    return before
  }
}

/** Keys sort as their positions do. */
function toKey(position: number): string {
  return PREFIX + String(position).padStart(10, '0')
}

function parsePosition(key: string): number {
  return Number(key.slice(PREFIX.length))
}
