// Cursor of a reader of the event log, as opaque text. A MAC binds the cursor to its relying party. Otherwise
// a reader with a changed cursor, or with a cursor of another log, would miss events without an error.

import type { Config } from '../../config.ts'
import { deriveKey } from '../../crypto/seal.ts'
import { readTagged, writeTagged } from '../../crypto/tagged-bytes.ts'

/**
 * Position in the log. The reader has read all earlier days, and the events of `day` up to number `position`.
 * The events of a day are numbered from 1.
 */
export type LogPosition = { readonly day: number; readonly position: number }

const POSITION_BYTES = 8

/** Returns the cursor of a position in a relying party's log. */
export async function writeCursor(config: Config, relyingPartyId: string, at: LogPosition): Promise<string> {
  const bytes = new Uint8Array(POSITION_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, at.day)
  view.setUint32(4, at.position)
  return writeTagged(await deriveCursorKey(config), relyingPartyId, bytes)
}

/** Parses a cursor; `undefined` for every text that `writeCursor` did not make for this relying party. */
export async function readCursor(
  config: Config,
  relyingPartyId: string,
  cursor: string,
): Promise<LogPosition | undefined> {
  const expected = { text: cursor, length: POSITION_BYTES }
  const bytes = await readTagged(await deriveCursorKey(config), relyingPartyId, expected)
  if (bytes === undefined) return undefined
  const view = new DataView(bytes.buffer)
  return { day: view.getUint32(0), position: view.getUint32(4) }
}

function deriveCursorKey({ serverSecret }: Config): Promise<Uint8Array<ArrayBuffer>> {
  return deriveKey(serverSecret, 'event-cursor')
}
