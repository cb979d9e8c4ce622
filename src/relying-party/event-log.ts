// One day of a relying party. The object stores the events that arrive on the day (events/day-events.ts), and
// the list of verifications that are created on the day. When a verification ends, usually one call stores
// both its event and its list entry. An object of an earlier build has events only.

import type { Env } from '../env.ts'
import { logLine } from '../metrics/log-line.ts'
import { loggedError } from '../metrics/platform-error.ts'
import { type AppendResult, DayEvents, type LogEntry } from './events/day-events.ts'
import { forgottenAt } from './events/event-days.ts'
import type { IndexPut } from './index/stored-entry.ts'
import { VerificationIndex } from './index/verification-index.ts'

/** Result of `record`. `listed`: false if the entry must be sent again. */
export type RecordResult = { readonly appended: AppendResult; readonly listed: boolean }

export class EventLog extends VerificationIndex {
  #openEvents: DayEvents | undefined
  protected override readonly mayBeElsewhere = true

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const day = this.hasList() ? undefined : this.#events().day()
    if (day !== undefined) void ctx.blockConcurrencyWhile(() => this.loadAlarm(forgottenAt(day)))
  }

  /**
   * Opens the events when they are first needed, so that a damaged row of the events does not affect the
   * list.
   */
  #events(): DayEvents {
    this.#openEvents ??= new DayEvents(this.ctx.storage.kv)
    return this.#openEvents
  }

  /** Stores an event once, however often the event is sent. */
  append(event: LogEntry): AppendResult {
    const appended = this.#events().append(event)
    if (appended === 'recorded') this.keepAlarm(forgottenAt(event.day))
    return appended
  }

  /**
   * Stores the event of a session's end and the list entry of the session, in one atomic write. If the entry
   * cannot be stored, for example because of a damaged row, the event is stored alone.
   */
  async record(event: LogEntry, entry: IndexPut): Promise<RecordResult> {
    let appended: AppendResult | undefined
    let isAppended = false
    const append = () => {
      if (isAppended) return
      isAppended = true
      appended = this.append(event)
    }
    let listed = true
    try {
      await this.put(entry, append)
    } catch (error) {
      if (isAppended && appended === undefined) throw error // the event could not be stored
      logLine('error', 'list_entry_not_stored', loggedError(error))
      listed = false
    }
    append() // has an effect only if `put` wrote no entry
    return { appended: (await appended) ?? 'closed', listed }
  }

  /**
   * Returns at most `limit` events after a position. `more`: more events follow. `closed`: no event will be
   * added to this day.
   */
  read(day: number, after: number, limit: number): ReturnType<DayEvents['read']> {
    return this.#events().read(day, after, limit)
  }

  /** Returns the position of the last event; 0 before the first. */
  end(): number {
    return this.#events().end()
  }

  /**
   * If the day has a list of verifications, calls the alarm of the list. Otherwise erases the day once
   * `forgottenAt` has passed.
   */
  override async alarm(): Promise<void> {
    if (this.hasList()) return super.alarm()
    const day = this.#events().day()
    const until = day === undefined ? 0 : forgottenAt(day)
    if (Date.now() < until) return this.ctx.storage.setAlarm(until)
    await this.erase()
  }

  protected override async erase(): Promise<void> {
    await super.erase()
    this.#openEvents = undefined
  }
}
