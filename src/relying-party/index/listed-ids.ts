// Ids of the listed verifications (api/lists). An erased id must not stay readable in the database file.
// SQLite leaves old bytes in the file if it moves a row, or if a new value has another length. So an entry
// contains its id masked: XOR with random bytes (the mask), which no other entry uses. The masks are in rows
// of constant length, 80 in each row, so most entries write no new row. An id is erased when zeros overwrite
// its mask. SQLite may move the first 1,002 bytes of a row to another page, but never the rest. So the masks
// begin after these bytes. An earlier version stored the ids themselves in rows of this form. Its entries
// have no masked id.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { randomBytes } from '../../crypto/random.ts'
import {
  decodePosition,
  PREFIX as ENTRIES,
  isRemoved,
  type Stored,
  type StoredEntry,
} from './stored-entry.ts'

const MASKS = 'id_masks/'
/** Prefix of the rows in which an earlier version stored ids. */
const IDS = 'ids/'
/** Storage key of the next free place for a mask, which hides an id. Written only with late entries. */
const NEXT = 'next_id_place'
const START = 1_024
/** Length of a mask, the random bytes that are XORed with an id. Zeros are added to an id that is shorter. */
const WIDTH = 48
/** Number of mask places in one row. All places of a row fit in one overflow page of SQLite. */
const PLACES = 80
/**
 * An entry is late if it was created this much earlier than the newest entry. A restarted object reads only
 * the newest entries to find the next free place of a mask. Late entries are not among them. So the number of
 * the next place is stored together with a late entry.
 */
const LATE_MS = 60_000

/** Members of an entry from which its id is read. */
export type MaskedId = Required<Pick<StoredEntry, 'verification_id' | 'id_place'>>

/** Returns true if the entry's id is masked, or is in a row that an earlier version stored. */
export function isPlaced<T extends StoredEntry>(entry: T): entry is T & MaskedId {
  return entry.id_place !== undefined
}

export class ListedIds {
  readonly #kv: SyncKvStorage
  /** The row that was used last. */
  #row: { readonly key: string; readonly bytes: Uint8Array } | undefined
  /**
   * The place of the mask for the next id, and the time of the newest entry; `undefined` before first use.
   */
  #next: { readonly place: number; readonly newest: number } | undefined

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  /** Masks the id (at most 48 bytes) of a new entry. The caller stores the entry in the same step. */
  add(id: string, createdAt: number): MaskedId {
    const { place: next, newest } = this.#findNext()
    let place = next
    if (isEmpty(this.#slotOf(MASKS, place))) {
      place = this.#firstOfNewRow()
      const bytes = new Uint8Array(START + PLACES * WIDTH)
      bytes.set(randomBytes(PLACES * WIDTH), START)
      this.#write(toKey(MASKS, place), bytes)
    }
    if (createdAt < newest - LATE_MS) this.#kv.put(NEXT, place + 1)
    this.#next = { place: place + 1, newest: Math.max(newest, createdAt) }
    return { verification_id: encodeBase64url(xor(this.#slotOf(MASKS, place), utf8(id))), id_place: place }
  }

  /** Returns the id of a stored entry. */
  get(entry: MaskedId): string {
    const slot = this.#slotOf(chooseTable(entry), entry.id_place)
    if (isEmpty(slot)) throw new TypeError('the id of an entry is missing')
    const id = xor(slot, decodeBase64url(entry.verification_id) ?? new Uint8Array())
    return new TextDecoder().decode(id).replace(/\0+$/, '')
  }

  /** Erases the id of an entry. */
  remove(entry: MaskedId): void {
    this.#overwrite(toKey(chooseTable(entry), entry.id_place), (index) => index === entry.id_place % PLACES)
  }

  /**
   * Erases the id of an entry that cannot be read. For this, overwrites each used mask place that no entry of
   * `entries` has.
   */
  keepOnly(entries: readonly MaskedId[]): void {
    const { place: next } = this.#findNext()
    for (const table of [MASKS, IDS]) {
      const kept = new Set(
        entries.filter((one) => chooseTable(one) === table).map(({ id_place }) => id_place),
      )
      for (const [key] of [...this.#kv.list({ prefix: table })]) {
        const first = Number(key.slice(table.length)) * PLACES
        this.#overwrite(key, (i) => !kept.has(first + i) && (table === IDS || first + i < next))
      }
    }
  }

  /** Overwrites places of a row with zeros, which erases the ids of these places. */
  #overwrite(key: string, isErased: (index: number) => boolean): void {
    const bytes = this.#load(key).slice()
    for (let index = 0; index < PLACES; index++) if (isErased(index)) slotOf(bytes, index).fill(0)
    this.#write(key, bytes)
  }

  /**
   * Returns the next free place, after all used places. The newest entries contain the last used place, or
   * the next place is stored (`NEXT`). If entries cannot be read, returns the first place of a new row.
   */
  #findNext() {
    if (this.#next !== undefined) return this.#next
    let [place, newest] = [this.#kv.get<number>(NEXT) ?? 0, 0]
    try {
      for (const [key, stored] of this.#kv.list<Stored>({ prefix: ENTRIES, reverse: true })) {
        const { created_at } = decodePosition(key)
        newest = Math.max(newest, created_at)
        if (created_at < newest - LATE_MS) break
        const { id_place = -1 } = (isRemoved(stored) ? stored.counted : stored) ?? {}
        place = Math.max(place, id_place + 1)
      }
    } catch {
      place = this.#firstOfNewRow()
    }
    this.#next = { place, newest }
    return this.#next
  }

  #firstOfNewRow(): number {
    for (const [key] of this.#kv.list({ prefix: MASKS, reverse: true, limit: 1 })) {
      return (Number(key.slice(MASKS.length)) + 1) * PLACES
    }
    return 0
  }

  #write(key: string, bytes: Uint8Array): void {
    this.#kv.put(key, bytes) // first: if it throws, memory and storage still agree
    this.#row = { key, bytes }
  }

  #slotOf(table: string, place: number): Uint8Array {
    return slotOf(this.#load(toKey(table, place)), place % PLACES)
  }

  /** Returns the bytes of a row; zeros for a row that is not stored. */
  #load(key: string): Uint8Array {
    if (this.#row?.key !== key) {
      const bytes = this.#kv.get<Uint8Array>(key) ?? new Uint8Array(START + PLACES * WIDTH)
      this.#row = { key, bytes }
    }
    return this.#row.bytes
  }
}

function chooseTable({ verification_id }: MaskedId): string {
  return verification_id === '' ? IDS : MASKS
}

/** Returns the XOR of the bytes of a place with `bytes`, which may be shorter. */
function xor(slot: Uint8Array, bytes: Uint8Array): Uint8Array {
  return slot.map((byte, i) => byte ^ (bytes[i] ?? 0))
}

function isEmpty(slot: Uint8Array): boolean {
  return slot.every((byte) => byte === 0)
}

function slotOf(bytes: Uint8Array, index: number): Uint8Array {
  return bytes.subarray(START + index * WIDTH, START + (index + 1) * WIDTH)
}

/** Returns the storage key of the row that contains this place. */
function toKey(table: string, place: number): string {
  return table + String(Math.floor(place / PLACES)).padStart(8, '0')
}
