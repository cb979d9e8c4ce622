// Options of authorization requests. A relying party chooses them in its settings or for one session.

import * as z from 'zod/mini'
import { RESPONSE_MODES } from '../response/response-mode.ts'
import { CLIENT_ID_PREFIXES } from './client-identifier.ts'
import { REQUEST_URI_METHODS } from './generation.ts'

/** `request_options`. A protocol has a default for each missing member. */
export const requestOptionsSchema = z.exactPartial(
  z.strictObject({
    client_id_prefix: z.enum(CLIENT_ID_PREFIXES),
    response_mode: z.enum(RESPONSE_MODES),
    request_uri_method: z.enum(REQUEST_URI_METHODS),
  }),
)

export type RequestOptions = Readonly<z.infer<typeof requestOptionsSchema>>
