// Slot of a session that shares its object with others (slot.ts, slot-table.ts).

import type { SharedAddress } from '../../relying-party/document/session-stub.ts'
import { changeTogether, readParts } from '../evidence/evidence-table.ts'
import type { EvidenceParts } from '../evidence/stored-evidence.ts'
import type { SessionSlot, StoredDocument } from './slot.ts'
import type { SlotRow, SlotTable } from './slot-table.ts'

export type SharedSlot = SessionSlot & {
  /** Returns the row of the session; `undefined` if nothing is stored. */
  readonly row: () => SlotRow | undefined
  /** Returns the time of the next work, which may differ from the time in the row. */
  readonly planned: () => number | null
  /** Moves the next work to a later time, in memory and in the row. */
  readonly postpone: (until: number) => void
  /** Closes the slot of a session that is dropped from memory. Each later write of this slot throws. */
  readonly close: () => void
}

/** Functions that a slot calls after a change of its session. The shared object provides them. */
export type SlotObserver = {
  /** Notes the time at which the session has its next work. */
  readonly plan: (at: number) => void
  /** Notes that the session was written. */
  readonly written: () => void
  /** Notes that the session or its evidence was erased. The write-ahead log may still have the bytes. */
  readonly erased: () => void
  /** Notes that the session left a row, which is free now. `to`: the new row; `undefined` if erased. */
  readonly moved: (from: number, to: number | undefined) => void
}

/** Returns the slot of a session with this row; `row` is `undefined` for a session that is not stored. */
export function openSharedSlot(
  ctx: DurableObjectState,
  table: SlotTable,
  address: SharedAddress & { readonly row: SlotRow | undefined },
  { plan, written, moved, erased }: SlotObserver,
): SharedSlot {
  const { id, mark } = address
  const { storage } = ctx
  let { row } = address
  let planned = row?.wakeUp ?? null
  let isClosed = false
  /** Throws if the session was dropped from memory, because its row may belong to another session by now. */
  const checkOpen = (): void => {
    if (isClosed) throw new Error('the session was dropped from memory')
  }
  const write = (document: StoredDocument, wakeUp: number | null, evidence?: EvidenceParts): void => {
    checkOpen()
    const before = row?.place
    // The id of an erased session is kept only while a change of its list entry is queued.
    const storedAddress = !document.erased || document.listing !== undefined ? address : { id: '', mark }
    row = changeTogether(storage, { mark, parts: evidence, isErased: document.erased }, () =>
      table.write(row, storedAddress, { document, wakeUp }),
    )
    planned = wakeUp
    written()
    if (before !== undefined && before !== row.place) moved(before, row.place)
    if (wakeUp !== null) plan(wakeUp)
    if (document.erased || evidence?.length === 0) erased()
  }
  return {
    id,
    read: () => row && table.read(row.place).document,
    write,
    readEvidence: (parts) => readParts(storage.sql, mark, parts),
    erase: (rest, evidence) => {
      checkOpen()
      if (rest !== null) write(rest.document, rest.wakeUp, evidence)
      else if (row !== undefined) {
        const free = row
        changeTogether(storage, { mark, parts: evidence, isErased: true }, () => table.free(free))
        moved(row.place, undefined)
        row = undefined
        planned = null
        erased()
      }
      return storage.sync()
    },
    sync: () => storage.sync(),
    setAlarm: (at) => {
      if (at === null || row === undefined || isClosed) return
      planned = at
      if (at < (row.wakeUp ?? Infinity)) row = table.setWakeUp(row, at)
      plan(at)
    },
    forgetAlarm: () => {},
    repairAlarm: () => {}, // the object repairs the alarm of its rows
    sockets: () => ctx.getWebSockets(id),
    acceptSocket: (socket) => ctx.acceptWebSocket(socket, [id]),
    row: () => row,
    planned: () => planned,
    postpone: (until) => {
      if (row === undefined || isClosed) return
      planned = until
      row = table.setWakeUp(row, until)
    },
    close: () => {
      isClosed = true
    },
  }
}
