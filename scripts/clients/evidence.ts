// Foreign judges of evidence: EU DSS, the validator of the European Commission, jwcrypto, and the object
// store of moto. The tests of test/evidence call them, if these programs have installed them.

import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'
import { copyProgram } from './generated.ts'
import { execute, installMavenPackages, installPythonPackages, type Program } from './tools.ts'

export const EVIDENCE: readonly Program[] = [
  { name: 'evidence-dss', tool: 'mvn', run: runDss },
  { name: 'evidence-jwcrypto', tool: 'python3', run: runJwcrypto },
  { name: 'evidence-moto', tool: 'python3', run: runMoto },
]

const TEST = 'test/evidence/judges.test.ts'

async function runDss(): Promise<string> {
  await judge(TEST, { DSS_FOLDER: await installDss() })
  return 'containers are ASiC-E with an intact time stamp over every file'
}

async function runJwcrypto(): Promise<string> {
  const cwd = copyProgram('jwcrypto')
  await judge(TEST, { JWCRYPTO_PYTHON: await installPythonPackages(cwd) })
  return 'every kind of key opens a sealed container'
}

async function runMoto(): Promise<string> {
  const cwd = copyProgram('moto')
  await judge('test/evidence/foreign-store.test.ts', { MOTO_PYTHON: await installPythonPackages(cwd) })
  return 'a foreign store accepts a signed object once, and keeps it locked'
}

/** Installs EU DSS, and compiles its programs. Resolves to their folder. */
export async function installDss(): Promise<string> {
  const cwd = copyProgram('dss')
  await installMavenPackages(cwd)
  const options = ['-cp', join(cwd, 'packages', '*'), '-d', join(cwd, 'classes')]
  await execute(['javac', ...options, 'Judge.java', 'ListJudge.java'], { cwd })
  return cwd
}

/** Runs a file of tests with these tools. */
export async function judge(file: string, env: Readonly<Record<string, string>>): Promise<void> {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  await execute([process.execPath, vitest, 'run', '--project', 'core', file], { cwd: ROOT, env })
}
