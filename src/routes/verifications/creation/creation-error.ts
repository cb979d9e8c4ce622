// Errors of a create request (api/creation). A check returns an error with the name of a text. After all
// checks, the texts are read once.

import { type AssetSource, readMessage } from '../../edge/cloudflare.ts'
import type { FieldError } from '../../edge/problems.ts'

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
