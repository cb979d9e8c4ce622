// The file that `npm run openapi` writes to assets/. The Worker serves it and contains nothing of this folder.

import { describe } from './describe.ts'
import type { Description } from './description.ts'
import { withErrors } from './errors.ts'

/** Returns the OpenAPI description with every error, as it is served. */
export function completeDescription(): Description {
  return JSON.parse(JSON.stringify(withErrors(describe()))) as Description
}

/** Returns the generated files: path below the repository's root → content. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return { 'assets/openapi.json': `${JSON.stringify(completeDescription(), null, 1)}\n` }
}
