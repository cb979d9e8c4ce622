// Schema of the request by which a relying party in test mode asks the sandbox for an outcome.

import * as z from 'zod/mini'
import { text } from '../../codec/schema.ts'
import { REASONS } from '../../session/document/reasons.ts'

/** Body of `POST /v1/test/verify/{id}/outcome`. */
export const outcomeRequest = z.strictObject({
  reason: z.enum(['verified', ...Object.keys(REASONS)]),
  credential_type: z.exactOptional(text(300)),
  format: z.exactOptional(text(50)),
})
