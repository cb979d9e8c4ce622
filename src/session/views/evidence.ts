// The sealed evidence of a finished session for its relying party (api/evidence).

import { isoTime } from '../../codec/date-time.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import type { SessionError } from '../document/results.ts'
import { envelopeText } from '../evidence/envelope.ts'
import { erasedEvidence } from '../evidence/stored-evidence.ts'
import type { SessionStore } from '../store/store.ts'

/**
 * JSON text of the envelope, or the time at which the sealed bytes were erased (RFC 3339). While the evidence
 * waits for its time stamp, `waitingVersion` is the version of the session; otherwise it is null.
 */
export type EvidenceView =
  | { readonly json: string; readonly waitingVersion: number | null }
  | { readonly erasedAt: string }

/** `read` returns the envelope. `erase` erases the sealed bytes; a repeated call changes nothing. */
export const EVIDENCE_ACTS = { read: readEvidence, erase: eraseEvidence } as const
export type EvidenceAct = keyof typeof EVIDENCE_ACTS

/** Returns the envelope. The sealed part of the envelope was written before the session ended. */
function readEvidence(
  store: SessionStore,
  { status, verification_id, evidence, version }: SessionDocument,
): Result<EvidenceView, SessionError> {
  if (status === 'pending') return err('not_ended')
  if (evidence === undefined) return err('no_evidence')
  const { erased_at, time_stamp } = evidence
  if (erased_at !== undefined) return ok({ erasedAt: isoTime(erased_at) })
  const waitingVersion = time_stamp?.state === 'owed' ? version : null
  return ok({ json: envelopeText(verification_id, evidence, store.evidence()), waitingVersion })
}

/** Erases the sealed bytes. The digest stays. Returns the time of the erasure. */
function eraseEvidence(store: SessionStore, document: SessionDocument): Result<EvidenceView, SessionError> {
  const { status, evidence, version } = document
  if (status === 'pending') return err('not_ended')
  if (evidence === undefined) return err('no_evidence')
  const { erased_at = Date.now() } = evidence
  if (evidence.erased_at === undefined)
    store.commit({ ...document, version: version + 1, evidence: erasedEvidence(evidence, erased_at) })
  return ok({ erasedAt: isoTime(erased_at) })
}
