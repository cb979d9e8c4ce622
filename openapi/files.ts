// What `npm run openapi` writes to assets/ beside their style, and documentation.ts serves. Nothing of this folder or of openapi/ is in the Worker.

import { describe } from './describe.ts'
import type { Description } from './description.ts'
import { withErrors } from './errors.ts'
import { documentationPage } from './page.ts'

/** The OpenAPI description with every error, as it is served. */
export function completeDescription(): Description {
  return JSON.parse(JSON.stringify(withErrors(describe()))) as Description
}

/** Name below assets/ → content. */
export async function documentationFiles(): Promise<Readonly<Record<string, string>>> {
  const description = completeDescription()
  return {
    'openapi.json': `${JSON.stringify(description, null, 1)}\n`,
    'docs.html': await documentationPage(description),
  }
}
