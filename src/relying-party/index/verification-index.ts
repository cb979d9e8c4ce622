// Verifications of one relying party that were created on one day, newest first (api/lists), and their
// counters for each hour. A session sends the same entry again until it is confirmed, so only a later
// revision replaces an entry. An expired day is erased as a whole.

import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../../config.ts'
import { type Env, withJurisdiction } from '../../env.ts'
import { findObject, relyingPartyStub } from '../document/identifier.ts'
import { CLOCK_SKEW_MS, endOfDay } from '../events/event-days.ts'
import type { HourCounts } from './counters.ts'
import { DayCounters } from './day-counters.ts'
import { EntryCheck, type KeyedEntry } from './entry-check.ts'
import { type EntryFilter, matches, matchesMetadata } from './entry-filter.ts'
import { uncountedAt, unlistedAt } from './index-days.ts'
import type { IndexEntry } from './index-entry.ts'
import { ListedIds } from './listed-ids.ts'
import { METADATA_ROUND_MS, MetadataErasure, NEXT_BATCH_MS } from './metadata-erasure.ts'
import { SealedMetadata } from './sealed-metadata.ts'
import {
  decodePosition,
  type EntryPosition,
  isRemoved,
  PREFIX,
  type Stored,
  type StoredEntry,
  toKey,
} from './stored-entry.ts'
import { reserveAlarm } from './turns.ts'

/** A day of a relying party. */
type Day = { readonly relyingPartyId: string; readonly day: number }

/** An entry to be stored. `mark`: digest of the verification's id. `day`: the day of its creation. */
export type IndexPut = Day & { readonly mark: string; readonly entry: IndexEntry }

/**
 * Query of one day. It returns at most `limit` matching entries, and reads at most `scan` entries. `now` is
 * Unix milliseconds.
 */
export type DayQuery = {
  readonly limit: number
  readonly scan: number
  readonly filter: EntryFilter
  readonly now: number
}

/**
 * A page of one day. `scanned`: number of entries that were read. `more`: older entries of this day follow.
 */
export type DayPage = {
  readonly found: readonly (EntryPosition & { readonly entry: IndexEntry })[]
  readonly last: EntryPosition | null
  readonly scanned: number
  readonly more: boolean
}

const COUNTS = 'counts'
const DAY = 'day'
/** Delay of the check of entries after the object is opened. */
const CHECK_AFTER_MS = 5_000

export class VerificationIndex extends DurableObject<Env> {
  #counters: DayCounters | undefined
  #ids: ListedIds | undefined
  readonly #erasure = new MetadataErasure(this.ctx.storage.kv)
  #day: number | undefined
  #alarm: number | null = null
  readonly #metadata: SealedMetadata
  readonly #check: EntryCheck

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    this.#metadata = new SealedMetadata(loadConfig(this.env).serverSecret, String(ctx.id))
    this.#check = new EntryCheck(ctx.storage.kv, loadConfig(this.env).buildId)
    this.#day = ctx.storage.kv.get<number>(DAY)
    const day = this.#day
    if (day === undefined) return
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarm = await ctx.storage.getAlarm()
      // The platform drops an alarm that failed too often. A day always has an alarm, so that it is erased.
      if (this.#alarm === null) this.#setAlarm(endOfDay(day))
      this.#planCheck(day)
    })
  }

  /**
   * Stores an entry, unless the same or a later revision is stored. Returns false for a deleted relying
   * party.
   */
  async put({ mark, entry: { metadata, ...listed }, ...of }: IndexPut): Promise<boolean> {
    if (Date.now() >= unlistedAt(of.day)) return true // all entries of the day are erased
    if (!(await this.#open(of))) return false
    const key = toKey({ created_at: listed.created_at, mark })
    const sealed_metadata = await this.#metadata.seal(metadata, key)
    const { kv } = this.ctx.storage
    const isErased = this.#day === undefined || kv.get(COUNTS) !== undefined
    if (isErased || Date.now() >= unlistedAt(of.day)) return true // the entries were erased meanwhile
    const before = kv.get<Stored>(key)
    if (before !== undefined && (isRemoved(before) || before.revision >= listed.revision)) return true
    const id_place = before?.id_place ?? this.#idsOfDay().add(listed.verification_id)
    const entry: StoredEntry = { ...listed, verification_id: '', sealed_metadata, id_place }
    kv.put<Stored>(key, entry)
    this.#counted().replace(key, before, entry, Date.now())
    const erasureAt = this.#erasure.plan(entry) ?? Infinity
    if (erasureAt < (this.#alarm ?? Infinity)) this.#setAlarm(erasureAt)
    return true
  }

  /**
   * Removes the entry of a verification that was erased on request. The counts of the entry stay, without the
   * verification's id. A later `put` of the entry changes nothing. An earlier build sends no
   * `verification_id`. It is needed if the row of the entry is damaged.
   */
  async remove(at: EntryPosition & Day & { readonly verification_id?: string }): Promise<void> {
    if (Date.now() >= unlistedAt(at.day) || !(await this.#open(at))) return
    this.#removeRow(toKey(at), at.verification_id)
  }

  #removeRow(key: string, verificationId?: string): void {
    const { kv } = this.ctx.storage
    const before = this.#readable(key)
    if (kv.get(COUNTS) !== undefined || (before && isRemoved(before))) return
    if (before === null && verificationId !== undefined) this.#idsOfDay().removeId(verificationId)
    if (before?.id_place !== undefined) this.#idsOfDay().remove(before.id_place)
    const counted = before ? { ...before, verification_id: '', sealed_metadata: null } : null
    kv.put<Stored>(key, { removed: true, counted })
  }

  /** Returns entries before a position, newest first. `before` null: starts at the newest entry. */
  async read(before: EntryPosition | null, { limit, scan, filter, now }: DayQuery): Promise<DayPage> {
    const most = filter.metadata === undefined ? limit : scan
    const { rows, ...page } = this.#scan(before, { limit: most, scan, filter, now })
    const found: (EntryPosition & { entry: IndexEntry })[] = []
    for (const [key, stored] of rows) {
      const last = found.at(-1)
      if (found.length === limit && last !== undefined) return { ...page, found, last, more: true }
      const metadata = await this.#metadata.open(stored, key, now)
      const { sealed_metadata: _, id_place: __, ...listed } = stored
      if (matchesMetadata(metadata, filter))
        found.push({ ...decodePosition(key), entry: { ...listed, metadata } })
    }
    return { ...page, found }
  }

  /**
   * Reads the rows of entries that match the filter, with their ids. Does not compare their metadata. The ids
   * are read at once, because a later call may give their places to other entries.
   */
  #scan(before: EntryPosition | null, { limit, scan, filter }: DayQuery) {
    const { created_after = 0 } = filter
    const rows: [string, StoredEntry][] = []
    let last: EntryPosition | null = null
    let scanned = 0
    for (const [key, stored] of this.#newestFirst(before, scan)) {
      if (rows.length === limit) return { rows, last, scanned: scanned + 1, more: true }
      scanned += 1
      const at = decodePosition(key)
      if (at.created_at < created_after) return { rows, last, scanned, more: false }
      last = at
      if (!isRemoved(stored) && matches(stored, filter)) rows.push([key, this.#withId(stored)])
    }
    return { rows, last, scanned, more: scanned === scan }
  }

  /**
   * Returns the counters of this day's verifications, which may include hours after the day. Returns null if
   * more entries must be read. The next call continues to read.
   */
  async counts(): Promise<readonly HourCounts[] | null> {
    return this.#day === undefined ? this.#countsStub().storedCounts() : this.#computeCounts()
  }

  /**
   * Stores the counters of a day whose entries are erased. They have an object of their own, so that
   * `deleteAll` can erase the entries: a write after `deleteAll` is lost if the process ends in between.
   */
  storeCounts(day: number, counts: readonly HourCounts[]): void {
    const { kv } = this.ctx.storage
    kv.put(DAY, day)
    kv.put(COUNTS, counts)
    this.#day = day
    this.#setAlarm(uncountedAt(day))
  }

  /** Returns the counters that `storeCounts` stored. */
  storedCounts(): readonly HourCounts[] {
    return this.ctx.storage.kv.get<readonly HourCounts[]>(COUNTS) ?? []
  }

  #computeCounts(): readonly HourCounts[] | null {
    return this.ctx.storage.kv.get<readonly HourCounts[]>(COUNTS) ?? this.#counted().hours(Date.now())
  }

  #countsStub() {
    return this.env.VERIFICATION_INDEX.getByName(`${this.ctx.id}/counts`)
  }

  /** Erases due `metadata`. Later alarms erase all entries, and finally the whole day. */
  override async alarm(): Promise<void> {
    this.#alarm = null
    const day = this.#day
    const now = Date.now()
    if (day === undefined) return
    if (now >= uncountedAt(day)) return this.#erase()
    if (now >= unlistedAt(day)) return this.#keepCounts(day)
    this.#setAlarm(now + METADATA_ROUND_MS) // set first: the platform drops an alarm that throws too often
    const next = this.#erasure.run(now) // before steps that fail at a damaged row
    this.#counted().settle(now)
    const check = await this.#check.run(now, (entry) => this.#checkEntry(entry))
    this.#setAlarm(Math.min(check ?? Infinity, next ?? Infinity, unlistedAt(day)))
  }

  /**
   * Adds the day to the relying party's index days, before its first entry. Returns false for a deleted
   * relying party.
   */
  async #open({ relyingPartyId, day }: Day): Promise<boolean> {
    if (this.#day !== undefined) return true
    if (!(await relyingPartyStub(this.env, relyingPartyId)?.addIndexDay(day))) return false
    if (this.#day === undefined) {
      this.ctx.storage.kv.put(DAY, day) // first: if it throws, memory and storage still agree
      this.#day = day
      this.#setAlarm(endOfDay(day))
      this.#check.finish() // a new day has no entry of an earlier build
    }
    return true
  }

  /** Returns a row; null for a row that is damaged. A removal then replaces the row. */
  #readable(key: string): Stored | undefined | null {
    try {
      return this.ctx.storage.kv.get<Stored>(key)
    } catch {
      return null
    }
  }

  /** Opens the object. Its constructor plans the check of the entries after a change of build. */
  open(): void {}

  /** Sets the alarm for the check of all entries, if this build has not made the check. */
  #planCheck(day: number): void {
    if (!this.#check.isDue()) return
    const current = Math.min(this.#alarm ?? Infinity, unlistedAt(day))
    const at = reserveAlarm(Date.now() + CHECK_AFTER_MS, current)
    if (at < current) this.#setAlarm(at)
  }

  /**
   * Asks the session of an entry. Removes the entry if the session was deleted. Returns false if the session
   * could not be asked.
   */
  async #checkEntry([key, stored]: KeyedEntry): Promise<boolean> {
    const { metadata_until, ended_at } = stored
    try {
      const { sealed_metadata: _, id_place: __, ...entry } = this.#withId(stored)
      const session = findObject(this.env.VERIFICATION_SESSION, 'v_', entry.verification_id)
      if (session === undefined || (await session.confirmEntry(entry))) return true
    } catch {
      return false
    }
    // If the session was erased at the end of its retention, its entry stays, unless the entry has no end.
    const isErasedByTime = Date.now() >= metadata_until - CLOCK_SKEW_MS
    if (!isErasedByTime || ended_at === null) this.#removeRow(key)
    return true
  }

  #newestFirst(before: EntryPosition | null, limit: number): Iterable<[string, Stored]> {
    const end = before === null ? {} : { end: toKey(before) }
    return this.ctx.storage.kv.list<Stored>({ prefix: PREFIX, reverse: true, limit, ...end })
  }

  #withId(stored: StoredEntry): StoredEntry {
    const { id_place } = stored
    return id_place === undefined ? stored : { ...stored, verification_id: this.#idsOfDay().get(id_place) }
  }

  #idsOfDay(): ListedIds {
    this.#ids ??= new ListedIds(this.ctx.storage.kv)
    return this.#ids
  }

  #counted(): DayCounters {
    this.#counters ??= new DayCounters(this.ctx.storage.kv)
    return this.#counters
  }

  #setAlarm(at: number): void {
    this.#alarm = at
    void this.ctx.storage.setAlarm(at)
  }

  /** Moves the counters to their own object, then erases the entries. A damaged day has no counters. */
  async #keepCounts(day: number): Promise<void> {
    // Set first: the platform drops an alarm that throws too often.
    this.#setAlarm(Date.now() + METADATA_ROUND_MS)
    if (this.ctx.storage.kv.get(COUNTS) !== undefined) return this.#setAlarm(uncountedAt(day))
    const counts = this.#countsIfReadable()
    if (counts === null) return this.#setAlarm(Date.now() + NEXT_BATCH_MS)
    if (counts !== undefined) await this.#countsStub().storeCounts(day, counts)
    await this.#erase()
  }

  /** Returns the counters as `counts` does; `undefined` if a row is damaged. */
  #countsIfReadable(): readonly HourCounts[] | null | undefined {
    try {
      return this.#computeCounts()
    } catch {
      return undefined
    }
  }

  async #erase(): Promise<void> {
    const deleted = this.ctx.storage.deleteAll() // first: if it throws, memory and storage still agree
    this.#day = undefined
    this.#counters = undefined
    this.#ids = undefined
    await deleted
  }
}
