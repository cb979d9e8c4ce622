// The deliveries of one session: each event for the webhook, and the evidence for the object store, with each
// attempt and its result (api/webhooks, api/evidence).

import type { DeliveryLog } from '../../api/responses/deliveries.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import type { EventType } from '../../relying-party/document/settings.ts'
import { type Attempt, type Delivery, plannedAttempt } from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'

/** Returns the body of `GET …/deliveries`. */
export function deliveriesView(document: SessionDocument): DeliveryLog {
  const { push: [push] = [], push_unconfirmed } = document.evidence ?? {}
  const state = push_unconfirmed ? 'unconfirmed' : push && deliveryState(push)
  return {
    verification_id: document.verification_id,
    deliveries: document.deliveries.map((delivery) => deliveryView(delivery)),
    evidence_push: state ?? null,
    evidence_push_attempts: (push?.attempts ?? []).map(attemptView),
  }
}

function deliveryView(delivery: Delivery) {
  const { delivery_id, event_id, event_type, sequence, attempts, body } = delivery
  return {
    delivery_id,
    event_id,
    event_type: event_type as EventType, // a session only enqueues its own events
    sequence,
    state: deliveryState(delivery),
    body,
    next_attempt_at: isoTimeOrNull(plannedAttempt(delivery)),
    attempts: attempts.map(attemptView),
  }
}

/**
 * Returns the state of a delivery as it is shown. `queued` is stored as `owed`, the only name that earlier
 * builds know. After a rollback, an earlier build must still deliver the event.
 */
export function deliveryState({ state }: Delivery): 'queued' | 'delivered' | 'dead' {
  return state === 'owed' ? 'queued' : state
}

function attemptView({ at, duration_ms, excerpt, ...attempt }: Attempt) {
  return {
    ...attempt,
    at: isoTime(at),
    duration_ms: duration_ms ?? null,
    response_excerpt: excerpt ?? null,
  }
}
