// Bundles packages/evidence: functions (evidence.js) and the command (command.js), each without dependencies,
// and the licences of the packages that they contain.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { licencesOf } from '../release/licences.mjs'
import { bundleForNode } from './node-bundle.mjs'
import { ROOT } from './paths.mjs'

const PACKAGE = join(ROOT, 'packages', 'evidence')

/**
 * Builds the package into `out`, by default packages/evidence/dist. Returns the packages that it contains, as
 * paths of the lock file.
 */
export async function buildEvidence(out = join(PACKAGE, 'dist')) {
  mkdirSync(out, { recursive: true })
  const functions = await bundle('evidence.ts', join(out, 'evidence.js'))
  const command = await bundle('main.ts', join(out, 'command.js'), '#!/usr/bin/env node')
  cpSync(join(PACKAGE, 'types.d.ts'), join(out, 'evidence.d.ts'))
  const packages = new Set([...functions, ...command])
  writeFileSync(join(out, 'THIRD_PARTY_LICENCES.txt'), licencesOf(packages))
  return packages
}

const bundle = (input, file, banner) => bundleForNode(join(PACKAGE, 'src', input), file, banner)
