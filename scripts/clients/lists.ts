// EU DSS as a foreign judge of trusted lists in XML: test/trust/lists/dss.test.ts calls it.

import { installDss, judge } from './evidence.ts'
import type { Program } from './tools.ts'

export const TRUSTED_LISTS: readonly Program[] = [{ name: 'lists-dss', tool: 'mvn', run: runDss }]

/** A run with CI_FULL=1, or one that names this program, takes all hostile lists. Others take every third. */
const TAKES_ALL = process.env.CI_FULL === '1' || process.argv.includes('lists-dss')

async function runDss(): Promise<string> {
  const size = TAKES_ALL ? { SIZES: 'full' } : {}
  await judge('test/trust/lists/dss.test.ts', { DSS_FOLDER: await installDss(), ...size })
  return 'the same verdicts on good and hostile lists in XML, and the same services, but for explained differences'
}
