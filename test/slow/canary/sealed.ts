// Sealed keys of verifier identities, as sessions store them. Each session has its own sealing.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Tables of sessions: of an object with one session, and of an object that sessions share. */
const TABLES = { 'unique-key-VerificationSession': '_cf_KV', 'shared-unique-key': 'slots' }
/** The member in JSON, or as workerd serializes it: with its length in two bytes. */
const MEMBER = /sealed_signing_jwk"(?::"|[\x80-\xff].)([\w-]{100,})/gs

/** Returns the folders of sessions, relative to the state directory, with their tables. */
export function foldersOfSessions(stateDir: string): readonly (readonly [path: string, table: string])[] {
  return Object.entries(TABLES)
    .map(([key, table]) => [join(stateDir, 'keys', key), table] as const)
    .filter(([key]) => existsSync(key))
    .map(([key, table]) => [join('objects', readFileSync(key, 'utf8')), table])
}

/** Returns the beginning and the end of each sealed key that a session stores now, by itself. */
export function sealedKeys(stateDir: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [path, table] of foldersOfSessions(stateDir)) {
    const folder = join(stateDir, path)
    for (const name of readdirSync(folder).filter((one) => /^[0-9a-f]{64}\.sqlite$/.test(one)))
      for (const [, text = ''] of textOf(join(folder, name), table).matchAll(MEMBER))
        for (const part of [text.slice(0, 40), text.slice(-40)]) found[`sealed key ${part}`] = part
  }
  return found
}

/** Returns the content of a table as text; empty for an object without the table. */
function textOf(path: string, table: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const has = database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== undefined
    const rows = has ? database.prepare(`SELECT * FROM ${table}`).all() : []
    const values = rows.flatMap((row) => Object.values(row))
    return values.map((value) => (value instanceof Uint8Array ? latin1(value) : '')).join('\n')
  } finally {
    database.close()
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
