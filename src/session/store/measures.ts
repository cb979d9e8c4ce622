// Records metrics of a session (metrics/events.ts): its creation, each POST of a webhook event, and its end.
// A metric is recorded after the write, and does not affect the session.

import { record } from '../../metrics/record.ts'
import { type AttemptOutcome, hasSucceeded } from '../../webhook/delivery.ts'
import type { Delivery } from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'

/** Records the creation of a session. */
export function recordCreation(document: SessionDocument): void {
  record('sessions', { protocol: document.request.protocol, mode: toMode(document) })
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
    mode: toMode(document),
  })
}

/** Records the result of one POST of an event. */
export function recordAttempt(
  { livemode }: Pick<SessionDocument, 'livemode'>,
  { attempts, automatic_attempts }: Delivery,
  outcome: AttemptOutcome,
): void {
  const result = hasSucceeded(outcome) ? 'delivered' : (outcome.error ?? 'refused')
  const attempt = attempts.at(-1)?.manual ? 'manual' : String(automatic_attempts)
  record('webhook_attempts', { result, attempt, mode: toMode({ livemode }) }, { ms: outcome.durationMs })
}

/** Returns the label of the session's mode. */
export function toMode({ livemode }: Pick<SessionDocument, 'livemode'>): 'live' | 'test' {
  return livemode ? 'live' : 'test'
}
