// Events of one relying party on one day, in the order of arrival (api/events). No event is lost while the
// webhook is unavailable. The personal members of an event are stored in its session only. They can be read
// while the session exists.

import { CLOCK_SKEW_MS, endOfDay } from './event-days.ts'
import { packEvent, unpackEvent } from './stored-event.ts'

/** An event to be stored. Times are Unix milliseconds. */
export type LogEntry = {
  readonly day: number
  readonly event_id: string
  readonly verification_id: string
  /** Time of creation. An event cannot arrive before this time. */
  readonly created_at: number
  /** True for the first attempt to store the event on this day. */
  readonly first: boolean
  /** Time at which the session and its personal members are erased. */
  readonly session_until: number
  /** The event as JSON, without personal members. */
  readonly body: string
}

/** `closed`: the day is over and does not have this event. The event can no longer be added to this day. */
export type AppendResult = 'recorded' | 'closed'

/** An event with its position in the day, from 1. */
export type RecordedEvent = Omit<LogEntry, 'day' | 'created_at' | 'first'> & { readonly position: number }

/** `parts`: number of further rows with members of the event; absent if `body` is the whole event. */
type StoredEvent = Omit<LogEntry, 'first'> & { readonly arrived_at: number; readonly parts?: number }

const PREFIX = 'event/'
/** Prefix of the rows with members that do not fit into the row of their event. */
const PART_PREFIX = 'part/'
/**
 * Prefix of the rows that store the position of an event under its id. An event that arrives within
 * `PROMPT_MS` (a prompt event) has no such row, because it is found by its time. All other events have this
 * row. They arrived late, or their arrival time is before their creation, because a clock was set back.
 */
const LATE_PREFIX = 'late/'
/**
 * Longest delay of a prompt event after its creation. A session waits 25 s or more before it sends an event
 * again. So an event that is sent again is not prompt.
 */
const PROMPT_MS = 15_000
/** Limit of event ids in memory. */
const RECENT_EVENTS = 10_000
/**
 * Age up to which a restarted object reads stored events into memory. A session that could not send an event
 * to the log usually sends it again within this time.
 */
const RECENT_MS = 60_000

export class DayEvents {
  readonly #kv: SyncKvStorage
  #last = 0
  /** Arrival time of the last event. Arrival times never decrease, even if the clock is set back. */
  #lastArrival = 0
  /**
   * Arrival times of the latest events by event id, oldest first. `undefined` until an event arrives that the
   * log may already have.
   */
  #recent: Map<string, number> | undefined
  /** `#recent` has every event that arrived after this time. */
  #recentSince = 0

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
    const options = { prefix: PREFIX, reverse: true, limit: 1 }
    for (const [key, { arrived_at }] of kv.list<StoredEvent>(options)) {
      this.#last = parsePosition(key)
      this.#lastArrival = arrived_at
    }
  }

  /** Returns the day of the first event; `undefined` before the first event. */
  day(): number | undefined {
    const [first] = this.#kv.list<StoredEvent>({ prefix: PREFIX, limit: 1 })
    return first?.[1].day
  }

  /** Stores an event once, however often the event is sent. */
  append(entry: LogEntry): AppendResult {
    const { first, ...event } = entry
    const now = Date.now()
    const arrived_at = Math.max(now, this.#lastArrival)
    const delay = arrived_at - event.created_at
    const prompt = delay >= -CLOCK_SKEW_MS && delay <= PROMPT_MS
    const isNew = first && prompt
    if (!isNew && this.#holds(event)) return 'recorded'
    if (now >= endOfDay(event.day)) return 'closed'
    this.#store(this.#last + 1, { ...event, arrived_at })
    this.#last += 1
    this.#lastArrival = arrived_at
    this.#remember(event.event_id, arrived_at)
    if (!prompt) this.#kv.put(LATE_PREFIX + event.event_id, this.#last)
    return 'recorded'
  }

  /**
   * Returns at most `limit` events after a position. `more`: more events follow. `closed`: no event will be
   * added to this day.
   */
  read(day: number, after: number, limit: number) {
    const options = { prefix: PREFIX, startAfter: toKey(after), limit: limit + 1 }
    const entries = [...this.#kv.list<StoredEvent>(options)]
    const events = entries.slice(0, limit).map(([key, stored]) => {
      const { event_id, verification_id, session_until } = stored
      const position = parsePosition(key)
      return { position, event_id, verification_id, session_until, body: this.#bodyOf(position, stored) }
    })
    // `append` rejects events from the end of the day on. `closed` becomes true only `CLOCK_SKEW_MS` later,
    // because the object may move to a machine with a slower clock. A closed day must get no more events.
    const closed = Date.now() >= endOfDay(day) + CLOCK_SKEW_MS
    return { events, more: entries.length > limit, closed }
  }

  /** Returns the position of the last event; 0 before the first. */
  end(): number {
    return this.#last
  }

  /** Stores an event at a position. The platform makes all rows one atomic write. */
  #store(position: number, event: StoredEvent): void {
    const { body, parts } = packEvent(event.body)
    for (const [i, part] of parts?.entries() ?? []) this.#kv.put(partKey(position, i), part)
    this.#kv.put<StoredEvent>(toKey(position), { ...event, body, ...(parts && { parts: parts.length }) })
  }

  #bodyOf(position: number, { body, parts }: StoredEvent): string {
    if (parts === undefined) return body
    const rows = this.#kv.list<Uint8Array>({ prefix: partKey(position) })
    return unpackEvent({ body, parts: [...rows].map(([, part]) => part) })
  }

  /** Returns true if the event is stored. Finds recent and late events by id, and prompt events by time. */
  #holds({ event_id, created_at }: Pick<LogEntry, 'event_id' | 'created_at'>): boolean {
    const kv = this.#kv
    this.#recent ??= this.#readRecent()
    if (this.#recent.has(event_id) || kv.get(LATE_PREFIX + event_id) !== undefined) return true
    // If the event was created after `#recentSince`, a stored copy would be in `#recent`. The margin is for
    // clocks that differ.
    if (created_at - 2 * CLOCK_SKEW_MS > this.#recentSince) return false
    const startAfter = toKey(this.#lastBefore(created_at - CLOCK_SKEW_MS))
    for (const [, stored] of kv.list<StoredEvent>({ prefix: PREFIX, startAfter })) {
      if (stored.event_id === event_id) return true
      if (stored.arrived_at > created_at + PROMPT_MS + CLOCK_SKEW_MS) return false
    }
    return false
  }

  #readRecent(): Map<string, number> {
    const arrivals: [string, number][] = []
    const options = { prefix: PREFIX, reverse: true, limit: RECENT_EVENTS }
    for (const [, { event_id, arrived_at }] of this.#kv.list<StoredEvent>(options)) {
      arrivals.push([event_id, arrived_at])
      if (arrived_at < Date.now() - RECENT_MS) break
    }
    this.#recentSince = arrivals.length < this.#last ? (arrivals.at(-1)?.[1] ?? 0) : 0
    return new Map(arrivals.reverse())
  }

  #remember(eventId: string, arrivedAt: number): void {
    this.#recent?.set(eventId, arrivedAt)
    const [oldest] = this.#recent ?? []
    if (oldest === undefined || (this.#recent?.size ?? 0) <= RECENT_EVENTS) return
    this.#recent?.delete(oldest[0])
    this.#recentSince = oldest[1]
  }

  /**
   * Returns a position up to which every event arrived before `time`; 0 if there is no such position.
   * `CLOCK_SKEW_MS` is subtracted, because an earlier version stored arrival times of several clocks, which
   * may differ.
   */
  #lastBefore(time: number): number {
    let [before, after] = [0, this.#last + 1]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      const arrivedAt = this.#kv.get<StoredEvent>(toKey(middle))?.arrived_at ?? 0
      if (arrivedAt < time - CLOCK_SKEW_MS) before = middle
      else after = middle
    }
    return before
  }
}

/** Returns the key of a position. Keys sort in the order of their positions. */
function toKey(position: number): string {
  return PREFIX + String(position).padStart(10, '0')
}

/** Returns the key of a part of an event. Without `number`, returns the prefix of all parts of the event. */
function partKey(position: number, number?: number): string {
  const prefix = `${PART_PREFIX}${String(position).padStart(10, '0')}/`
  return number === undefined ? prefix : prefix + String(number).padStart(4, '0')
}

function parsePosition(key: string): number {
  return Number(key.slice(PREFIX.length))
}
