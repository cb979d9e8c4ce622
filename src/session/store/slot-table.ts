// Rows of the sessions that share an object. Each session has one row: its document and the time of its next
// work. An erased session must leave no byte in the database file. But SQLite keeps the bytes of values that
// it moves or frees. SQLite overwrites a value in place only if the new value has the same length. So a row
// reserves a number of whole pages, and this number never changes. A document that needs more pages gets
// another row, and zeros overwrite the earlier row. A row is never deleted: a row of zeros is free for
// another session. SQLite may move the first part of a row to another page, but never the pages after it. So
// the id and the document begin after that part.

import { decodeUtf8, utf8 } from '../../codec/bytes.ts'

/** Bytes of `data` that SQLite stores within the page of the row. */
const START = 500
/** Bytes of `data` on each further page. */
const PAGE = 4_092
/**
 * Bytes of a row that are reserved for the id. Zeros fill the bytes after the id. An erased session may have
 * no id.
 */
const ID_WIDTH = 48
/** Largest number of pages of a row: nearly 2 MiB, the limit of SQLite on this platform for a row. */
const MOST_PAGES = 512
/**
 * Value of `wake_at` for a row without further work. SQLite stores this value and every time in the same
 * number of bytes, so a new time does not change the length of the row.
 */
const NEVER = 2 ** 46
const EARLIEST = 2 ** 31
/** Value of the column `mark` in a free row. */
const FREE = '0'.repeat(32)

/** The row of a session. `wakeUp`: Unix milliseconds; null without further work. */
export type SlotRow = { readonly place: number; readonly pages: number; readonly wakeUp: number | null }

type Columns = { readonly place: number; readonly pages: number; readonly wake_at: number }

export class SlotTable {
  readonly #sql: SqlStorage

  /** Creates the table in a new object. */
  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(`CREATE TABLE IF NOT EXISTS slots (
      place INTEGER PRIMARY KEY, pages INTEGER NOT NULL, wake_at INTEGER NOT NULL, mark TEXT NOT NULL, data BLOB NOT NULL)`)
    sql.exec('CREATE INDEX IF NOT EXISTS slots_by_mark ON slots (mark, pages)')
    sql.exec('CREATE INDEX IF NOT EXISTS slots_by_time ON slots (wake_at)')
  }

  /** Returns the row of a session. `mark`: keyed digest of its id. Returns `undefined` if there is no row. */
  find(mark: string): SlotRow | undefined {
    return this.#first('WHERE mark = ?', mark)
  }

  /** Returns the id, the mark and the document in a row that is not free. Throws for a damaged row. */
  read(place: number): { readonly id: string; readonly mark: string; readonly document: object } {
    const query = 'SELECT mark, data FROM slots WHERE place = ?'
    const { mark, data } = this.#sql.exec<{ mark: string; data: ArrayBuffer }>(query, place).one()
    return { ...decode(new Uint8Array(data)), mark }
  }

  /** Stores a document in the row of its session, or in another row if the document needs more pages. */
  write(
    row: SlotRow | undefined,
    { id, mark }: { readonly id: string; readonly mark: string },
    { document, wakeUp }: { readonly document: object; readonly wakeUp: number | null },
  ): SlotRow {
    const text = utf8(JSON.stringify(document))
    const pages = pagesFor(text.length)
    const wakeAt = toColumn(wakeUp)
    if (row !== undefined && pages <= row.pages) {
      const data = encode(row.pages, id, text)
      this.#sql.exec('UPDATE slots SET wake_at = ?, data = ? WHERE place = ?', wakeAt, data, row.place)
      return { ...row, wakeUp }
    }
    if (row !== undefined) this.free(row)
    const data = encode(pages, id, text)
    const free = this.#first('WHERE mark = ? AND pages = ?', FREE, pages)
    if (free === undefined) {
      const insert = 'INSERT INTO slots (pages, wake_at, mark, data) VALUES (?, ?, ?, ?) RETURNING place'
      const { place } = this.#sql.exec<{ place: number }>(insert, pages, wakeAt, mark, data).one()
      return { place, pages, wakeUp }
    }
    const update = 'UPDATE slots SET wake_at = ?, mark = ?, data = ? WHERE place = ?'
    this.#sql.exec(update, wakeAt, mark, data, free.place)
    return { place: free.place, pages, wakeUp }
  }

  /** Overwrites a row by zeros. Another session may use the row then. */
  free({ place, pages }: SlotRow): void {
    const update = 'UPDATE slots SET wake_at = ?, mark = ?, data = zeroblob(?) WHERE place = ?'
    this.#sql.exec(update, NEVER, FREE, START + pages * PAGE, place)
  }

  /** Changes the time of the next work of a row. */
  setWakeUp(row: SlotRow, wakeUp: number): SlotRow {
    this.#sql.exec('UPDATE slots SET wake_at = ? WHERE place = ?', toColumn(wakeUp), row.place)
    return { ...row, wakeUp }
  }

  /** Returns the rows with the earliest work, at most `limit`. */
  earliest(limit: number): readonly SlotRow[] {
    const query = `SELECT place, pages, wake_at FROM slots WHERE wake_at < ${NEVER} ORDER BY wake_at LIMIT ?`
    return [...this.#sql.exec<Columns>(query, limit)].map(toRow)
  }

  #first(where: string, ...values: readonly (string | number)[]): SlotRow | undefined {
    const [row] = this.#sql.exec<Columns>(
      `SELECT place, pages, wake_at FROM slots ${where} LIMIT 1`,
      ...values,
    )
    return row && toRow(row)
  }
}

/** Returns the number of pages for a document: a power of two. Throws for a document that is too long. */
function pagesFor(length: number): number {
  let pages = 1
  while (ID_WIDTH + 4 + length > pages * PAGE) pages *= 2
  if (pages > MOST_PAGES) throw new Error('the document of a session is too long')
  return pages
}

function encode(pages: number, id: string, text: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(START + pages * PAGE)
  bytes.set(utf8(id), START)
  new DataView(bytes.buffer).setUint32(START + ID_WIDTH, text.length)
  bytes.set(text, START + ID_WIDTH + 4)
  return bytes
}

/** Returns the id and the document in the `data` of a row. Throws if the row is damaged. */
function decode(bytes: Uint8Array): { readonly id: string; readonly document: object } {
  const idEnd = START + ID_WIDTH
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(idEnd)
  const id = decodeUtf8(bytes.subarray(START, idEnd))?.replace(/\0+$/, '')
  const text = decodeUtf8(bytes.subarray(idEnd + 4, idEnd + 4 + length))
  if (id === undefined || text === undefined || text === '')
    throw new Error('the row of a session is damaged')
  return { id, document: JSON.parse(text) as object }
}

function toColumn(wakeUp: number | null): number {
  return wakeUp === null ? NEVER : Math.min(Math.max(Math.ceil(wakeUp), EARLIEST), NEVER - 1)
}

function toRow({ place, pages, wake_at }: Columns): SlotRow {
  return { place, pages, wakeUp: wake_at === NEVER ? null : wake_at }
}
