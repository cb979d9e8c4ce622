// Responses of lists, insights and timelines (api/lists), as schemas.

import * as z from 'zod/mini'
import { WEBHOOK_STATES } from '../../relying-party/index/index-entry.ts'
import { STATUSES } from '../values.ts'
import { deliveryId, list, maybe, time, verificationId } from './parts.ts'
import { reason } from './verifications.ts'

const status = z.enum(STATUSES)
const stage = z.enum(['created', 'request_fetched', 'awaiting_return', 'done'])
const channel = maybe(z.enum(['qr', 'link', 'dc_api', 'by_value']))

/** Entry of `GET /v1/verify`. */
export const listedVerification = z.object({
  verification_id: verificationId,
  status,
  stage,
  created_at: time,
  ended_at: maybe(time),
  expires_at: time,
  credential_types: list(z.string()),
  reason: maybe(reason),
  attempt_count: z.int(),
  last_attempt_reason: maybe(reason),
  webhook_state: maybe(z.enum(WEBHOOK_STATES)),
  metadata: z.record(z.string(), z.string()),
  livemode: z.boolean(),
})

/** Days (UTC) whose data could not be read and is left out. Absent if there are none. */
const incomplete = z.exactOptional(list(z.string()))

/** Response of `GET /v1/verify`. */
export const verificationPage = z.object({
  verifications: list(listedVerification),
  next: maybe(z.string()),
  has_more: z.boolean(),
  incomplete,
})

const counts = z.record(z.string(), z.int())
const seconds = z.object({ p50: maybe(z.number()), p95: maybe(z.number()) })

/** Response of `GET /v1/insights`. */
export const insights = z.object({
  from: time,
  to: time,
  step: z.enum(['hour', 'day']),
  steps: list(
    z.object({
      at: time,
      created: z.int(),
      request_fetched: z.int(),
      ended: counts,
      reasons: counts,
      attempt_reasons: counts,
      channels: counts,
      protocols: counts,
      webhook_attempts: counts,
      seconds_to_end: seconds,
      webhook_seconds: seconds,
    }),
  ),
  incomplete,
})

/** Entry of a timeline: one step, or several equal steps that followed each other directly. */
export const timelineEntry = z.object({
  at: time,
  last_at: time,
  count: z.int(),
  type: z.enum([
    'created',
    'request_drawn',
    'request_fetched',
    'response_refused',
    'ended',
    'webhook_attempt',
    'redeemed',
  ]),
  channel,
  wallet: maybe(z.string()),
  status: maybe(status),
  reason: maybe(reason),
  clause: maybe(z.string()),
  delivery_id: maybe(deliveryId),
  http_status: maybe(z.int()),
  error: maybe(z.string()),
  duration_ms: maybe(z.int()),
})

/** Response of `GET …/timeline`. */
export const timeline = z.object({
  verification_id: verificationId,
  entries: list(timelineEntry),
  left_out: z.int(),
})

/** Response of `GET /v1/wallets`. */
export const walletList = z.object({
  wallets: list(
    z.object({
      id: z.string(),
      name: z.string(),
      status: z.string(),
      countries: list(z.string()),
      platforms: list(z.string()),
      formats: list(z.string()),
      protocols: list(z.string()),
      dc_api_protocols: list(z.string()),
    }),
  ),
})

export type Insights = z.infer<typeof insights>
export type Timeline = z.infer<typeof timeline>
export type VerificationPage = z.infer<typeof verificationPage>
export type WalletList = z.infer<typeof walletList>
