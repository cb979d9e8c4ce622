// Errors of a creation (api/creation). A check names the text of its message; the texts are read once, at the
// end.

import { type AssetSource, readMessage } from '../../edge/cloudflare.ts'
import type { FieldError, ProblemCode, RequestError } from '../../edge/problems.ts'

/**
 * Reports errors at their places in the body. `rows`: the problem of each error. The messages are names of
 * texts.
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

/** Returns the errors with texts in place of messages that are names of texts. */
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
