// Responses of the console's sign-in, as schemas.

import * as z from 'zod/mini'
import { SCOPES } from '../../relying-party/document/settings.ts'
import { list, maybe, time } from './parts.ts'

/** Response of `GET /console/session`. */
export const consoleSession = z.object({
  owner: z.enum(['relying_party', 'operator']),
  /** `BASE_URL`: the issuer of receipts. The page may be under another host name. */
  base_url: z.string(),
  expires_at: time,
  relying_party: maybe(z.object({ relying_party_id: z.string(), name: z.string(), livemode: z.boolean() })),
  scopes: list(z.enum(SCOPES)),
})

/** Response of `POST /console/session`. */
export const consoleSignIn = z.extend(consoleSession, {
  /** Value that each call of the page must send in the header `Console-Token`. */
  change_token: z.string(),
})

/** Response of `POST /console/codes`. */
export const consoleCode = z.object({ code: z.string() })

export type ConsoleSessionView = z.infer<typeof consoleSession>
export type ConsoleSignInView = z.infer<typeof consoleSignIn>
