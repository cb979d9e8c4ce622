// The files that `npm run openapi` writes. The Worker contains nothing of this folder.

import { clientTypes } from './client-types.ts'
import { describe } from './describe.ts'
import type { Description } from './description.ts'
import { withErrors } from './errors.ts'
import { withValueTexts } from './open-lists.ts'

/** Returns the OpenAPI description with every error, as it is served. */
export function completeDescription(): Description {
  return JSON.parse(JSON.stringify(withErrors(describe()))) as Description
}

/** Returns the generated files: path below the repository's root → content. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const description = completeDescription()
  return {
    'assets/openapi.json': `${JSON.stringify(withValueTexts(description), null, 1)}\n`,
    'packages/client/src/wire.ts': clientTypes(description),
  }
}
