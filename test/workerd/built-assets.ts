// Writes the assets that are not in git, as a build does: the API description, the API reference, the
// inspector and the compressed scripts.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { descriptionFile } from '../../openapi/files.ts'
import { buildPageScripts } from '../../scripts/service/bundle.mjs'
import { buildInspectPage } from '../../scripts/service/inspect-page.mjs'
import { ensureReference } from '../../scripts/service/reference.mjs'

const PATH = join(import.meta.dirname, '../../assets/openapi.json')

/** vitest's global setup. */
export default function setup(): void {
  const description = descriptionFile()
  if (!existsSync(PATH) || readFileSync(PATH, 'utf8') !== description) writeFileSync(PATH, description)
  ensureReference()
  buildInspectPage()
  buildPageScripts()
}
