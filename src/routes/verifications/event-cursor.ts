// Cursor of a reader of the event log, as opaque text. It is signed for its relying party: with an altered
// cursor, or one of another log, a reader would miss events without noticing.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { concatBytes, utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { deriveKey } from '../../crypto/seal.ts'
import { timingSafeEqual } from '../../crypto/timing-safe.ts'
import { CURSOR_LENGTH } from '../edge/schemas.ts'

/** Everything up to this event of this day was read; position 0 is before the day's first. */
export type LogPosition = { readonly day: number; readonly position: number }

const POSITION_BYTES = 8
const MAC_BYTES = 16

/** Returns the cursor of a position in a relying party's log. */
export async function writeCursor(config: Config, relyingPartyId: string, at: LogPosition): Promise<string> {
  const bytes = new Uint8Array(POSITION_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, at.day)
  view.setUint32(4, at.position)
  return encodeBase64url(concatBytes(bytes, await macOf(config, relyingPartyId, bytes)))
}

/** Parses a cursor; `undefined` for every text that `writeCursor` did not make for this relying party. */
export async function readCursor(
  config: Config,
  relyingPartyId: string,
  cursor: string,
): Promise<LogPosition | undefined> {
  const bytes = cursor.length === CURSOR_LENGTH ? decodeBase64url(cursor) : undefined
  if (bytes === undefined) return undefined
  const position = bytes.slice(0, POSITION_BYTES)
  const mac = await macOf(config, relyingPartyId, position)
  if (!timingSafeEqual(bytes.slice(POSITION_BYTES), mac)) return undefined
  const view = new DataView(position.buffer)
  return { day: view.getUint32(0), position: view.getUint32(4) }
}

async function macOf(
  config: Config,
  relyingPartyId: string,
  position: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await deriveKey(config.serverSecret, 'event-cursor')
  const mac = await hmacSha256(key, concatBytes(utf8(`${relyingPartyId}\0`), position))
  return mac.slice(0, MAC_BYTES)
}
