// Rows with the sealed evidence of sessions that share an object. The first evidence creates the table.
// Erased evidence is overwritten by zeros. If the session is erased, too, its rows are deleted. SQLite may
// then keep their bytes in free pages, but these bytes are only ciphertext or zeros.

import { type EvidenceParts, joinEvidence } from './stored-evidence.ts'

/** The evidence parts of a session. `isErased`: true if the session itself is erased. */
type Parts = { readonly mark: string; readonly parts: EvidenceParts | undefined; readonly isErased: boolean }

/**
 * Calls `change`, and replaces the evidence parts of a session in the same transaction. An empty list erases
 * the parts. Without a list the parts stay as they are.
 */
export function changeTogether<T>(storage: DurableObjectStorage, parts: Parts, change: () => T): T {
  if (parts.parts === undefined) return change()
  return storage.transactionSync(() => {
    writeParts(storage.sql, parts, parts.parts ?? [])
    return change()
  })
}

function writeParts(sql: SqlStorage, { mark, isErased }: Parts, parts: EvidenceParts): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS evidence (
    mark TEXT NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (mark, part)) WITHOUT ROWID`)
  const isOverwritten = parts.length === 0 && !isErased
  const erase = isOverwritten ? 'UPDATE evidence SET data = zeroblob(length(data))' : 'DELETE FROM evidence'
  sql.exec(`${erase} WHERE mark = ?`, mark)
  for (const [i, data] of parts.entries())
    sql.exec('INSERT INTO evidence (mark, part, data) VALUES (?, ?, ?)', mark, i, data)
}

/** Returns the bytes of the parts of a session. Throws if a part is missing. */
export function readParts(sql: SqlStorage, mark: string, parts: number): Uint8Array<ArrayBuffer> {
  return joinEvidence(parts, (i) => {
    const query = 'SELECT data FROM evidence WHERE mark = ? AND part = ?'
    const [row] = sql.exec<{ data: ArrayBuffer }>(query, mark, i)
    return row && new Uint8Array(row.data)
  })
}
