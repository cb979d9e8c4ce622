// Writes assets/openapi.json for the tests inside workerd, as a build does: it is not in git.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { descriptionFile } from '../../openapi/files.ts'

const PATH = join(import.meta.dirname, '../../assets/openapi.json')

/** vitest's global setup. */
export default function setup(): void {
  const description = descriptionFile()
  if (!existsSync(PATH) || readFileSync(PATH, 'utf8') !== description) writeFileSync(PATH, description)
}
