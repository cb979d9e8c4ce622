// Compiles the client package: packages/client/dist.

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DIST, ROOT } from './paths.mjs'

const PACKAGE = join(ROOT, 'packages', 'client')
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

/** True if the development dependencies are installed. */
export const canBuildClient = () => existsSync(COMPILER)

/** Builds the package. Files are replaced one by one, so another build at the same time finds every file. */
export function buildClient() {
  mkdirSync(DIST, { recursive: true })
  const out = mkdtempSync(join(DIST, 'client-'))
  try {
    const compile = ['-p', PACKAGE, '--outDir', out]
    const compiled = spawnSync(process.execPath, [COMPILER, ...compile], { cwd: ROOT, encoding: 'utf8' })
    if (compiled.error) throw compiled.error
    if (compiled.status !== 0) throw new Error(`the client did not compile:\n${compiled.stdout}`)
    replaceFiles(out, join(PACKAGE, 'dist'))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function replaceFiles(from, to) {
  mkdirSync(to, { recursive: true })
  const files = readdirSync(from)
  for (const file of files) {
    const path = join(from, file)
    // The compiler rewrites the extensions in .js files only. Older compilers refuse `.ts` in a declaration.
    if (file.endsWith('.d.ts'))
      writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
    renameSync(path, join(to, file))
  }
  for (const file of readdirSync(to)) if (!files.includes(file)) rmSync(join(to, file), { force: true })
}
