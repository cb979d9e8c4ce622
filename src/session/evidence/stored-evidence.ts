// The part of a session's document that describes its evidence (api/evidence). The evidence itself is sealed
// and stored beside the document. Only digests of the evidence are stored unencrypted.

import type { EvidenceState, KeptEvidence } from '../../api/responses/evidence.ts'
import { concatBytes, joinParts, type Parts, splitParts } from '../../codec/bytes.ts'
import { isoTimeOrNull } from '../../codec/date-time.ts'
import type { EvidenceKey, EvidenceSettings } from '../../relying-party/document/evidence-settings.ts'
import { type Delivery, enqueue, nextDue, startAttempt } from '../../webhook/outbox.ts'

/**
 * Keys to which the evidence is sealed, and outcomes for which evidence is kept. Both are fixed at creation.
 */
export type EvidenceTerms = {
  readonly keys: readonly EvidenceKey[]
  readonly outcomes: EvidenceSettings['outcomes']
  /** Absent: the evidence has no time stamp. */
  readonly time_stamp?: 'best_effort' | 'required'
  /** True if the evidence is sent to the object store of the settings. */
  readonly push?: boolean
}

/** Time stamp of the evidence, which may still be missing. `required`: true if a failure sends an event. */
export type StoredTimeStamp = { readonly required: boolean } & (
  | OwedTimeStamp
  /**
   * `gen_time`: Unix seconds. `token`: the time stamp in base64 of its DER; absent once the evidence is
   * erased.
   */
  | { readonly state: 'present'; readonly gen_time: number; readonly token?: string }
  | { readonly state: 'failed' }
)

/** `attempts`: number of started requests. */
type OwedTimeStamp = {
  readonly state: 'owed'
  readonly attempts: number
  readonly next_attempt_at: number
}

/** Sealed evidence that is stored beside the document. Times are Unix milliseconds. */
export type StoredEvidence = {
  /** SHA-256 of the manifest, in hex. The digest stays after the sealed bytes are erased. */
  readonly manifest_sha256: string
  readonly created_at: number
  /** Number of stored parts of the sealed bytes. */
  readonly parts: number
  /** Time at which the sealed bytes were erased. Absent while they are stored. */
  readonly erased_at?: number
  /** Absent if the evidence has no time stamp. */
  readonly time_stamp?: StoredTimeStamp
  /** Delivery to the object store, as a list with one entry. Absent if the evidence is not sent. */
  readonly push?: readonly Delivery[]
  /** True if the store accepted the evidence and did not confirm its checksum. */
  readonly push_unconfirmed?: boolean
}

/** `delivery_id` of the delivery to the object store. */
export const PUSH = 'push'

/** Returns the members of new evidence for its time stamp and its delivery. Both are due at `now`. */
export function owedWork(
  { time_stamp, push }: Pick<EvidenceTerms, 'time_stamp' | 'push'>,
  now: number,
): Pick<StoredEvidence, 'time_stamp' | 'push'> {
  const owed = { state: 'owed', attempts: 0, next_attempt_at: now } as const
  const named = { delivery_id: PUSH, event_id: '', event_type: '', sequence: 0, body: '' }
  return {
    ...(time_stamp && { time_stamp: { ...owed, required: time_stamp === 'required' } }),
    ...(push && { push: enqueue([], named, now) }),
  }
}

/**
 * Time after which the alarm starts the second request to the time-stamping authority, if a crash interrupted
 * the first request. The time is the sum of the longest request (10 s), the write of its result (5 s) and the
 * first wait of webhook retries (5 s).
 */
const FIRST_REQUEST_MS = 20_000

/**
 * Returns the evidence of a session that ends at `now`. The first request for a time stamp, or else the first
 * delivery, is already counted. The caller starts this attempt after the write. If a crash interrupts the
 * attempt, the alarm starts the next attempt.
 */
export function begunEvidence(evidence: StoredEvidence, now: number): StoredEvidence {
  const { time_stamp, push } = evidence
  if (time_stamp?.state === 'owed') {
    const begun = { ...time_stamp, attempts: 1, next_attempt_at: now + FIRST_REQUEST_MS }
    return { ...evidence, time_stamp: begun }
  }
  return push === undefined ? evidence : { ...evidence, push: startAttempt(push, PUSH, now) }
}

/**
 * Returns the time of the next request to the time-stamping authority, or of the next delivery to the object
 * store; Infinity if there is none. The delivery waits for the time stamp, because the delivered evidence
 * contains the time stamp.
 */
export function evidenceDueAt({ evidence }: Pick<EvidenceOwner, 'evidence'>): number {
  if (evidence === undefined || evidence.erased_at !== undefined) return Infinity
  const { time_stamp, push = [] } = evidence
  return time_stamp?.state === 'owed' ? time_stamp.next_attempt_at : (nextDue(push) ?? Infinity)
}

/**
 * Returns the evidence after its sealed bytes are erased. A time stamp that is still owed becomes failed, and
 * a delivery that is still owed is removed.
 */
export function erasedEvidence(evidence: StoredEvidence, erased_at: number): StoredEvidence {
  const { time_stamp, push, ...kept } = evidence
  const state = time_stamp?.state === 'present' ? withoutToken(time_stamp) : undefined
  const ended = push?.filter(({ next_attempt_at }) => next_attempt_at === null)
  return {
    ...kept,
    erased_at,
    ...(time_stamp && { time_stamp: state ?? { state: 'failed', required: time_stamp.required } }),
    ...(ended?.length && { push: ended }),
  }
}

function withoutToken({ token: _, ...rest }: StoredTimeStamp & { readonly state: 'present' }) {
  return rest
}

/**
 * Returns the member `evidence` of events and results; null without evidence. `isNow`: true for the current
 * state of the time stamp. False for the terminal event, which must never change: its state is always `none`
 * or `owed`.
 */
export function evidenceState(
  { evidence }: Pick<EvidenceOwner, 'evidence'>,
  isNow = true,
): EvidenceState | null {
  if (evidence === undefined) return null
  const { manifest_sha256, time_stamp } = evidence
  if (time_stamp === undefined) return { manifest_sha256, time_stamp: 'none' }
  return { manifest_sha256, time_stamp: isNow ? time_stamp.state : 'owed' }
}

/** Returns the evidence as the result shows it, also if it was erased; null without evidence. */
export function keptEvidence(document: Pick<EvidenceOwner, 'evidence'>): KeptEvidence | null {
  const state = evidenceState(document)
  return state && { ...state, erased_at: isoTimeOrNull(document.evidence?.erased_at ?? null) }
}

/** Sealed bytes of the evidence, split into the parts that are stored. */
export type EvidenceParts = Parts

/**
 * Evidence of an end: the members for the document, and the sealed bytes. `parts` is absent if the bytes are
 * stored already.
 */
export type SealedEvidence = { readonly stored: StoredEvidence; readonly parts?: EvidenceParts }

/**
 * Number of zeros before the bytes of a part. If SQLite overwrites a row, it may move the first 1,002 bytes
 * to another page. The moved bytes then stay readable in the database file, so they must be zeros. SQLite
 * overwrites all other bytes in place.
 */
const START = 1_024

/** Splits sealed bytes into parts. */
export function splitEvidence(bytes: Uint8Array<ArrayBuffer>): EvidenceParts {
  return splitParts(bytes).map((part) => concatBytes(new Uint8Array(START), part))
}

/** Joins the parts of evidence. Throws if a part is missing. */
export function joinEvidence(
  parts: number,
  read: (index: number) => Uint8Array<ArrayBuffer> | undefined,
): Uint8Array<ArrayBuffer> {
  return joinParts(parts, (i) => read(i)?.subarray(START))
}

/**
 * Returns the number of parts that are stored beside a document. A document without evidence, or with
 * evidence that is erased, has none.
 */
export function storedParts(document: EvidenceOwner | undefined): number {
  const { evidence, held } = document ?? {}
  const stored = evidence ?? held?.evidence
  return stored === undefined || stored.erased_at !== undefined ? 0 : stored.parts
}

/**
 * Returns true if a write must erase the parts that are stored beside the document `before`. `after`: the
 * document after the write; `undefined` if nothing is stored any more. Parts that were overwritten by zeros
 * stay until the session is erased, and are erased then.
 */
export function dropsParts(before: EvidenceOwner | undefined, after: EvidenceOwner | undefined): boolean {
  if (after?.erased !== false) return before?.request?.evidence === true
  return storedParts(before) > 0 && storedParts(after) === 0
}

type EvidenceOwner = {
  readonly erased?: boolean
  readonly request?: { readonly evidence?: boolean }
  readonly evidence?: StoredEvidence
  readonly held?: { readonly evidence?: StoredEvidence } | null
}
