// The programs of a release: each is one file, without TypeScript and without packages to install.

import { buildSync } from 'esbuild'
import { ROOT } from '../service/paths.mjs'

/** CommonJS packages in an ES module require the modules of Node. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`

/**
 * Bundles each program to the same path below `to`. Returns the packages that they contain, as paths of the
 * lock file.
 */
export function bundlePrograms(paths, to) {
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
  return new Set(included.map(packageOf).filter((path) => path !== undefined))
}

/** Returns `node_modules/<name>` of the innermost package that a file belongs to. */
function packageOf(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]
}
