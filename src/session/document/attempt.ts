// Refused responses of a session.

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
  /** The issuer that the refused credential names. Absent if the credential was not read so far. */
  readonly claimed_issuer?: ClaimedIssuer
}

/** An issuer by the words of an unverified credential, and the certificate of its signer. */
export type ClaimedIssuer = {
  readonly iss: string | null
  /** Subject and issuer of the signer's certificate. */
  readonly subject: string | null
  readonly issuer: string | null
  /** In hexadecimal, like the hash of the certificate. */
  readonly authority_key_identifier: string | null
  readonly certificate_sha256: string | null
  /** Null if the certificate is missing, malformed or too long. */
  readonly certificate_pem: string | null
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
