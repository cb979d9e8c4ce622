// Bodies of the console's sign-in.

import * as z from 'zod/mini'
import { text } from '../../codec/schema.ts'

/** Limit of a body, in bytes. */
export const BODY_BYTES = 4096

/** Body of `POST /console/session`: a token or a code. */
export const signInRequest = z
  .strictObject({ token: z.exactOptional(text(BODY_BYTES)), code: z.exactOptional(text(BODY_BYTES)) })
  .check(
    z.refine(({ token, code }) => (token === undefined) !== (code === undefined), {
      path: ['token'],
      error: 'must be sent, or else `code`, and not both',
    }),
  )

/** Body of `POST /console/codes`. */
export const codeRequest = z.strictObject({ api_key: text(300) })
