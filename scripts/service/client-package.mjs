// Compiles the client package: packages/client/dist.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'

const PACKAGE = join(ROOT, 'packages', 'client')
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

/** True where the development dependencies are installed. */
export const canBuildClient = () => existsSync(COMPILER)

/** Builds the package. Nothing of an earlier build stays. */
export function buildClient() {
  const dist = join(PACKAGE, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const compiled = spawnSync(process.execPath, [COMPILER, '-p', PACKAGE], { cwd: ROOT, encoding: 'utf8' })
  if (compiled.error) throw compiled.error
  if (compiled.status !== 0) throw new Error(`the client did not compile:\n${compiled.stdout}`)
  // The compiler rewrites the extensions in .js files only. Older compilers refuse `.ts` in a declaration.
  for (const name of readdirSync(dist).filter((file) => file.endsWith('.d.ts'))) {
    const path = join(dist, name)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}
