// Directory of the operator: one object with a row for each relying party and for each trust list. It also
// stores the ended sign-ins of the operator's console, and the expiry of the relying parties' own
// certificates. So the earliest expiry is found without reading every relying party. Other objects of this
// class count sessions, or check that storage can be written.

import { DurableObject, waitUntil } from 'cloudflare:workers'
import { loadConfig } from '../config.ts'
import { type Env, withJurisdiction } from '../env.ts'
import { logLine } from '../metrics/log-line.ts'
import { loggedError } from '../metrics/platform-error.ts'
import { createCache } from '../net/cache.ts'
import { withDeadline } from '../net/time-limit.ts'
import { ok, type Result } from '../result.ts'
import type { ChainLifetime } from '../trust/x509/chain-lifetime.ts'
import type { Origin } from './audit/actor.ts'
import type { TrustListEntry } from './document/settings.ts'
import { openSignOuts, type SignIn, type SignOuts } from './document/sign-outs.ts'
import {
  countSessions,
  createSessionNotes,
  type SessionCounts,
  type SessionNote,
  storeSessionNotes,
} from './session-counts.ts'

/** One row of the directory. `created_at` is Unix milliseconds. */
type DirectoryEntry = {
  readonly relying_party_id: string
  readonly name: string
  readonly livemode: boolean
  readonly created_at: number
}

/**
 * An entry as the operator sees it. The entry has the expiry of the relying party's own certificate in Unix
 * milliseconds; `null` if there is none.
 */
type ListedEntry = DirectoryEntry & { readonly verifier_certificate_expires_at: number | null }

/** Expiry of the relying parties' own certificates. Times are Unix milliseconds. */
export type CertificateDates = {
  readonly expired: number
  /** Number of certificates that should be renewed now. Expired certificates are not included. */
  readonly toRenew: number
  /** Earliest expiry that has not passed; `null` if there is none. */
  readonly nextExpiry: number | null
}

/** Entries in the order of creation. `next` is the cursor of the following page; null on the last page. */
type DirectoryPage = { readonly entries: readonly ListedEntry[]; readonly next: number | null }

export class Directory extends DurableObject<Env> {
  readonly #signOuts = openSignOuts(this.ctx.storage)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    ctx.storage.sql.exec(`CREATE TABLE IF NOT EXISTS relying_parties (
      position INTEGER PRIMARY KEY AUTOINCREMENT, relying_party_id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL, livemode INTEGER NOT NULL, created_at INTEGER NOT NULL)`)
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS trust_lists (name TEXT PRIMARY KEY, livemode INTEGER NOT NULL) WITHOUT ROWID',
    )
    // A row without dates belongs to a relying party without a certificate of its own.
    ctx.storage.sql.exec(`CREATE TABLE IF NOT EXISTS verifier_certificates (
      relying_party_id TEXT PRIMARY KEY, expires_at INTEGER, renew_from INTEGER) WITHOUT ROWID`)
    createSessionNotes(ctx.storage.sql)
  }

  add(entry: DirectoryEntry): void {
    this.ctx.storage.sql.exec(
      'INSERT INTO relying_parties (relying_party_id, name, livemode, created_at) VALUES (?, ?, ?, ?)',
      entry.relying_party_id,
      entry.name,
      entry.livemode ? 1 : 0,
      entry.created_at,
    )
  }

  rename(relyingPartyId: string, name: string): void {
    const statement = 'UPDATE relying_parties SET name = ? WHERE relying_party_id = ?'
    this.ctx.storage.sql.exec(statement, name, relyingPartyId)
  }

  /**
   * Stores the lifetime of a relying party's certificate; `null` if the relying party has none. An unlisted
   * relying party is ignored.
   */
  noteCertificate(relyingPartyId: string, lifetime: ChainLifetime | null): void {
    const statement = `INSERT OR REPLACE INTO verifier_certificates
      SELECT relying_party_id, ?, ? FROM relying_parties WHERE relying_party_id = ?`
    const dates = [lifetime?.expiresAt ?? null, lifetime?.renewFrom ?? null]
    this.ctx.storage.sql.exec(statement, ...dates, relyingPartyId)
  }

  /**
   * Returns how many certificates have expired at `now` (Unix milliseconds), how many should be renewed, and
   * the next expiry.
   */
  certificateDates(now: number): CertificateDates {
    const statement = `SELECT count(*) FILTER (WHERE expires_at < ?1) AS expired,
      count(*) FILTER (WHERE expires_at >= ?1 AND renew_from <= ?1) AS toRenew,
      min(expires_at) FILTER (WHERE expires_at >= ?1) AS nextExpiry FROM verifier_certificates`
    return this.ctx.storage.sql.exec<CertificateDates>(statement, now).one()
  }

  /** Removes an entry. Returns true if the entry existed. */
  remove(relyingPartyId: string): boolean {
    this.ctx.storage.sql.exec('DELETE FROM verifier_certificates WHERE relying_party_id = ?', relyingPartyId)
    const statement = 'DELETE FROM relying_parties WHERE relying_party_id = ?'
    return this.ctx.storage.sql.exec(statement, relyingPartyId).rowsWritten > 0
  }

  /** Returns the entries after a cursor (0: from the start). */
  list(after: number, limit: number): DirectoryPage {
    const statement = `SELECT entry.*, expires_at AS verifier_certificate_expires_at
      FROM relying_parties AS entry LEFT JOIN verifier_certificates USING (relying_party_id)
      WHERE position > ? ORDER BY position LIMIT ?`
    const rows = this.ctx.storage.sql.exec<Row>(statement, after, limit + 1).toArray()
    const shown = rows.slice(0, limit)
    const entries = shown.map(({ position, livemode, ...row }) => ({ ...row, livemode: livemode === 1 }))
    return { entries, next: rows.length > limit ? (shown.at(-1)?.position ?? null) : null }
  }

  /**
   * Ends a sign-in of the operator's console. `now` is Unix milliseconds. `_by` is ignored, because the
   * directory has no audit log.
   */
  endSignIn(signIn: SignIn, now: number, _by?: Origin): void {
    this.#signOuts.end(signIn, now)
  }

  /** Returns the ended sign-ins of the operator's console. */
  signOuts(): Result<SignOuts, never> {
    return ok(this.#signOuts.read())
  }

  /**
   * Writes a value that needs new space on the disk, and then removes the value. Rejects if storage cannot be
   * written.
   */
  async checkStorage(): Promise<void> {
    const { kv } = this.ctx.storage
    kv.put(STORAGE_CHECK, new Uint8Array(STORAGE_CHECK_BYTES))
    await this.ctx.storage.sync()
    kv.delete(STORAGE_CHECK)
  }

  /** Stores one note for each of these sessions. `sessionCounts` adds up the stored notes. */
  noteSessions(notes: readonly SessionNote[]): void {
    this.ctx.storage.transactionSync(() => storeSessionNotes(this.ctx.storage.sql, notes))
  }

  /**
   * Returns the counts of pending sessions and of unsent events in each mode. `newer`: notes that are not
   * stored yet. `now` is Unix milliseconds.
   */
  sessionCounts(now: number, newer: readonly SessionNote[] = []): readonly SessionCounts[] {
    return countSessions(this.ctx.storage.sql, now, newer)
  }

  /**
   * Adds a list. Returns true if the list is added or was listed before, and false if the limit is reached.
   */
  addTrustList({ name, livemode }: TrustListEntry): boolean {
    const lists = this.trustLists()
    if (lists.some((list) => list.name === name)) return true
    if (lists.length >= MAXIMUM_TRUST_LISTS) return false
    this.ctx.storage.sql.exec('INSERT INTO trust_lists VALUES (?, ?)', name, livemode ? 1 : 0)
    return true
  }

  /** Removes a list. Returns true if the list existed. */
  removeTrustList(name: string): boolean {
    return this.ctx.storage.sql.exec('DELETE FROM trust_lists WHERE name = ?', name).rowsWritten > 0
  }

  /** Returns every list of the operator, by name. */
  trustLists(): readonly TrustListEntry[] {
    const rows = this.ctx.storage.sql.exec<{ name: string; livemode: number }>('SELECT * FROM trust_lists')
    return rows.toArray().map(({ name, livemode }) => ({ name, livemode: livemode === 1 }))
  }
}

const MAXIMUM_TRUST_LISTS = 50

/** Time limit of one check of the storage. */
const CHECK_MS = 5_000
/** Time between two checks if the service runs as one process, or if the last check failed. */
const CHECK_AGAIN_MS = 5_000
/** Time between two checks on Cloudflare. */
const CHECK_AGAIN_ON_CLOUDFLARE_MS = 60_000
/**
 * Number of objects that take turns in the check of the storage (`isStorageWritable`). With 5 s between
 * checks, an object has its next turn after 20 s. The platform closes an object ten seconds after its last
 * use. So each check opens its object anew, and needs new space on the disk.
 */
const CHECKED_OBJECTS = 4
const STORAGE_CHECK = 'storage_check'
/** Number of bytes that the check writes. Three sessions need about as many bytes. */
const STORAGE_CHECK_BYTES = 65_536

type Row = Omit<ListedEntry, 'livemode'> & { readonly position: number; readonly livemode: number }

/** Returns the object of the directory, of which there is only one. */
export function directoryStub(env: Env): DurableObjectStub<Directory> {
  return env.DIRECTORY.getByName('directory')
}

/** Returns the object that counts sessions. It has the class of the directory, but is another object. */
export function sessionCountsStub(env: Env): DurableObjectStub<Directory> {
  return env.DIRECTORY.getByName('session_counts')
}

/**
 * Returns true if storage can be written. A result is used for 5 s. On Cloudflare each written row costs
 * money, so there a success is used for a minute. Four objects take turns in the check. They do nothing else,
 * because a failed write stops the object. An object that stayed open would reuse the space of its last
 * check, so the check would succeed even on a full disk. The platform closes an object before its next turn,
 * so each check needs new space on the disk. `now` is Unix milliseconds.
 */
export function isStorageWritable(env: Env, now: number): Promise<boolean> {
  const again = loadConfig(env).listeningPort === null ? CHECK_AGAIN_ON_CLOUDFLARE_MS : CHECK_AGAIN_MS
  return checks.get('storage', {
    now,
    isFresh: (isWritable, age) => age < (isWritable ? again : CHECK_AGAIN_MS),
    read: async (last) => {
      const failure = await checkOnce(env)
      if (failure !== null && last !== false) logLine('error', 'storage_not_writable', failure)
      return failure === null
    },
  })
}

const checks = createCache<boolean>({ names: 1, waitMs: CHECK_MS, late: false, inBackground: waitUntil })

let checkCount = 0

/** Returns `null` if storage can be written, otherwise the error for the log. */
async function checkOnce(env: Env): Promise<ReturnType<typeof loggedError> | null> {
  checkCount += 1
  const turn = checkCount % CHECKED_OBJECTS
  const name = turn === 0 ? STORAGE_CHECK : `${STORAGE_CHECK}_${turn}`
  try {
    const check = env.DIRECTORY.getByName(name).checkStorage()
    return await withDeadline(
      check.then(() => null),
      CHECK_MS,
      { error: 'Timeout' },
    )
  } catch (error) {
    return loggedError(error)
  }
}
