// EU DSS as a foreign judge of trusted lists in XML: test/trust/lists/dss.test.ts calls it.

import { installDss, judge } from './evidence.ts'
import type { Program } from './tools.ts'

export const TRUSTED_LISTS: readonly Program[] = [{ name: 'lists-dss', tool: 'mvn', run: runDss }]

async function runDss(): Promise<string> {
  await judge('test/trust/lists/dss.test.ts', { DSS_FOLDER: await installDss() })
  return 'the same verdicts on good and hostile lists in XML, and the same services, but for explained differences'
}
