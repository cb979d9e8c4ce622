// Verifications of one relying party that were created on one day, newest first (api/lists), and their
// counters for each hour. A session sends the same entry again until the entry is confirmed, so only a later
// revision replaces an entry. An expired day is erased as a whole. The list of a day is in the object of the
// day's event log, whose class extends this class. Objects of this class itself have lists of an earlier
// build, or the counters of days whose entries are erased.

import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../../config.ts'
import { type Env, withJurisdiction } from '../../env.ts'
import { relyingPartyStub } from '../document/identifier.ts'
import { sessionStub } from '../document/session-stub.ts'
import { CLOCK_SKEW_MS, endOfDay } from '../events/event-days.ts'
import type { HourCounts } from './counters.ts'
import { DayCounters } from './day-counters.ts'
import { EntryCheck, type KeyedEntry } from './entry-check.ts'
import { matches, matchesOpened, needsMetadata } from './entry-filter.ts'
import { oldIndexStub, uncountedAt, unlistedAt } from './index-days.ts'
import type { IndexEntry } from './index-entry.ts'
import { isPlaced, ListedIds, type MaskedId } from './listed-ids.ts'
import { METADATA_ROUND_MS, MetadataErasure, NEXT_BATCH_MS } from './metadata-erasure.ts'
import { SealedMetadata } from './sealed-metadata.ts'
import {
  type Day,
  type DayPage,
  type DayQuery,
  decodePosition,
  type EntryPosition,
  type IndexPut,
  isRemoved,
  PREFIX,
  type Stored,
  type StoredEntry,
  toKey,
} from './stored-entry.ts'
import { reserveAlarm } from './turns.ts'

const COUNTS = 'counts'
const DAY = 'day'
/** Delay of the check of entries after the object is opened. */
const CHECK_AFTER_MS = 5_000

export class VerificationIndex extends DurableObject<Env> {
  #counters: DayCounters | undefined
  #ids: ListedIds | undefined
  readonly #erasure = new MetadataErasure(this.ctx.storage.kv)
  #day: number | undefined
  /** True if an earlier build has begun the list of this day in a separate object. */
  #isElsewhere = false
  /** True in a class in which the list of a day may be in an object of an earlier build. */
  protected readonly mayBeElsewhere: boolean = false
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
      await this.loadAlarm(endOfDay(day))
      this.#planCheck(day)
    })
  }

  /**
   * Reads the time of the alarm, and sets an alarm if there is none. The platform drops an alarm that failed
   * too often. A day always has an alarm, so that the day is erased in the end.
   */
  protected async loadAlarm(at: number): Promise<void> {
    this.#alarm = await this.ctx.storage.getAlarm()
    this.keepAlarm(at)
  }

  /** Sets the alarm if none is set. */
  protected keepAlarm(at: number): void {
    if (this.#alarm === null) this.#setAlarm(at)
  }

  /** Returns true if the day has a list in this object. */
  protected hasList(): boolean {
    return this.#day !== undefined
  }

  /**
   * Stores an entry, unless the same or a later revision is stored. Returns false for a deleted relying
   * party. The callback `also` can add writes to the same atomic write. It is not called if no entry is
   * written.
   */
  async put(sent: IndexPut, also = () => {}): Promise<boolean> {
    const { mark, entry, ...of } = sent
    const { metadata, ...listed } = entry
    if (Date.now() >= unlistedAt(of.day)) return true // all entries of the day are erased
    const opened = await this.#open(of)
    if (opened === 'old') return oldIndexStub(this.env, of.relyingPartyId, of.day).put(sent)
    if (opened === 'deleted') return false
    const key = toKey({ created_at: listed.created_at, mark })
    const sealed_metadata = await this.#metadata.seal(metadata, key)
    const { kv } = this.ctx.storage
    const isErased = this.#day === undefined || kv.get(COUNTS) !== undefined
    if (isErased || Date.now() >= unlistedAt(of.day)) return true // the entries were erased meanwhile
    const before = kv.get<Stored>(key)
    if (before !== undefined && (isRemoved(before) || before.revision >= listed.revision)) return true
    const { created_at, verification_id } = listed
    const maskedId = before && isPlaced(before) ? before : this.#idsOfDay().add(verification_id, created_at)
    const masked = { verification_id: maskedId.verification_id, id_place: maskedId.id_place }
    const stored: StoredEntry = { ...listed, ...masked, sealed_metadata }
    also()
    kv.put<Stored>(key, stored)
    this.#counted().replace(key, before, stored, Date.now())
    const erasureAt = this.#erasure.plan(stored) ?? Infinity
    if (erasureAt < (this.#alarm ?? Infinity)) this.#setAlarm(erasureAt)
    return true
  }

  /**
   * Removes the entry of a verification that was erased on request. The counts of the entry stay, without the
   * verification's id. A later `put` of the entry changes nothing.
   */
  async remove(at: EntryPosition & Day): Promise<void> {
    if (Date.now() >= unlistedAt(at.day)) return
    const opened = await this.#open(at)
    if (opened === 'old') await oldIndexStub(this.env, at.relyingPartyId, at.day).remove(at)
    if (opened === 'added') this.#removeRow(toKey(at))
  }

  #removeRow(key: string): void {
    const { kv } = this.ctx.storage
    const before = this.#readable(key)
    if (kv.get(COUNTS) !== undefined || (before && isRemoved(before))) return
    if (before === null) this.#keepIdsBeside(key)
    if (before && isPlaced(before)) this.#idsOfDay().remove(before)
    const counted = before ? { ...before, verification_id: '', sealed_metadata: null } : null
    kv.put<Stored>(key, { removed: true, counted })
  }

  /** Erases the id of an entry that cannot be read. Does nothing if other entries cannot be read, either. */
  #keepIdsBeside(key: string): void {
    const kept: MaskedId[] = []
    try {
      for (const part of [{ end: key }, { startAfter: key }])
        for (const [, stored] of this.ctx.storage.kv.list<Stored>({ prefix: PREFIX, ...part }))
          if (!isRemoved(stored) && isPlaced(stored))
            kept.push({ verification_id: stored.verification_id, id_place: stored.id_place })
    } catch {
      return
    }
    this.#idsOfDay().keepOnly(kept)
  }

  /** Returns entries before a position, newest first. `before` null: starts at the newest entry. */
  async page(before: EntryPosition | null, { limit, scan, filter, now }: DayQuery): Promise<DayPage> {
    const most = needsMetadata(filter) ? scan : limit
    const { rows, ...page } = this.#scan(before, { limit: most, scan, filter, now })
    const found: (EntryPosition & { entry: IndexEntry })[] = []
    for (const [key, stored] of rows) {
      const last = found.at(-1)
      if (found.length === limit && last !== undefined) return { ...page, found, last, more: true }
      const metadata = await this.#metadata.open(stored, key, now)
      const { sealed_metadata: _, id_place: __, ...listed } = stored
      const entry = { ...listed, metadata }
      if (matchesOpened(entry, filter)) found.push({ ...decodePosition(key), entry })
    }
    return { ...page, found }
  }

  /**
   * Reads the rows of entries that match the filter, with their ids. Does not compare their metadata. There
   * is no `await` here, because another call could then erase bytes that are needed to decode an id.
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
   * Returns the counters of this day's verifications. Some hours may be after the day, because a verification
   * may end on the next day. Returns null if more entries must be read. The next call continues to read.
   */
  async counts(): Promise<readonly HourCounts[] | null> {
    return this.#day === undefined ? this.#countsStub().storedCounts() : this.#computeCounts()
  }

  /**
   * Stores the counters of a day before its entries are erased. The entries are in another object, and its
   * `deleteAll` erases everything there. If that object wrote its counters again afterwards, a crash in
   * between would lose them.
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

  /** Erases due `metadata`, and checks entries. Later alarms erase all entries, and then the counters. */
  override async alarm(): Promise<void> {
    this.#alarm = null
    const day = this.#day
    const now = Date.now()
    if (day === undefined) return
    if (now >= uncountedAt(day)) return this.erase()
    if (now >= unlistedAt(day)) return this.#keepCounts(day)
    this.#setAlarm(now + METADATA_ROUND_MS) // set first: the platform drops an alarm that throws too often
    const next = this.#erasure.run(now) // before steps that fail at a damaged row
    this.#counted().settle(now)
    const check = await this.#check.run(now, (entry) => this.#checkEntry(entry))
    this.#setAlarm(Math.min(check ?? Infinity, next ?? Infinity, unlistedAt(day)))
  }

  /**
   * Adds the day to the relying party's days with lists, before its first entry. Returns `old` if the list is
   * in an object of an earlier build, or if it may be there because the relying party is deleted.
   */
  async #open({ relyingPartyId, day }: Day): Promise<'added' | 'old' | 'deleted'> {
    if (this.#day !== undefined) return 'added'
    if (this.#isElsewhere) return 'old'
    const added = (await relyingPartyStub(this.env, relyingPartyId)?.addListDay(day)) ?? 'deleted'
    if (added === 'deleted') return this.mayBeElsewhere ? 'old' : added
    this.#isElsewhere = added === 'old' && this.mayBeElsewhere
    if (this.#isElsewhere) return 'old'
    if (this.#day === undefined) {
      this.ctx.storage.kv.put(DAY, day) // first: if it throws, memory and storage still agree
      this.#day = day
      this.#setAlarm(endOfDay(day))
      this.#check.finish() // a new day has no entry of an earlier build
    }
    return 'added'
  }

  /** Returns a row: `undefined` if there is none, null if it is damaged. */
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
   * Lets the session of an entry check the entry. Removes the entry if the session was erased before the end
   * of its retention. Returns false if the session could not be asked.
   */
  async #checkEntry([key, stored]: KeyedEntry): Promise<boolean> {
    try {
      const { sealed_metadata: _, id_place: __, ...entry } = this.#withId(stored)
      const session = sessionStub(this.env, entry.verification_id)
      if (session === undefined || (await session.confirmEntry(entry))) return true
    } catch {
      return false
    }
    // The session is erased. The entry is read again, because the call may have changed it. It stays if the
    // session ended and its retention is over. No session can complete an entry without `ended_at`.
    const row = this.#readable(key)
    const hasEnded = row && !isRemoved(row) && row.ended_at !== null
    if (!hasEnded || Date.now() < row.metadata_until - CLOCK_SKEW_MS) this.#removeRow(key)
    return true
  }

  #newestFirst(before: EntryPosition | null, limit: number): Iterable<[string, Stored]> {
    const end = before === null ? {} : { end: toKey(before) }
    return this.ctx.storage.kv.list<Stored>({ prefix: PREFIX, reverse: true, limit, ...end })
  }

  #withId(stored: StoredEntry): StoredEntry {
    return isPlaced(stored) ? { ...stored, verification_id: this.#idsOfDay().get(stored) } : stored
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
    // The work may throw, and the platform drops an alarm that throws too often. So an alarm is set first.
    this.#setAlarm(Date.now() + METADATA_ROUND_MS)
    if (this.ctx.storage.kv.get(COUNTS) !== undefined) return this.#setAlarm(uncountedAt(day))
    const counts = this.#countsIfReadable()
    if (counts === null) return this.#setAlarm(Date.now() + NEXT_BATCH_MS)
    if (counts !== undefined) await this.#countsStub().storeCounts(day, counts)
    await this.erase()
  }

  /** Returns the counters as `counts` does; `undefined` if a row is damaged. */
  #countsIfReadable(): readonly HourCounts[] | null | undefined {
    try {
      return this.#computeCounts()
    } catch {
      return undefined
    }
  }

  /** Erases all data of this object. */
  protected async erase(): Promise<void> {
    const deleted = this.ctx.storage.deleteAll() // first: if it throws, memory and storage still agree
    this.#day = undefined
    this.#counters = undefined
    this.#ids = undefined
    await deleted
  }
}
