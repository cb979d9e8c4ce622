// Refused responses of a session.

import type { ClaimedIssuer } from '../../exchange/claimed-issuer.ts'
import type { DocumentErrors } from '../../formats/verification/format.ts'
import type { CertificateRule } from '../../trust/refusal.ts'
import type { Channel } from './generations.ts'
import type { ReasonCode } from './reasons.ts'
import { addStep, type WithTimeline } from './timeline.ts'

/** A refused response. */
export type Attempt = {
  readonly at: number
  readonly reason: ReasonCode
  readonly channel: Channel | null
  /** The rule that a certificate violates. */
  readonly detail?: CertificateRule
  readonly document_errors?: DocumentErrors
  /**
   * The issuer that the refused credential names. Absent if the response was refused before its credential
   * was read.
   */
  readonly claimed_issuer?: ClaimedIssuer
}

/** Members of the session's document that `addAttempt` changes. */
type WithAttempts = WithTimeline & { readonly attempts: readonly Attempt[]; readonly attempt_count: number }

const ATTEMPTS_KEPT = 10

/** Adds a refused response. The last ten are stored. `clause`: the clause of the failed check. */
export function addAttempt<T extends WithAttempts>(document: T, attempt: Attempt, clause?: string): T {
  const attempts = [...document.attempts, attempt].slice(-ATTEMPTS_KEPT)
  const { at, reason, channel } = attempt
  const counted = { ...document, attempts, attempt_count: document.attempt_count + 1 }
  return addStep(counted, { type: 'response_refused', reason, channel, ...(clause && { clause }) }, at)
}
