// A wallet of another project, run against a service of the tests: the Multipaz SDK on the JVM. The tests of
// test/conformance/wallets/multipaz.test.ts call it, if this program has installed it.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'
import { copyProgram } from './generated.ts'
import { execute, installMavenPackages, NotInstalledError, type Program } from './tools.ts'

export const WALLETS: readonly Program[] = [{ name: 'multipaz', tool: 'mvn', isLong: true, run: runMultipaz }]

/** The SDK's class files need this version. */
const JAVA_VERSION = 21
const JAVA_HOMES = '/usr/lib/jvm'

async function runMultipaz(): Promise<string> {
  const java = findJava()
  const cwd = copyProgram('multipaz')
  await installMavenPackages(cwd)
  const packages = readdirSync(join(cwd, 'packages')).map((name) => join(cwd, 'packages', name))
  const kotlin = ['-cp', packages.join(':'), 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler']
  const options = ['-jvm-target', String(JAVA_VERSION), '-no-stdlib', '-no-reflect']
  const input = ['-classpath', packages.join(':'), '-d', join(cwd, 'classes'), join(cwd, 'Wallet.kt')]
  await execute([java, ...kotlin, ...options, ...input], { cwd })
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const file = 'test/conformance/wallets/multipaz.test.ts'
  await execute([process.execPath, vitest, 'run', '--project', 'conformance', file], {
    cwd: ROOT,
    env: { MULTIPAZ_FOLDER: cwd, JAVA: java },
  })
  return 'answers Annex C and OpenID4VP, signed and unsigned, and refuses changed requests'
}

/** The Java of PATH, or another one of the system, that is new enough. */
function findJava(): string {
  const others = existsSync(JAVA_HOMES) ? readdirSync(JAVA_HOMES) : []
  const found = ['java', ...others.map((name) => join(JAVA_HOMES, name, 'bin', 'java'))].find((java) => {
    const { stderr = '' } = spawnSync(java, ['-version'], { encoding: 'utf8' })
    return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0) >= JAVA_VERSION
  })
  if (found === undefined) throw new NotInstalledError(`Java is older than ${JAVA_VERSION}`)
  return found
}
