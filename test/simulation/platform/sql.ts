// SQL of one object: real SQLite, in memory. The statements that change data are writes of a transaction
// (storage.ts). A new instance runs those that are durable again. One test holds for workerd and for this
// file (sql-contract.ts).

import { DatabaseSync } from 'node:sqlite'

type Value = string | number | null
export type Statement = { readonly text: string; readonly values: readonly Value[] }
type Row = Readonly<Record<string, unknown>>

/** Opens the database. `statements`: those that made its content. */
export function openSql(statements: readonly Statement[]) {
  let made = statements
  let database: DatabaseSync | undefined
  const opened = (): DatabaseSync => {
    if (database !== undefined) return database
    database = new DatabaseSync(':memory:')
    for (const statement of made) rowsOf(database, statement)
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
      one.exec('SAVEPOINT one')
      try {
        const [before, cursor] = [stateOf(one), cursorOf(one, statement)]
        if (stateOf(one) !== before) admit()
        one.exec('RELEASE one')
        return cursor
      } catch (error) {
        one.exec('ROLLBACK TO one; RELEASE one')
        throw error
      }
    },
    /** Makes the database anew, from other statements. */
    restore: (others: readonly Statement[]): void => {
      close()
      made = [...others]
    },
    close,
  }
}

/** The part of a cursor of workerd that the service uses. */
function cursorOf(database: DatabaseSync, statement: Statement) {
  const before = changesOf(database)
  const rows = rowsOf(database, statement)
  return {
    toArray: () => rows,
    one: (): Row => {
      const [row, ...others] = rows
      if (row === undefined || others.length > 0) throw new Error(`one() got ${rows.length} rows`)
      return row
    },
    /** Without the rows of indexes, which workerd counts, too. */
    rowsWritten: changesOf(database) - before,
  }
}

function rowsOf(database: DatabaseSync, { text, values }: Statement): readonly Row[] {
  const isSeveral = /;\s*\S/.test(text)
  if (!isSeveral) return database.prepare(text).all(...values)
  database.exec(text)
  return []
}

/** A text that differs after each change of a row or of a table. */
function stateOf(database: DatabaseSync): string {
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_master').get() ?? {}
  return `${tables} ${changesOf(database)}`
}

function changesOf(database: DatabaseSync): number {
  return Number(database.prepare('SELECT total_changes() AS changes').get()?.changes)
}
