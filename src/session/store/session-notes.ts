// Notes of sessions for the gauges (relying-party/session-counts.ts): pending sessions, queued events and
// dead events. A service that runs as one process collects the changes of all its sessions in memory. The
// process stores these changes after the gauges are read, and before the process ends. Changes of sessions
// that have ended, or have a queued or dead event, are stored once a second. Most sessions end and deliver
// their event before any of their changes is stored, so they never get a row. After `kill -9`, new pending
// sessions and the changes of the last second may be missing, until these sessions change again.

import { env, waitUntil } from 'cloudflare:workers'
import { loadConfig } from '../../config.ts'
import { type Env, withJurisdiction } from '../../env.ts'
import { sessionCountsStub } from '../../relying-party/directory.ts'
import type { SessionNote } from '../../relying-party/session-counts.ts'
import type { SessionDocument } from '../document/document.ts'
import { inBackground } from './background.ts'

/**
 * `COLLECT_MS`: time for which changes are collected before they are stored. `FAILED_MS`: time after which a
 * write that has not ended is treated as failed.
 */
const COLLECT_MS = 1_000
const FAILED_MS = 30_000
/**
 * Limit of changes in memory. Beyond this limit the oldest change is dropped. This happens only if storage
 * cannot be written for a long time.
 */
const LIMIT = 100_000

const changes = new Map<string, SessionNote>()
let begunAt = Number.NEGATIVE_INFINITY

/** Adds a note about a session, made after a write of the session. On Cloudflare the call does nothing. */
export function addNote(note: SessionNote): void {
  const bindings = withJurisdiction(env as Env)
  if (loadConfig(bindings).listeningPort === null) return
  addChange(note)
  if (isOnlyPending(note)) return
  const now = Date.now()
  if (Math.abs(now - begunAt) < FAILED_MS) return
  begunAt = now
  waitUntil(
    inBackground(async () => {
      await scheduler.wait(COLLECT_MS)
      await storeNotes(bindings, (change) => !isOnlyPending(change))
    }),
  )
}

/** Returns the changes that are not stored yet. */
export function collectedNotes(): readonly SessionNote[] {
  return [...changes.values()]
}

/** Stores the collected changes that are due. If storage cannot be written, keeps the changes and rejects. */
export async function storeNotes(
  bindings: Env,
  isDue: (change: SessionNote) => boolean = () => true,
): Promise<void> {
  begunAt = Number.NEGATIVE_INFINITY
  const notes = [...changes.values()].filter(isDue)
  for (const { verification_id } of notes) changes.delete(verification_id)
  if (notes.length === 0) return
  try {
    await sessionCountsStub(bindings).noteSessions(notes)
  } catch (error) {
    const newer = [...changes.values()]
    for (const note of [...notes, ...newer]) addChange(note)
    throw error
  }
}

/**
 * Returns the numbers of one session for the gauges. `document`: `undefined` if the session is erased. A
 * pending session is counted until its expiry, or until its held success lapses if that is later.
 */
export function toNote(verificationId: string, document: SessionDocument | undefined): SessionNote {
  const { livemode = false, status, expires_at, held, deliveries = [] } = document ?? {}
  const inState = (wanted: string) => deliveries.filter(({ state }) => state === wanted).length
  return {
    verification_id: verificationId,
    livemode,
    pending_until: status === 'pending' ? Math.max(expires_at ?? 0, held?.until ?? 0) : null,
    queued_events: inState('owed'),
    dead_events: inState('dead'),
  }
}

function isOnlyPending({ pending_until, queued_events, dead_events }: SessionNote): boolean {
  return pending_until !== null && queued_events === 0 && dead_events === 0
}

function addChange(note: SessionNote): void {
  changes.delete(note.verification_id) // a Map keeps the order of insertion
  changes.set(note.verification_id, note)
  const [oldest] = changes.size > LIMIT ? changes.keys() : []
  if (oldest !== undefined) changes.delete(oldest)
}
