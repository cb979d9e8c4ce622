// The licences of the packages that a release contains.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'
import { readJson } from './source.mjs'

/** Returns name, version and licence text of each package. `paths`: lock file paths. */
export function licencesOf(paths) {
  const parts = [...paths].sort().map((path) => {
    const { name, version, license } = readJson(`${path}/package.json`)
    const file = readdirSync(join(ROOT, path)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : `\n${readFileSync(join(ROOT, path, file), 'utf8').trim()}\n`
    return `${name} ${version}: ${license}\n${text}`
  })
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}
