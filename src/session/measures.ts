// What is counted of a session (metrics/events.ts): its beginning, each answer that was judged, each POST of its event, and its end. Called after
// what it tells of is written; it reads the document and changes nothing.

import { record } from '../metrics/record.ts'
import { type AttemptOutcome, hasSucceeded } from '../webhook/delivery.ts'
import type { Delivery } from '../webhook/outbox.ts'
import type { SessionDocument } from './document.ts'
import type { Evaluation } from './response/evaluate-response.ts'

/** A session was created. */
export function recordCreation(document: SessionDocument): void {
  record('sessions', { protocol: document.request.protocol, mode: modeOf(document) })
}

/** A session has ended. */
export function recordOutcome(document: SessionDocument): void {
  const { status, request, outcome } = document
  const [credential] = outcome?.credentials ?? []
  record('outcomes', {
    status,
    reason: outcome?.reason ?? null,
    protocol: request.protocol,
    channel: outcome?.channel ?? null,
    format: credential?.format ?? null,
    mode: modeOf(document),
  })
}

/** An answer was judged within `ms`. `verdict` is what became of it: `decided` is an authentic one, whatever the policy said of it. */
export function recordEvaluation(document: SessionDocument, evaluation: Evaluation, ms: number): void {
  const labels = {
    verdict: evaluation.kind,
    reason: reasonOf(evaluation),
    protocol: document.request.protocol,
    channel: evaluation.generation?.channel ?? null,
    mode: modeOf(document),
  }
  record('answers', labels, { ms })
}

/** One POST of an event came to its end. */
export function recordAttempt(
  { livemode }: Pick<SessionDocument, 'livemode'>,
  { attempts, automatic_attempts }: Delivery,
  outcome: AttemptOutcome,
): void {
  const result = hasSucceeded(outcome) ? 'delivered' : (outcome.error ?? 'refused')
  const attempt = attempts.at(-1)?.manual ? 'manual' : String(automatic_attempts)
  record('webhook_attempts', { result, attempt, mode: modeOf({ livemode }) }, { ms: outcome.durationMs })
}

function reasonOf(evaluation: Evaluation): string | null {
  if (evaluation.kind === 'refused') return evaluation.reason
  return evaluation.kind === 'decided' ? evaluation.decision.reason : null
}

function modeOf({ livemode }: Pick<SessionDocument, 'livemode'>): 'live' | 'test' {
  return livemode ? 'live' : 'test'
}
