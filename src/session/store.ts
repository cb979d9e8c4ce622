// The session's one document in its object's storage, and the one alarm. All writes of the room pass through `commit`: the
// document and the alarm go out in one synchronous stretch, which the platform makes one atomic write, and everything the
// object says afterwards (an answer, a POST) waits for it (Durable Objects: output gates).

import { inBackground } from './background.ts'
import { nextWakeUp, readDocument, type SessionDocument, type Tombstone } from './document.ts'
import { publicView } from './views/view.ts'

/** What the object's parts share. */
export type SessionStore = {
  /** The session; `undefined` where there is none (any more). */
  readonly session: () => SessionDocument | undefined
  readonly tombstone: () => Tombstone | undefined
  /** Writes the document and sets the alarm to its next work. */
  readonly commit: (document: SessionDocument) => void
  /** Keeps a change in memory, to be written with the next commit or after `withinMs` at the latest. */
  readonly keep: (document: SessionDocument, withinMs: number) => void
  /** Changes memory alone: what is lost with it is not missed. It goes out with the next commit. */
  readonly remember: (document: SessionDocument) => void
  /** Leaves a tombstone, or nothing. */
  readonly erase: (tombstone: Tombstone | undefined) => Promise<void>
  /** Sets the alarm no earlier than `notBefore`, whatever the document says: the watchdog of a running handler. */
  readonly arm: (notBefore: number) => void
}

const KEY = 'session'

/** Opens the store, and repairs an alarm that the platform lost: work owed is never left without one. */
export function openStore(ctx: DurableObjectState): SessionStore {
  let current = readDocument(ctx.storage.kv.get(KEY))
  let alarm: number | null = null
  let flush: ReturnType<typeof setTimeout> | undefined

  const setAlarm = (at: number | null): void => {
    if (at === null || at === alarm) return // an alarm at an unchanged time would be one more row
    alarm = at
    void ctx.storage.setAlarm(at)
  }
  const write = (document: SessionDocument | Tombstone): void => {
    ctx.storage.kv.put(KEY, document) // first: where it throws, memory must not say what storage does not
    clearTimeout(flush)
    flush = undefined
    current = document
    setAlarm(nextWakeUp(document))
  }
  const session = (): SessionDocument | undefined =>
    current === undefined || current.erased ? undefined : current
  const commit = (document: SessionDocument): void => {
    const seen = session()?.version
    // What was only kept in memory becomes visible with this write.
    const unsaved = flush !== undefined && document.version === seen
    const written = unsaved ? { ...document, version: document.version + 1 } : document
    write(written)
    if (written.version !== seen) announce(ctx, written)
  }

  const commitKept = (): void => {
    const kept = session()
    if (kept !== undefined) commit(kept)
  }

  if (current !== undefined) {
    const owed = nextWakeUp(current)
    void ctx.blockConcurrencyWhile(async () => {
      alarm = await ctx.storage.getAlarm()
      if (alarm === null) setAlarm(owed)
    })
  }
  return {
    session,
    tombstone: () => (current?.erased ? current : undefined),
    commit,
    keep: (document, withinMs) => {
      current = document
      flush ??= setTimeout(() => inBackground(commitKept), withinMs)
    },
    remember: (document) => {
      current = document
    },
    erase: async (tombstone) => {
      clearTimeout(flush)
      flush = undefined
      closeSockets(ctx)
      current = undefined
      alarm = null
      // Also where a tombstone follows: a document that is only written over can still be read in the database's file.
      const deleted = ctx.storage.deleteAll()
      if (tombstone !== undefined) write(tombstone)
      await deleted
    },
    arm: (notBefore) => {
      const owed = current === undefined ? null : nextWakeUp(current)
      setAlarm(owed === null ? null : Math.max(owed, notBefore))
    },
  }
}

/** Tells everyone who watches what changed. */
function announce(ctx: DurableObjectState, document: SessionDocument): void {
  const message = JSON.stringify(publicView(document))
  for (const socket of ctx.getWebSockets()) {
    try {
      socket.send(message)
    } catch {
      socket.close(1011) // it is gone already; a watcher that comes back reads the state anew
    }
  }
}

function closeSockets(ctx: DurableObjectState): void {
  for (const socket of ctx.getWebSockets()) socket.close(1000, 'erased')
}
