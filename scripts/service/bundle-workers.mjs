// `bundle-workers.mjs <directory> [name …]`: bundles the verifier, with its source map, the Worker for
// background work, the sandbox and the demo shop, or the named ones (docs/decisions/bundle.md). A process of
// its own, because launchers run before any package is installed.

import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'rolldown'
import { ROOT } from './paths.mjs'

const WORKERS = {
  'worker.js': 'src/worker.ts',
  'background.js': 'src/background/worker.ts',
  'sandbox.js': 'sandbox/worker.ts',
  'demo-shop.js': 'examples/demo-shop/src/worker.ts',
}

const [directory, ...named] = process.argv.slice(2)
const names = named.length === 0 ? Object.keys(WORKERS) : named
for (const name of names) await bundle(WORKERS[name], resolve(directory, name))

function bundle(input, file) {
  return build({
    input: join(ROOT, input),
    cwd: ROOT,
    tsconfig: join(ROOT, 'tsconfig.json'),
    platform: 'browser',
    resolve: { conditionNames: ['workerd', 'worker', 'browser'] },
    external: ['cloudflare:workers', /^node:/],
    // No module reads a property or a global for the effect of reading it.
    treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
    optimization: { inlineConst: true },
    output: {
      file,
      format: 'esm',
      codeSplitting: false,
      minify: true,
      comments: false, // THIRD_PARTY_LICENCES.txt of a release has the licences
      sourcemap: input === WORKERS['worker.js'],
      // Relative to the project: the folder of the bundle is a temporary one.
      sourcemapPathTransform: (source) => relative(ROOT, resolve(dirname(file), source)),
    },
    logLevel: 'warn',
    onLog: (_, { message }) => {
      throw new Error(message) // such as an import that was not found
    },
  })
}
