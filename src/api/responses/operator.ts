// Responses for the operator about a verification (api/settings), as schemas.

import * as z from 'zod/mini'
import { PROTOCOL_IDS } from '../../openid4vp/protocols/index.ts'
import { WEBHOOK_EVENT_TYPES } from '../../relying-party/document/settings.ts'
import { SESSION_BINDINGS, STATUSES } from '../values.ts'
import { deliveryId, list, maybe, relyingPartyId, time, verificationId } from './parts.ts'

/** Response of `GET /v1/admin/verifications/{id}`. */
export const operatorVerification = z.object({
  verification_id: verificationId,
  relying_party_id: relyingPartyId,
  livemode: z.boolean(),
  status: z.enum(STATUSES),
  reason: maybe(z.string()), // no enumeration: values may be added within /v1
  stage: z.enum(['created', 'request_fetched', 'awaiting_return', 'done']),
  protocol: z.enum(PROTOCOL_IDS),
  required_session_binding: z.enum(SESSION_BINDINGS),
  channel: maybe(z.string()),
  created_at: time,
  expires_at: time,
  ended_at: maybe(time),
  attempt_count: z.int(),
  timeline: list(z.object({ at: time, event: z.string(), detail: maybe(z.string()) })),
  deliveries: list(
    z.object({
      delivery_id: deliveryId,
      event_type: z.enum(WEBHOOK_EVENT_TYPES),
      state: z.enum(['queued', 'delivered', 'dead']),
      attempts: z.int(),
      next_attempt_at: maybe(time),
    }),
  ),
})

export type OperatorVerification = z.infer<typeof operatorVerification>
