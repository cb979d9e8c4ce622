// Responses of the console's sign-in, as schemas.

import * as z from 'zod/mini'
import { SCOPES } from '../../relying-party/document/settings.ts'
import { list, maybe, time } from './parts.ts'

/** Response of `GET` and `POST /console/session`. */
export const consoleSession = z.object({
  owner: z.enum(['relying_party', 'operator']),
  /** Value that each call below `/console/api` must send in the header `Console-Token`. */
  change_token: z.string(),
  expires_at: time,
  relying_party: maybe(z.object({ relying_party_id: z.string(), name: z.string(), livemode: z.boolean() })),
  scopes: list(z.enum(SCOPES)),
})

/** Response of `POST /console/codes`. */
export const consoleCode = z.object({ code: z.string() })

export type ConsoleSessionView = z.infer<typeof consoleSession>
