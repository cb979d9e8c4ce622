// The one document of a session in its object's storage, and the one alarm. Every write passes through
// `commit`. Document and alarm change in one synchronous step, which the platform makes one atomic write.
// Every response or POST after it waits for that write (Durable Objects: output gates).

import { nextWakeUp } from './alarm/wake-up.ts'
import { inBackground, logError } from './background.ts'
import { readDocument, type SessionDocument, type Tombstone } from './document.ts'
import { verificationIdOf } from './identifier.ts'
import { addNote, noteOf } from './session-notes.ts'
import { publicView } from './views/view.ts'

/** Storage that the parts of the object share. */
export type SessionStore = {
  /** The session; `undefined` before its creation and after its erasure. */
  readonly session: () => SessionDocument | undefined
  readonly tombstone: () => Tombstone | undefined
  /** Writes the document, and sets the alarm to its next work. */
  readonly commit: (document: SessionDocument) => void
  /** Changes memory. The change is written with the next commit, or after `withinMs` at the latest. */
  readonly keep: (document: SessionDocument, withinMs: number) => void
  /** Changes memory alone. The change may be lost; it is written with the next commit. */
  readonly remember: (document: SessionDocument) => void
  /** Erases the session. A tombstone may remain. */
  readonly erase: (tombstone: Tombstone | undefined) => Promise<void>
  /**
   * Sets the alarm to `notBefore` or later, whatever the document says: the watchdog of a running handler.
   */
  readonly arm: (notBefore: number) => void
  /** Forgets the alarm that has come. The platform removes it when its handler ends. */
  readonly forgetAlarm: () => void
}

const KEY = 'session'
type Stored = SessionDocument | Tombstone

/** Opens the store. Sets the alarm again if the platform lost it while work is pending. */
export function openStore(ctx: DurableObjectState): SessionStore {
  let current = readDocument(ctx.storage.kv.get(KEY))
  let alarm: number | null = null

  const setAlarm = (at: number | null): void => {
    if (at === null || at === alarm) return // setting the same time again would write one more row
    alarm = at
    void ctx.storage.setAlarm(at)
  }
  const wakeUpOf = (document: Stored) => nextWakeUp(document, ctx.getWebSockets().length > 0)
  const note = createNote(verificationIdOf(ctx.id))
  const write = (document: Stored): void => {
    ctx.storage.kv.put(KEY, document) // first: if it throws, memory must stay like storage
    flush.stop()
    current = document
    setAlarm(wakeUpOf(document))
    note(document.erased ? undefined : document)
  }
  const session = () => (current?.erased === false ? current : undefined)
  const commit = (document: SessionDocument): void => {
    const seen = session()?.version
    // A change in memory becomes visible with this write.
    const unsaved = flush.isSet() && document.version === seen
    const written = unsaved ? { ...document, version: document.version + 1 } : document
    write(written)
    if (written.version !== seen) announce(ctx, written)
  }
  const flush = openTimer(() => {
    const kept = session()
    if (kept !== undefined) commit(kept)
  })

  if (current !== undefined) {
    const wakeUp = wakeUpOf(current)
    void ctx.blockConcurrencyWhile(async () => {
      alarm = await ctx.storage.getAlarm()
      if (alarm === null) setAlarm(wakeUp)
    })
  }
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
    erase: async (tombstone) => {
      // Needed before a tombstone, too: an overwritten document can still be read in the database file.
      const deleted = ctx.storage.deleteAll() // first: if it throws, memory must stay like storage
      flush.stop()
      closeSockets(ctx)
      current = undefined
      alarm = null
      note(undefined)
      if (tombstone !== undefined) write(tombstone)
      await deleted
    },
    arm: (notBefore) => {
      const wakeUp = current === undefined ? null : wakeUpOf(current)
      setAlarm(wakeUp === null ? null : Math.max(wakeUp, notBefore))
    },
    forgetAlarm: () => {
      alarm = null
    },
  }
}

/** Returns a function that notes a changed session for the gauges. It must not affect the write: no error. */
function createNote(verificationId: string): (document: SessionDocument | undefined) => void {
  let last = ''
  return (document) => {
    const taken = noteOf(verificationId, document)
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

/** Opens a timer for the earliest of the times that it is given. It is set until it is stopped. */
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
