// Metrics of a session (metrics/events.ts): its creation, each evaluated response, each POST of its event,
// and its end. They are recorded after the write, and change nothing.

import { record } from '../../metrics/record.ts'
import { type AttemptOutcome, hasSucceeded } from '../../webhook/delivery.ts'
import type { Delivery } from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'
import type { ReasonCode } from '../document/reasons.ts'
import { channelOf } from '../request/terms.ts'
import type { Evaluation } from '../response/evaluate-response.ts'
import { noteRefusal } from './refusals-by-time.ts'

/** Records the creation of a session. */
export function recordCreation(document: SessionDocument): void {
  record('sessions', { protocol: document.request.protocol, mode: modeOf(document) })
}

/** Records the end of a session. */
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

/**
 * Records an evaluation that took `ms`. The label `decided` means an authentic response, verified or
 * rejected.
 */
export function recordEvaluation(document: SessionDocument, evaluation: Evaluation, ms: number): void {
  const labels = {
    verdict: evaluation.kind,
    reason: reasonOf(evaluation),
    protocol: document.request.protocol,
    channel: evaluation.generation && channelOf(document, evaluation.generation),
    mode: modeOf(document),
  }
  record('answers', labels, { ms })
  if (labels.reason !== null) noteRefusal(labels.reason, Date.now())
}

/** Records one finished POST of an event. */
export function recordAttempt(
  { livemode }: Pick<SessionDocument, 'livemode'>,
  { attempts, automatic_attempts }: Delivery,
  outcome: AttemptOutcome,
): void {
  const result = hasSucceeded(outcome) ? 'delivered' : (outcome.error ?? 'refused')
  const attempt = attempts.at(-1)?.manual ? 'manual' : String(automatic_attempts)
  record('webhook_attempts', { result, attempt, mode: modeOf({ livemode }) }, { ms: outcome.durationMs })
}

function reasonOf(evaluation: Evaluation): ReasonCode | null {
  if (evaluation.kind === 'refused') return evaluation.reason
  return evaluation.kind === 'decided' ? evaluation.decision.reason : null
}

function modeOf({ livemode }: Pick<SessionDocument, 'livemode'>): 'live' | 'test' {
  return livemode ? 'live' : 'test'
}
