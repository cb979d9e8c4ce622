// Ids of the listed verifications, apart from their entries (api/lists). SQLite keeps an overwritten or moved
// row readable in its file. It overwrites a value in place only if the new value has the same length. So the
// ids of many entries are in one row of constant length. A removed id is replaced by zeros. SQLite may move
// the first 1,002 bytes of a row to another page, but never the rest. So the ids begin after them.

import { equalBytes, utf8 } from '../../codec/bytes.ts'

const PREFIX = 'ids/'
const START = 1_024
/** Bytes of the place of one id. The id is followed by zeros. */
const WIDTH = 48
/** Number of ids in one row. They fill one overflow page of SQLite. */
const IDS_A_ROW = 80

export class ListedIds {
  readonly #kv: SyncKvStorage
  /** The row that was used last. */
  #row: { readonly number: number; readonly bytes: Uint8Array } | undefined
  /** Number of the row that gets the next id. */
  #newest: number | undefined

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  /** Stores an id of at most 48 bytes. Returns its place. */
  add(id: string): number {
    let number = this.#newest ?? this.#last()
    let index = firstFree(this.#load(number))
    if (index === IDS_A_ROW) {
      number += 1
      index = 0
    }
    this.#newest = number
    this.#write(number, index, utf8(id))
    return number * IDS_A_ROW + index
  }

  /** Returns the id at a place. The entry with this place must be stored. */
  get(place: number): string {
    const slot = slotOf(this.#load(Math.floor(place / IDS_A_ROW)), place % IDS_A_ROW)
    const id = new TextDecoder().decode(slot).replace(/\0+$/, '')
    if (id === '') throw new TypeError('the id of an entry is missing')
    return id
  }

  /** Overwrites the id at a place by zeros. */
  remove(place: number): void {
    this.#write(Math.floor(place / IDS_A_ROW), place % IDS_A_ROW, new Uint8Array(WIDTH))
  }

  /** Overwrites an id whose entry, which has its place, cannot be read. Reads all rows with ids. */
  removeId(id: string): void {
    const wanted = new Uint8Array(WIDTH)
    wanted.set(utf8(id))
    const end = (this.#last() + 1) * IDS_A_ROW
    for (let place = 0; place < end; place++) {
      const slot = slotOf(this.#load(Math.floor(place / IDS_A_ROW)), place % IDS_A_ROW)
      if (equalBytes(slot, wanted)) this.remove(place)
    }
  }

  #write(number: number, index: number, id: Uint8Array): void {
    const bytes = this.#load(number).slice()
    slotOf(bytes, index).set(id)
    this.#kv.put(toKey(number), bytes) // first: if it throws, memory and storage still agree
    this.#row = { number, bytes }
  }

  /** Returns the bytes of a row; zeros for a row that is not stored. */
  #load(number: number): Uint8Array {
    if (this.#row?.number !== number) {
      const bytes = this.#kv.get<Uint8Array>(toKey(number)) ?? new Uint8Array(START + IDS_A_ROW * WIDTH)
      this.#row = { number, bytes }
    }
    return this.#row.bytes
  }

  /** Returns the number of the last stored row; 0 before the first. */
  #last(): number {
    for (const [key] of this.#kv.list({ prefix: PREFIX, reverse: true, limit: 1 })) {
      return Number(key.slice(PREFIX.length))
    }
    return 0
  }
}

function slotOf(bytes: Uint8Array, index: number): Uint8Array {
  return bytes.subarray(START + index * WIDTH, START + (index + 1) * WIDTH)
}

/** Returns the index of the first place without an id; `IDS_A_ROW` if there is none. */
function firstFree(bytes: Uint8Array): number {
  let index = 0
  while (index < IDS_A_ROW && bytes[START + index * WIDTH] !== 0) index += 1
  return index
}

function toKey(number: number): string {
  return PREFIX + String(number).padStart(8, '0')
}
