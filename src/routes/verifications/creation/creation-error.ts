// Errors of a creation (api/creation). At first, the message of an error is only the name of a text. After
// all checks, the texts are read once.

import { type AssetSource, readMessage } from '../../edge/cloudflare.ts'
import type { FieldError, ProblemCode, RequestError } from '../../edge/problems.ts'

/**
 * Returns the errors of a part of the body as one request error. `rows`: the problem of each error. `parent`:
 * the pointer of the part. The messages are names of texts.
 */
export function requestError<Code extends string>(
  errors: readonly { readonly code: Code; readonly pointer: string }[],
  rows: Readonly<Record<Code, ProblemCode>>,
  parent = '',
): RequestError {
  const [first] = errors
  return {
    code: first === undefined ? 'invalid_request' : rows[first.code],
    errors: errors.map(({ code, pointer }) => ({ pointer: `${parent}${pointer}`, code, message: code })),
  }
}

/** Returns the errors. A message that is the name of a text is replaced by the text. */
export function withTexts(
  assets: AssetSource,
  errors: readonly FieldError[],
): Promise<readonly FieldError[]> {
  return Promise.all(
    errors.map(async ({ message, ...one }) => ({
      ...one,
      message: TEXT_NAME.test(message) ? await readMessage(assets, message) : message,
    })),
  )
}

const TEXT_NAME = /^[a-z_]+$/
