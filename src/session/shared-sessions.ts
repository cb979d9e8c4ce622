// Durable Object that many sessions share. It is used only if the service runs on one machine. Each session
// has a row (store/slot-table.ts). The object has one alarm, at the earliest work of its rows. A session in
// memory is dropped some time after its last call. At most `AT_ONCE` sessions of an object do their due work
// at the same time. alarm/work-limit.ts limits the number in all objects together. A session that waits for a
// webhook receiver, or for a response that is being verified, is not counted.

import { DurableObject } from 'cloudflare:workers'
import { type Env, withJurisdiction } from '../env.ts'
import { parseSharedAddress, type SharedAddress } from '../relying-party/document/session-stub.ts'
import { parseWatchAddress } from './access.ts'
import { beginWork, endWork, isCrowded, isFree, mayBeginWork } from './alarm/work-limit.ts'
import { Session } from './session.ts'
import { logError } from './store/background.ts'
import { overwriteLog } from './store/overwritten-log.ts'
import { openSharedSlot, type SharedSlot } from './store/shared-slot.ts'
import { type SlotRow, SlotTable } from './store/slot-table.ts'
import { VERBS } from './verbs.ts'
import { refuseMessage } from './views/watcher.ts'

/** Limit of sessions whose due work runs at the same time, without those that wait. */
const AT_ONCE = 16
/** Shortest delay before an object looks again whether more work may begin. The longest is twice as long. */
const TURN_MS = 200
/** Delay before work that failed, or that a crash cut off, is repeated. */
const AGAIN_MS = 60_000
/**
 * Time from the last call or write of a session until the session is dropped from memory. All work of the
 * session is over by then. An attempt of a webhook, the longest work, ends within 20 s.
 */
const IDLE_MS = 30_000
/**
 * Longest time that is counted between two calls. The counted time (`#age`), and not the clock, shows how
 * long a session was not used. So a jump of the clock drops no session.
 */
const LONGEST_GAP_MS = 5_000
/**
 * Time from the first erasure until the object overwrites its write-ahead log. If the object is evicted from
 * memory earlier, SQLite removes the log.
 */
const OVERWRITE_AFTER_MS = 3_600_000
/**
 * Step of alarm times. An alarm more than one step in the future is rounded up to a whole step, so that one
 * alarm serves several sessions.
 */
const ALARM_STEP_MS = 1_000

/**
 * A session in memory. `calls`: number of calls that have not ended. `usedAt`: age of the object at the last
 * call or write.
 */
type Open = { readonly session: Session; readonly slot: SharedSlot; calls: number; usedAt: number }

export class SharedSessions extends DurableObject<Env> {
  readonly #table: SlotTable
  /** Sessions in memory by mark (a keyed digest of the session's id), the least recently used first. */
  readonly #open = new Map<string, Open>()
  /** Work that is running, by the row of its session. */
  readonly #running = new Map<number, object>()
  /** Running work that does not wait for a receiver or a response. */
  readonly #busy = new Set<object>()
  /** Rows whose work failed, with the time of the next try. */
  readonly #failed = new Map<number, number>()
  #alarmAt: number | null = null
  /** True while due work waits for its turn. */
  #isWaiting = false
  /** Age of the object without jumps of the clock, and the time at which this age was last updated. */
  #age = 0
  #agedAt = Date.now()
  /**
   * Time of the oldest erasure that the write-ahead log may contain. At the start, the log may contain
   * erasures of an earlier process. Their time is not known, so the start time is used.
   */
  #erasedAt: number | null = Date.now()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    this.#table = new SlotTable(ctx.storage.sql)
    const [first] = this.#table.earliest(1)
    if (first === undefined) return
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = await ctx.storage.getAlarm()
      // The platform drops an alarm that failed too often. Such an alarm is set again here. An alarm that is
      // still set is not written: on a full disk a write would reset the object at each call.
      if (this.#alarmAt === null) this.#setAlarm(first.wakeUp ?? 0)
    })
  }

  /** Calls a method of a session. */
  async call(address: SharedAddress, verb: string, args: readonly unknown[]): Promise<unknown> {
    const name = VERBS.find((known) => known === verb)
    if (name === undefined) throw new TypeError('unknown method')
    // The platform repeats failed alarms late, so the due work starts now.
    if (name === 'resumeAlarm') return this.#startDue()
    return this.#run(this.#take(address), (session) => Reflect.apply(session[name], session, args))
  }

  /** Accepts the WebSocket of a watcher. */
  override async fetch(request: Request): Promise<Response> {
    const by = parseWatchAddress(request.url)
    return this.#run(this.#take(parseSharedAddress(request.url)), (session) => session.watch(by))
  }

  override webSocketMessage(socket: WebSocket): void {
    refuseMessage(socket)
  }

  /** Starts the due work. The handler does not wait for the end of the work. */
  override alarm(): void {
    this.#alarmAt = null
    this.#startDue()
  }

  /**
   * Starts due work, up to the limits. Sets the alarm for the other rows. While work runs or waits for its
   * turn, an alarm is also set for this work. The alarm repeats the work after a crash.
   */
  #startDue(): void {
    const now = Date.now()
    let next = Infinity
    for (const row of this.#table.earliest(this.#running.size + this.#failed.size + AT_ONCE)) {
      const at = Math.max(row.wakeUp ?? Infinity, this.#failed.get(row.place) ?? 0)
      if (this.#running.has(row.place)) continue
      if (at <= now && this.#busy.size < AT_ONCE && mayBeginWork(now)) this.#start(row, now)
      else next = Math.min(next, at)
    }
    const isWorking = this.#running.size > 0
    if (next <= now) {
      this.#waitForTurn() // calls this method again, so the alarm is needed only after a crash
      next = now + AGAIN_MS
    } else if (isWorking) next = Math.min(next, now + AGAIN_MS)
    if (next < Infinity) this.#plan(next)
  }

  /** Starts due work later, when more work may begin. */
  #waitForTurn(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    const wait = async () => {
      do await scheduler.wait(TURN_MS * (1 + Math.random()))
      while (this.#busy.size >= AT_ONCE || !isFree(Date.now()))
      this.#isWaiting = false
      this.#startDue()
    }
    this.ctx.waitUntil(wait())
  }

  /** Starts other due work after a piece of work. If much work runs, other objects have their turn first. */
  #goOn(): void {
    if (isCrowded(Date.now())) this.#waitForTurn()
    else this.#startDue()
  }

  #start(row: SlotRow, now: number): void {
    const work = {}
    beginWork(work, now)
    this.#failed.delete(row.place)
    this.#running.set(row.place, work)
    this.#busy.add(work)
    const onWait = () => {
      endWork(work)
      if (this.#busy.delete(work)) this.#goOn()
    }
    this.ctx.waitUntil(
      this.#work(row, onWait).then(() => {
        for (const [place, running] of this.#running) if (running === work) this.#running.delete(place)
        this.#busy.delete(work)
        endWork(work)
        this.#goOn()
      }),
    )
  }

  /** Does the due work of a row. Never rejects. */
  async #work(row: SlotRow, onWait: () => void): Promise<void> {
    try {
      const open = this.#take({ ...this.#table.read(row.place), row })
      await this.#run(open, (session) => session.alarm(onWait))
      const [now, current, planned] = [Date.now(), open.slot.row(), open.slot.planned()]
      // If the work changed no document, the row is still due. So its time is moved into the future.
      if (current?.wakeUp != null && current.wakeUp <= now)
        open.slot.postpone(Math.max(planned ?? 0, now + ALARM_STEP_MS))
    } catch (error) {
      logError('background_fault', error)
      this.#failed.set(row.place, Date.now() + AGAIN_MS)
    }
  }

  /** Returns a session in memory. Drops other sessions that are no longer used. */
  #take(address: SharedAddress & { readonly row?: SlotRow }): Open {
    this.#dropIdle(Date.now())
    this.#overwriteIfDue(Date.now())
    const { id, mark } = address
    const entry = this.#open.get(mark)
    // A slot that was opened from the row of an erased session has no id. A call has the id, and may create
    // the session again. So the call gets a new slot.
    const isNamed = id === '' || entry?.slot.id === id
    if (!isNamed) entry?.slot.close()
    const open =
      entry && isNamed ? entry : this.#openSession({ id, mark, row: address.row ?? this.#table.find(mark) })
    this.#open.delete(mark)
    this.#open.set(mark, open)
    return open
  }

  #openSession(address: SharedAddress & { readonly row: SlotRow | undefined }): Open {
    const slot = openSharedSlot(this.ctx, this.#table, address, {
      plan: (at) => this.#plan(at),
      written: () => {
        open.usedAt = this.#age
      },
      erased: () => {
        this.#erasedAt ??= Date.now()
      },
      moved: (from, to) => {
        const work = this.#running.get(from)
        this.#running.delete(from)
        this.#failed.delete(from)
        if (work !== undefined && to !== undefined) this.#running.set(to, work)
      },
    })
    const open: Open = { session: new Session(slot, this.env), slot, calls: 0, usedAt: this.#age }
    return open
  }

  #dropIdle(now: number): void {
    this.#age += Math.min(Math.max(now - this.#agedAt, 0), LONGEST_GAP_MS)
    this.#agedAt = now
    for (const [mark, { slot, calls, usedAt }] of this.#open) {
      if (calls > 0 || this.#age - usedAt < IDLE_MS) return
      slot.close()
      this.#open.delete(mark)
    }
  }

  #overwriteIfDue(now: number): void {
    const erasedAt = this.#erasedAt
    if (erasedAt === null || Math.abs(now - erasedAt) < OVERWRITE_AFTER_MS) return
    this.#erasedAt = null
    const again = (error: unknown) => {
      logError('background_fault', error)
      this.#erasedAt = erasedAt
    }
    this.ctx.waitUntil(overwriteLog(this.ctx.storage).catch(again))
  }

  async #run<T>(open: Open, act: (session: Session) => T | Promise<T>): Promise<T> {
    open.calls += 1
    try {
      return await act(open.session)
    } finally {
      open.calls -= 1
      open.usedAt = this.#age
    }
  }

  /** Sets the alarm to this time, unless the alarm is already set to an earlier time. */
  #plan(at: number): void {
    const time = at <= Date.now() + ALARM_STEP_MS ? at : Math.ceil(at / ALARM_STEP_MS) * ALARM_STEP_MS
    if (this.#alarmAt === null || time < this.#alarmAt) this.#setAlarm(time)
  }

  #setAlarm(at: number): void {
    this.#alarmAt = at
    void this.ctx.storage.setAlarm(at)
  }
}
