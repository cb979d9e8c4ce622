// Evidence of a verification, as schemas (api/evidence).

import * as z from 'zod/mini'
import { jsonObject, list, maybe, time, verificationId } from './parts.ts'

/** The member `evidence` of events. Values of `time_stamp` may be added within /v1. */
export const evidenceState = z.object({ manifest_sha256: z.string(), time_stamp: z.string() })

/**
 * The member `evidence` of results. `erased_at`: time of the erasure; null while the sealed bytes are stored.
 */
export const keptEvidence = z.extend(evidenceState, { erased_at: maybe(time) })

/** Response of `GET /v1/verify/{id}/evidence`. */
export const evidenceEnvelope = z.object({
  object: z.literal('evidence'),
  version: z.int(),
  verification_id: verificationId,
  created_at: time,
  manifest: z.string(),
  manifest_sha256: z.string(),
  time_stamps: list(z.object({ token: z.string(), gen_time: time })),
  materials: list(z.object({ sha256: z.string(), bytes: z.int(), media_type: z.string() })),
  sealed: z.object({
    protected: z.string(),
    iv: z.string(),
    ciphertext: z.string(),
    tag: z.string(),
    recipients: list(z.object({ header: jsonObject, encrypted_key: z.string() })),
  }),
})

export type EvidenceEnvelope = z.infer<typeof evidenceEnvelope>
export type EvidenceState = z.infer<typeof evidenceState>
export type KeptEvidence = z.infer<typeof keptEvidence>
