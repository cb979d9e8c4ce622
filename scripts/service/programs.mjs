// Programs as one file each, without TypeScript and without packages to install. A release has them, and any
// Node runs them.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { packageOf } from './module-package.mjs'
import { DIST, ROOT } from './paths.mjs'

/** CommonJS packages in an ES module require the modules of Node. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`

/**
 * Bundles each program to the same path below `to`. Returns the packages that they contain, as paths of the
 * lock file.
 */
export function bundlePrograms(paths, to) {
  // The bundler is loaded here, because a launcher installs it first and a release does not have it.
  const { buildSync } = createRequire(join(ROOT, 'package.json'))('esbuild')
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: paths,
    outbase: ROOT,
    outdir: to,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    legalComments: 'none', // THIRD_PARTY_LICENCES.txt has them
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: REQUIRE },
    external: ['workerd'],
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
  })
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const included = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  return new Set(included.flatMap(packageOf))
}

/**
 * Bundles the program at a path below ROOT, runs it under this Node, and returns what `spawnSync` returns.
 * `options` are those of `spawnSync`.
 */
export function runProgram(path, args, options) {
  mkdirSync(DIST, { recursive: true })
  const out = mkdtempSync(join(DIST, 'program-'))
  const built = path.replace(/\.\w+$/, '.mjs')
  const file = join(DIST, `program-${basename(built)}`)
  try {
    bundlePrograms([path], out)
    renameSync(join(out, built), file) // in one step: another run may read it now
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
  return spawnSync(process.execPath, [file, ...args], options)
}
