// The webhook log of one session (api/webhooks): each event, and each attempt with its result.

import type { DeliveryLog } from '../../api/responses/verifications.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import type { EventType } from '../../relying-party/document/settings.ts'
import { type Attempt, type Delivery, plannedAttempt } from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'

/** Returns the body of `GET …/deliveries`. */
export function deliveriesView(document: SessionDocument): DeliveryLog {
  return {
    verification_id: document.verification_id,
    deliveries: document.deliveries.map((delivery) => deliveryView(delivery)),
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
    attempts: attempts.map((attempt) => attemptView(attempt)),
  }
}

/**
 * Returns the state of a delivery as it is shown. `queued` is stored as `owed`, because a previous build must
 * still deliver the event after a rollback.
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
