// The two files that are generated from the description: the description as it is served, and the client's
// types. The Worker contains nothing of this folder.

import { clientTypes } from './client-types.ts'
import { describe } from './describe.ts'
import type { Description } from './description.ts'
import { withErrors } from './errors.ts'
import { withValueTexts } from './open-lists.ts'
import { withPlainTypes } from './plain-types.ts'

/** Returns the OpenAPI description with every error, as it is served. */
export function servedDescription(): Description {
  return withPlainTypes(withValueTexts(completeDescription()))
}

/** Returns the content of `assets/openapi.json`, which a build writes. */
export function descriptionFile(): string {
  return `${JSON.stringify(servedDescription())}\n`
}

/** Returns the content of `packages/client/src/wire.ts`, which is in git and shows each change in review. */
export function clientTypesFile(): string {
  return clientTypes(completeDescription())
}

/** Returns the description with every error, without texts that list values. */
function completeDescription(): Description {
  return JSON.parse(JSON.stringify(withErrors(describe()))) as Description
}
