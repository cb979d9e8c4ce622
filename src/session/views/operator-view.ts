// View of a session for the operator, who supports the relying party: the steps of the session, and the
// reasons of refused responses. The view has nothing about the person: no check, no claim, no issuer, and no
// `metadata` of the relying party.

import type { OperatorVerification } from '../../api/responses/operator.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import type { EventType } from '../../relying-party/document/settings.ts'
import { err, ok, type Result } from '../../result.ts'
import { plannedAttempt } from '../../webhook/outbox.ts'
import { type SessionDocument, toStage } from '../document/document.ts'
import type { SessionError } from '../document/results.ts'
import type { View } from '../document/state-view.ts'
import { toStateView } from '../document/state-view.ts'
import { applyTimeouts } from '../end/timeouts.ts'
import type { SessionContext } from '../store/context.ts'
import { deliveryState } from './deliveries-view.ts'

/** Returns the view of the session for the operator. */
export async function readForOperator(
  context: SessionContext,
  now: number,
): Promise<Result<View, SessionError>> {
  await applyTimeouts(context, now)
  const document = context.store.session()
  return document === undefined ? err('not_found') : ok(toStateView(document, operatorView(document)))
}

function operatorView(document: SessionDocument): OperatorVerification {
  const { request, outcome, deliveries } = document
  return {
    verification_id: document.verification_id,
    relying_party_id: document.relying_party_id,
    livemode: document.livemode,
    status: document.status,
    reason: outcome?.reason ?? null,
    stage: toStage(document),
    protocol: request.protocol,
    required_session_binding: request.required_session_binding,
    channel: outcome?.channel ?? null,
    created_at: isoTime(document.created_at),
    expires_at: isoTime(document.expires_at),
    ended_at: isoTimeOrNull(document.ended_at),
    attempt_count: document.attempt_count,
    timeline: buildTimeline(document),
    deliveries: deliveries.map((delivery) => ({
      delivery_id: delivery.delivery_id,
      event_type: delivery.event_type as EventType, // a session only enqueues its own events
      state: deliveryState(delivery),
      attempts: delivery.attempts.length,
      next_attempt_at: isoTimeOrNull(plannedAttempt(delivery)),
    })),
  }
}

/** Returns the steps of the session in the order of time. Only the last ten refused responses are stored. */
function buildTimeline(document: SessionDocument): OperatorVerification['timeline'] {
  const { created_at, ended_at, status, outcome, attempts, deliveries } = document
  const steps = [
    { at: created_at, event: 'created', detail: null },
    ...attempts.map(({ at, reason, detail }) => ({
      at,
      event: 'response_refused',
      detail: detail === undefined ? reason : `${reason} (${detail})`,
    })),
    ...(ended_at === null ? [] : [{ at: ended_at, event: status, detail: outcome?.reason ?? null }]),
    ...deliveries.flatMap((delivery) =>
      delivery.attempts.map(({ at, attempt, status: answer, error }) => ({
        at,
        event: 'webhook_attempt',
        detail: `${delivery.event_type} ${attempt}: ${answer === null ? (error ?? 'no response') : `HTTP ${answer}`}`,
      })),
    ),
  ]
  return steps.toSorted((a, b) => a.at - b.at).map(({ at, ...step }) => ({ at: isoTime(at), ...step }))
}
