// The deliveries of a verification, as schemas (api/webhooks, api/evidence).

import * as z from 'zod/mini'
import { WEBHOOK_EVENT_TYPES } from '../../relying-party/document/settings.ts'
import { deliveryId, eventId, list, maybe, time, verificationId } from './parts.ts'

const attempts = list(
  z.object({
    attempt: z.int(),
    at: time,
    manual: z.boolean(),
    status: maybe(z.int()),
    error: maybe(z.enum(['timeout', 'connection', 'redirect', 'forbidden_url', 'unknown'])),
    duration_ms: maybe(z.int()),
    response_excerpt: maybe(z.string()),
  }),
)

/** Response of `GET …/deliveries`. */
export const deliveryLog = z.object({
  verification_id: verificationId,
  deliveries: list(
    z.object({
      delivery_id: deliveryId,
      event_id: eventId,
      event_type: z.enum(WEBHOOK_EVENT_TYPES),
      sequence: z.int(),
      state: z.enum(['queued', 'delivered', 'dead']),
      body: z.string(),
      next_attempt_at: maybe(time),
      attempts,
    }),
  ),
  evidence_push: maybe(z.string()), // no enumeration: values may be added within /v1
  evidence_push_attempts: attempts,
})

export type DeliveryLog = z.infer<typeof deliveryLog>
