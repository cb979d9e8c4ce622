// Storage of one session in its Durable Object. If the object has one session, the session uses the whole
// storage and the alarm. Sessions that share an object have a row each (slot-table.ts).

import type { SessionDocument, Tombstone } from '../document/document.ts'
import { type EvidenceParts, joinEvidence } from '../evidence/stored-evidence.ts'

export type StoredDocument = SessionDocument | Tombstone

/** Storage, alarm and sockets of one session in its object. Times are Unix milliseconds. */
export type SessionSlot = {
  /** The `verification_id`. */
  readonly id: string
  /** Returns the stored document or tombstone; `undefined` if nothing is stored. */
  readonly read: () => unknown
  /**
   * Stores a document, the time of its next work, and the parts of its evidence, in one step. An empty list
   * erases the parts: zeros overwrite them, and are removed when the session is erased. Without a list the
   * parts stay as they are. If the call throws, nothing is changed.
   */
  readonly write: (document: StoredDocument, wakeUp: number | null, evidence?: EvidenceParts) => void
  /** Returns the bytes of the parts of the evidence. Throws if a part is missing. */
  readonly readEvidence: (parts: number) => Uint8Array<ArrayBuffer>
  /**
   * Erases the session and all that earlier writes left in the database. `rest`, if given, is stored in place
   * of the session. `evidence`: an empty list if parts of evidence may be stored. If the call throws, nothing
   * is changed. Resolves once the erasure is durable.
   */
  readonly erase: (
    rest: { readonly document: StoredDocument; readonly wakeUp: number | null } | null,
    evidence?: readonly [],
  ) => Promise<void>
  /** True if a crash during `erase` may lose `rest`. */
  readonly mayLoseRest?: boolean
  /** Resolves once all writes are durable. Rejects if storage cannot be written. */
  readonly sync: () => Promise<void>
  /** Sets the time of the next work without a write of the document. `null`: the time stays as it is. */
  readonly setAlarm: (at: number | null) => void
  /** Forgets the remembered time of the alarm whose handler is running. */
  readonly forgetAlarm: () => void
  /**
   * If written rows are billed, returns the time of the alarm that is already set, because a new time would
   * write one more row. Returns null if rows are not billed, or if no alarm in the future is known.
   */
  readonly keptAlarm?: () => number | null
  /**
   * Sets the alarm of a stored session if the platform has lost it, or if the alarm is later than `wakeUp`.
   */
  readonly repairAlarm: (wakeUp: number | null) => void
  /** Returns the sockets of the watchers. */
  readonly sockets: () => readonly WebSocket[]
  /** Accepts the hibernating socket of a watcher. */
  readonly acceptSocket: (socket: WebSocket) => void
}

const KEY = 'session'
/** Prefix of the keys of the parts. */
const EVIDENCE = 'evidence/'

/**
 * Longest time by which the alarm handler postpones due work (alarm/run-alarm.ts). An alarm within this time
 * is not late.
 */
const HANDLER_MS = 60_000

/** Returns the slot of the only session of an object. `hasPrice`: true if each written row is billed. */
export function openOwnSlot(
  ctx: DurableObjectState,
  { id, hasPrice }: { readonly id: string; readonly hasPrice: boolean },
): SessionSlot {
  const { storage } = ctx
  // The time of the alarm is kept in memory, so that no call of the platform is needed to read it.
  let known: number | null = null
  const setAlarm = (at: number | null): void => {
    if (at === null || at === known) return // setting the same time again would write one more row
    known = at
    void storage.setAlarm(at)
  }
  const write = (document: StoredDocument, wakeUp: number | null, evidence?: EvidenceParts): void => {
    if (evidence === undefined) storage.kv.put(KEY, document)
    else
      storage.transactionSync(() => {
        for (const [key, part] of [...storage.kv.list<Uint8Array>({ prefix: EVIDENCE })]) {
          if (evidence.length > 0 || document.erased) storage.kv.delete(key)
          else storage.kv.put(key, new Uint8Array(part.length))
        }
        for (const [i, part] of evidence.entries()) storage.kv.put(EVIDENCE + i, part)
        storage.kv.put(KEY, document)
      })
    setAlarm(wakeUp)
  }
  return {
    id,
    read: () => storage.kv.get(KEY),
    write,
    readEvidence: (parts) =>
      joinEvidence(parts, (i) => storage.kv.get<Uint8Array<ArrayBuffer>>(EVIDENCE + i)),
    mayLoseRest: true,
    erase: (rest) => {
      const deleted = storage.deleteAll()
      known = null
      // `deleteAll` is not part of a transaction, so `rest` is stored by a second write. A crash may lose the
      // second write. If the second write throws, the session is still erased.
      try {
        if (rest !== null) write(rest.document, rest.wakeUp)
      } catch (error) {
        return deleted.then(() => Promise.reject(error))
      }
      return deleted
    },
    sync: () => storage.sync(),
    setAlarm,
    forgetAlarm: () => {
      known = null
    },
    keptAlarm: () => (hasPrice && known !== null && known > Date.now() ? known : null),
    repairAlarm: (wakeUp) => {
      void ctx.blockConcurrencyWhile(async () => {
        known = await storage.getAlarm()
        const isLate = wakeUp !== null && Number(known) > Math.max(wakeUp, Date.now() + HANDLER_MS)
        if (known === null || isLate) setAlarm(wakeUp)
      })
    },
    sockets: () => ctx.getWebSockets(),
    acceptSocket: (socket) => ctx.acceptWebSocket(socket),
  }
}
