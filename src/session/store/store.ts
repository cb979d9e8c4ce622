// Storage of a session: one document and the time of its next work. A write changes both in one synchronous
// step, which the platform makes one atomic write. Every response or POST after the write waits until the
// write is stored (Durable Objects: output gates).

import { readDocument, type SessionDocument, type Tombstone } from '../document/document.ts'
import { publicView } from '../document/state-view.ts'
import { dropsParts, type EvidenceParts, storedParts } from '../evidence/stored-evidence.ts'
import { inBackground, logError } from './background.ts'
import { withChangedEntry, withNextRevision } from './changed-entry.ts'
import { addNote, toNote } from './session-notes.ts'
import type { SessionSlot, StoredDocument } from './slot.ts'
import { latestWakeUp, nextWakeUp } from './wake-up.ts'

/** Storage of one session, which all functions of the session use. */
export type SessionStore = {
  /** The session; `undefined` before its creation and after its erasure. */
  readonly session: () => SessionDocument | undefined
  readonly tombstone: () => Tombstone | undefined
  /**
   * Writes the document, and sets the alarm to the time of the next work. `evidence`: the bytes of new
   * evidence. If the document no longer has evidence, the stored bytes are erased.
   */
  readonly commit: (document: SessionDocument, evidence?: EvidenceParts) => void
  /** Returns the sealed evidence of the session; `undefined` if none is stored. */
  readonly evidence: () => Uint8Array<ArrayBuffer> | undefined
  /**
   * Changes the document in memory. The change is written with the next commit, or after `withinMs` at the
   * latest.
   */
  readonly keep: (document: SessionDocument, withinMs: number) => void
  /**
   * Changes the document in memory only. The next commit writes the change. A crash before that commit loses
   * the change. `isInEntry`: true if the queued list entry is not sent yet, and will contain the change.
   */
  readonly remember: (document: SessionDocument, isInEntry?: boolean) => void
  /**
   * Writes the changes of `remember` now. Does nothing if a commit has written the changes, or a timer of
   * `keep` will write them.
   */
  readonly save: () => void
  /** True if a crash during `erase` may lose the tombstone. */
  readonly mayLoseTombstone: boolean
  /** Erases the session and all traces of it in storage. */
  readonly erase: (tombstone: Tombstone | undefined) => Promise<void>
  /**
   * Replaces the session or its tombstone by a tombstone, in one write. Resolves once the write is durable.
   * The overwritten document can be read in the database file until `erase`.
   */
  readonly replace: (tombstone: Tombstone) => Promise<void>
  /**
   * Sets the alarm to the time of the next work, or to `notBefore` if that is later. The alarm handler does
   * this before its work, so that a crash does not lose the work.
   */
  readonly arm: (notBefore: number) => void
  /**
   * Forgets the remembered time of the alarm whose handler is running, so that the same time can be set
   * again. The platform removes the alarm when its handler ends.
   */
  readonly forgetAlarm: () => void
}

/** Opens the store. Sets the alarm again if the platform lost it while work is pending. */
export function openStore(slot: SessionSlot): SessionStore {
  let current = withNextRevision(readDocument(slot.read()))
  // `saved`: the written document. `listed`: the last document whose changes are in the queued list entry.
  let [saved, listed] = [current, current]
  const wakeUpOf = (document: StoredDocument) => chooseWakeUp(slot, document)
  const note = createNote(slot.id)
  const adopt = (document: StoredDocument | undefined): void => {
    flush.stop()
    current = document
    saved = document
    listed = document
    note(document?.erased === false ? document : undefined)
  }
  const write = (document: StoredDocument, evidence?: EvidenceParts): void => {
    const parts = evidence ?? (dropsParts(saved, document) ? [] : undefined)
    slot.write(document, wakeUpOf(document), parts) // first: if this throws, memory is unchanged, too
    adopt(document)
  }
  const session = () => (current?.erased === false ? current : undefined)
  const commit = (document: SessionDocument, evidence?: EvidenceParts): void => {
    const seen = session()?.version
    // `keep` does not increase the version. So a commit with the same version increases it for watchers.
    const unsaved = flush.isSet() && document.version === seen
    const changed = unsaved ? { ...document, version: document.version + 1 } : document
    const written = withChangedEntry(listed, changed, Date.now())
    write(written, evidence)
    if (written.version !== seen) announce(slot, written)
  }
  const flush = openTimer(() => {
    const kept = session()
    if (kept !== undefined) commit(kept)
  })
  if (current !== undefined) slot.repairAlarm(wakeUpOf(current))
  return {
    session,
    tombstone: () => (current?.erased ? current : undefined),
    commit,
    evidence: () => (storedParts(saved) > 0 ? slot.readEvidence(storedParts(saved)) : undefined),
    keep: (document, withinMs) => {
      current = document
      flush.startWithin(withinMs)
    },
    remember: (document, isInEntry = false) => {
      current = document
      if (isInEntry) listed = document
    },
    save: () => {
      const document = session()
      if (document !== undefined && document !== saved && !flush.isSet()) commit(document)
    },
    mayLoseTombstone: slot.mayLoseRest === true,
    erase: async (tombstone) => {
      const rest = tombstone === undefined ? null : { document: tombstone, wakeUp: wakeUpOf(tombstone) }
      const erased = slot.erase(rest, dropsParts(saved, undefined) ? [] : undefined) // first: it may throw
      adopt(tombstone)
      closeSockets(slot)
      await erased
    },
    replace: async (tombstone) => {
      write(tombstone)
      closeSockets(slot)
      await slot.sync()
    },
    arm: (notBefore) => {
      const wakeUp = current === undefined ? null : wakeUpOf(current)
      slot.setAlarm(wakeUp === null ? null : Math.max(wakeUp, notBefore))
    },
    forgetAlarm: slot.forgetAlarm,
  }
}

/**
 * Returns the time for the alarm: usually the time of the next work. If an alarm is already set for a later
 * time that is early enough (`latestWakeUp`), returns that time, so that the alarm is not set again.
 */
function chooseWakeUp(slot: SessionSlot, document: StoredDocument): number | null {
  const next = nextWakeUp(document, slot.sockets().length > 0)
  const kept = slot.keptAlarm?.() ?? null
  return next !== null && kept !== null && kept > next && kept <= latestWakeUp(document, next) ? kept : next
}

/**
 * Returns a function that notes a changed session for the gauges. The function never throws, because a
 * failure must not affect the write.
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
function announce(slot: SessionSlot, document: SessionDocument): void {
  const message = JSON.stringify(publicView(document))
  for (const socket of slot.sockets()) {
    try {
      socket.send(message)
    } catch {
      socket.close(1011) // already gone; after a reconnect the watcher gets the current state
    }
  }
}

function closeSockets(slot: SessionSlot): void {
  for (const socket of slot.sockets()) socket.close(1000, 'erased')
}
