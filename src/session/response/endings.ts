// The outcome of each way a session ends (CONTRACT 4), from what was found; `outcome.ts` turns it into the finished document.

import type { Outcome, SessionDocument } from '../document.ts'
import type { StoredGeneration } from '../request/generations.ts'
import type { Ending } from './outcome.ts'
import type { Verdict } from './verdict.ts'

/** What is known of a session that ended without an authentic answer. */
const NO_RESULT: Omit<Outcome, 'reason'> = {
  checks: null,
  assurance_level: null,
  derivation: [],
  credentials: [],
  channel: null,
  session_binding: null,
  trace: [],
  encrypted_claims: null,
  request_hash: null,
}

/** What ends a session, without the circumstances. */
export type Cause = Pick<Ending, 'event' | 'outcome'>

/** An authentic answer was judged by the policy. */
export function decidedCause(
  verdict: Verdict & { kind: 'decided' },
  encryptedClaims: string | null,
  requestHash: string,
): Cause {
  const { outcome, reason, checks, assurance_level, derivation, credentials } = verdict.decision
  const result = outcome === 'verified' ? 'pass' : 'fail'
  return {
    event: outcome === 'verified' ? 'answer_satisfied' : 'answer_unsatisfied',
    outcome: {
      reason,
      checks,
      assurance_level,
      derivation,
      credentials,
      channel: verdict.generation.channel,
      // A page of the relying party's own asked and was answered; the binding of our page's browser is known once it is back.
      session_binding: isRelyingPartysPage(verdict.generation) ? 'relying_party' : 'none',
      // OpenID4VP 1.0 §14.9: what the wallet was asked to filter is checked again here.
      trace: [...verdict.trace, { id: 'policy', clause: 'OpenID4VP 1.0 §14.9', result }],
      encrypted_claims: encryptedClaims,
      request_hash: requestHash,
    },
  }
}

function isRelyingPartysPage({ channel, browser }: StoredGeneration): boolean {
  return channel === 'dc_api' && browser === null
}

/** The wallet answered `access_denied`. */
export function declinedCause({ channel }: StoredGeneration, requestHash: string): Cause {
  const outcome = { ...NO_RESULT, reason: 'access_denied', channel, request_hash: requestHash } as const
  return { event: 'wallet_declined', outcome }
}

/** `expires_at` passed: the reason is that of the last answer that was not heard, where there was one. */
export function expiredCause(document: SessionDocument): Cause {
  const reason = document.attempts.at(-1)?.reason ?? 'session_expired'
  return { event: 'time_passed', outcome: { ...NO_RESULT, reason } }
}

/** The relying party canceled. */
export const CANCELED_CAUSE: Cause = {
  event: 'relying_party_canceled',
  outcome: { ...NO_RESULT, reason: 'canceled_by_relying_party' },
}
