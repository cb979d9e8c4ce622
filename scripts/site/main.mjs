// `node scripts/site/main.mjs [--out <folder>]`: builds the documentation as a site. Installs the generator
// in site/, which nothing else needs.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureInstalled, FOR_START } from '../service/install.mjs'
import { DIST } from '../service/paths.mjs'
import { buildSite } from './build.mjs'

const { values } = parseArgs({ options: { out: { type: 'string' } } })
ensureInstalled(FOR_START)
try {
  const { pages, seconds, out } = buildSite(resolve(values.out ?? `${DIST}/site`))
  console.log(`${pages} pages in ${seconds} s: ${out}`)
} catch (error) {
  console.error(`The site was not built: ${error.message}`)
  process.exitCode = 1
}
