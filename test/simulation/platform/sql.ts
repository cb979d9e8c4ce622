// SQL of one object: real SQLite, in memory. The statements that change data are writes of a transaction
// (storage.ts). A new instance gets a copy of what is durable. One test holds for workerd and for this file
// (sql-contract.ts).

import { DatabaseSync, type StatementSync } from 'node:sqlite'

type Value = string | number | null | Uint8Array | ArrayBuffer
export type Statement = { readonly text: string; readonly values: readonly Value[] }
type Row = Readonly<Record<string, unknown>>

/** A database. `copyOf`: returns the bytes that it begins with; none for an empty database. */
export type Sql = ReturnType<typeof openSql>

/** Opens a database at its first statement. */
export function openSql(copyOf: () => Uint8Array | undefined = () => undefined) {
  let begin = copyOf
  let database: Database | undefined
  const opened = (): Database => {
    database ??= openDatabase(begin())
    return database
  }
  const close = (): void => {
    database?.close()
    database = undefined
  }
  return {
    /** Runs a statement. `admit`: is called before a change is kept; if it throws, nothing is changed. */
    run: (statement: Statement, admit: () => void = () => {}) => {
      const one = opened()
      if (statement.text.startsWith('SELECT ')) return cursorOf(one, statement)
      one.prepare('SAVEPOINT one').run()
      try {
        const before = one.state()
        const cursor = cursorOf(one, statement)
        if (one.state() !== before) admit()
        one.prepare('RELEASE one').run()
        return cursor
      } catch (error) {
        one.prepare('ROLLBACK TO one').run()
        one.prepare('RELEASE one').run()
        throw error
      }
    },
    /** Returns the rows of a table; none if there is no such table. */
    rowsOf: (table: string): readonly Row[] => {
      if (database === undefined) return []
      const isThere = 'SELECT 1 FROM sqlite_master WHERE name = ?'
      if (database.prepare(isThere).all(table).length === 0) return []
      return database.prepare(`SELECT * FROM ${table}`).all()
    },
    /** Returns the bytes of the database file; `undefined` for an empty database. */
    bytes: (): Uint8Array | undefined => database?.serialize() ?? begin(),
    /** Makes the database anew. */
    restore: (other: () => Uint8Array | undefined): void => {
      close()
      begin = other
    },
    close,
  }
}

const FILLER = new Uint8Array(2 ** 20).fill(0xaa)

type Database = ReturnType<typeof openDatabase>

/** A database that keeps its statements, because they are prepared more slowly than they run. */
function openDatabase(bytes: Uint8Array | undefined) {
  const database = new DatabaseSync(':memory:')
  if (bytes !== undefined) database.deserialize(bytes)
  // Its bytes decide nothing, and random ones take long.
  database.function('randomblob', (length) => FILLER.subarray(0, Number(length)))
  const prepared = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const statement = prepared.get(text) ?? database.prepare(text)
    prepared.set(text, statement)
    return statement
  }
  const changes = () => Number(prepare('SELECT total_changes() AS changes').get()?.changes)
  return {
    prepare,
    exec: (text: string) => database.exec(text),
    serialize: () => database.serialize(),
    close: () => database.close(),
    changes,
    /** A text that differs after each change of a row or of a table. */
    state: () => `${prepare('SELECT count(*) AS tables FROM sqlite_master').get()?.tables} ${changes()}`,
  }
}

/** The part of a cursor of workerd that the service uses. */
function cursorOf(database: Database, statement: Statement) {
  const before = database.changes()
  const rows = rowsOf(database, statement)
  return {
    [Symbol.iterator]: () => rows[Symbol.iterator](),
    toArray: () => rows,
    one: (): Row => {
      const [row, ...others] = rows
      if (row === undefined || others.length > 0) throw new Error(`one() got ${rows.length} rows`)
      return row
    },
    /** Without the rows of indexes, which workerd counts, too. */
    rowsWritten: database.changes() - before,
  }
}

function rowsOf(database: Database, { text, values }: Statement): readonly Row[] {
  const isSeveral = /;\s*\S/.test(text)
  if (isSeveral) {
    database.exec(text)
    return []
  }
  const bound = values.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value))
  return database
    .prepare(text)
    .all(...bound)
    .map(toRow)
}

/** Returns a row with its bytes as `ArrayBuffer`, as workerd does. */
function toRow(row: Row): Row {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? value.slice().buffer : value,
  ])
  return Object.fromEntries(values) as Row
}
