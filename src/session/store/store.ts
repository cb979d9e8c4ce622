// Storage of a session's object: one document and one alarm. A write changes both in one synchronous step,
// which the platform makes one atomic write. Every response or POST after the write waits until it is stored
// (Durable Objects: output gates).

import { readDocument, type SessionDocument, type Tombstone } from '../document/document.ts'
import { publicView } from '../document/state-view.ts'
import { inBackground, logError } from './background.ts'
import { withChangedEntry } from './changed-entry.ts'
import { toVerificationId } from './identifier.ts'
import { addNote, toNote } from './session-notes.ts'
import { nextWakeUp } from './wake-up.ts'

/** Storage that the parts of the object share. */
export type SessionStore = {
  /** The session; `undefined` before its creation and after its erasure. */
  readonly session: () => SessionDocument | undefined
  readonly tombstone: () => Tombstone | undefined
  /** Writes the document, and sets the alarm to the time of the next work. */
  readonly commit: (document: SessionDocument) => void
  /**
   * Changes the document in memory. The change is written with the next commit, or after `withinMs` at the
   * latest.
   */
  readonly keep: (document: SessionDocument, withinMs: number) => void
  /**
   * Changes the document in memory only. The next commit writes the change. A crash before that commit loses
   * the change.
   */
  readonly remember: (document: SessionDocument) => void
  /**
   * Writes the changes of `remember` now. Does nothing if a commit has written the changes, or a timer of
   * `keep` will write them.
   */
  readonly save: () => void
  /**
   * Erases the whole database file. A tombstone may remain. A crash may lose the tombstone: `deleteAll` is no
   * part of a transaction, so the tombstone is a second write.
   */
  readonly erase: (tombstone: Tombstone | undefined) => Promise<void>
  /**
   * Replaces the session or its tombstone by a tombstone, in one write. Resolves once the write is durable.
   * The overwritten document can be read in the database file until `erase`.
   */
  readonly replace: (tombstone: Tombstone) => Promise<void>
  /**
   * Sets the alarm to the time of the next work, or to `notBefore` if that is later. A running handler sets
   * its watchdog alarm in this way.
   */
  readonly arm: (notBefore: number) => void
  /**
   * Forgets the known time of the alarm whose handler is running, so that the same time can be set again. The
   * platform removes the alarm when its handler ends.
   */
  readonly forgetAlarm: () => void
}

const KEY = 'session'
type Stored = SessionDocument | Tombstone

/** Opens the store. Sets the alarm again if the platform lost it while work is pending. */
export function openStore(ctx: DurableObjectState): SessionStore {
  let current = readDocument(ctx.storage.kv.get(KEY))
  let saved = current
  const alarm = openAlarm(ctx)

  const wakeUpOf = (document: Stored) => nextWakeUp(document, ctx.getWebSockets().length > 0)
  const note = createNote(toVerificationId(ctx.id))
  const write = (document: Stored): void => {
    ctx.storage.kv.put(KEY, document) // first: if this throws, memory is unchanged, too
    flush.stop()
    current = document
    saved = document
    alarm.set(wakeUpOf(document))
    note(document.erased ? undefined : document)
  }
  const session = () => (current?.erased === false ? current : undefined)
  const commit = (document: SessionDocument): void => {
    const seen = session()?.version
    // A change by `keep` did not increase the version. The version increases now, so that watchers get the
    // change.
    const unsaved = flush.isSet() && document.version === seen
    const changed = unsaved ? { ...document, version: document.version + 1 } : document
    const written = withChangedEntry(saved?.erased === false ? saved : undefined, changed, Date.now())
    write(written)
    if (written.version !== seen) announce(ctx, written)
  }
  const flush = openTimer(() => {
    const kept = session()
    if (kept !== undefined) commit(kept)
  })

  if (current !== undefined) alarm.repair(wakeUpOf(current))
  return {
    session,
    tombstone: () => (current?.erased ? current : undefined),
    commit,
    keep: (document, withinMs) => {
      current = document
      flush.startWithin(withinMs)
    },
    remember: (document) => {
      current = document
    },
    save: () => {
      const document = session()
      if (document !== undefined && document !== saved && !flush.isSet()) commit(document)
    },
    erase: async (tombstone) => {
      const deleted = ctx.storage.deleteAll() // first: if this throws, memory is unchanged, too
      flush.stop()
      closeSockets(ctx)
      current = undefined
      saved = undefined
      alarm.forget()
      note(undefined)
      if (tombstone !== undefined) write(tombstone)
      await deleted
    },
    replace: async (tombstone) => {
      write(tombstone)
      closeSockets(ctx)
      await ctx.storage.sync()
    },
    arm: (notBefore) => {
      const wakeUp = current === undefined ? null : wakeUpOf(current)
      alarm.set(wakeUp === null ? null : Math.max(wakeUp, notBefore))
    },
    forgetAlarm: alarm.forget,
  }
}

/** Opens the one alarm. Its time is kept in memory, so that no call of the platform is needed to read it. */
function openAlarm(ctx: DurableObjectState) {
  const { storage } = ctx
  let known: number | null = null
  const set = (at: number | null): void => {
    if (at === null || at === known) return // setting the same time again would write one more row
    known = at
    void storage.setAlarm(at)
  }
  return {
    set,
    forget: (): void => {
      known = null
    },
    /** Sets the alarm if the platform has lost it. */
    repair: (wakeUp: number | null): void => {
      void ctx.blockConcurrencyWhile(async () => {
        known = await storage.getAlarm()
        if (known === null) set(wakeUp)
      })
    },
  }
}

/**
 * Returns a function that notes a changed session for the gauges. The function never throws, because it must
 * not affect the write.
 */
function createNote(verificationId: string): (document: SessionDocument | undefined) => void {
  let last = ''
  return (document) => {
    const taken = toNote(verificationId, document)
    const text = JSON.stringify(taken)
    if (text === last) return
    last = text
    try {
      addNote(taken)
    } catch (error) {
      logError('session_not_noted', error)
    }
  }
}

/** Creates a timer that runs `task` at the earliest of the times given to `startWithin`. */
function openTimer(task: () => void) {
  let set: { readonly timer: ReturnType<typeof setTimeout>; readonly at: number } | undefined
  return {
    isSet: () => set !== undefined,
    startWithin: (milliseconds: number) => {
      const at = Date.now() + milliseconds
      if (set !== undefined && set.at <= at) return
      clearTimeout(set?.timer)
      set = { timer: setTimeout(() => inBackground(task), milliseconds), at }
    },
    stop: () => {
      clearTimeout(set?.timer)
      set = undefined
    },
  }
}

/** Sends the new state to every watcher. */
function announce(ctx: DurableObjectState, document: SessionDocument): void {
  const message = JSON.stringify(publicView(document))
  for (const socket of ctx.getWebSockets()) {
    try {
      socket.send(message)
    } catch {
      socket.close(1011) // already gone; after a reconnect the watcher gets the current state
    }
  }
}

function closeSockets(ctx: DurableObjectState): void {
  for (const socket of ctx.getWebSockets()) socket.close(1000, 'erased')
}
