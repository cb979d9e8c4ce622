// Builds packages/inspect: functions (inspect.js) and the command (command.js).

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { licencesOf } from '../release/licences.mjs'
import { bundleForNode } from './node-bundle.mjs'
import { ROOT } from './paths.mjs'

const PACKAGE = join(ROOT, 'packages', 'inspect')

/**
 * Builds the package into `out`, by default packages/inspect/dist. Returns the packages that it contains, as
 * paths of the lock file.
 */
export async function buildInspect(out = join(PACKAGE, 'dist')) {
  mkdirSync(out, { recursive: true })
  const bundle = (input, name, banner) => bundleForNode(join(PACKAGE, 'src', input), join(out, name), banner)
  const functions = await bundle('inspect.ts', 'inspect.js')
  const command = await bundle('main.ts', 'command.js', '#!/usr/bin/env node')
  cpSync(join(PACKAGE, 'types.d.ts'), join(out, 'inspect.d.ts'))
  const packages = new Set([...functions, ...command])
  writeFileSync(join(out, 'THIRD_PARTY_LICENCES.txt'), licencesOf(packages))
  return packages
}
