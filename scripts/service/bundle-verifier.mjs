// `bundle-verifier.mjs <directory>`: bundles the verifier into worker.js of a directory, with its source map
// (docs/decisions/bundle.md). A process of its own, because launchers run on older Node and before any
// package is installed.

import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'rolldown'
import { ROOT } from './paths.mjs'

const [directory] = process.argv.slice(2)
const file = resolve(directory, 'worker.js')

await build({
  input: join(ROOT, 'src/worker.ts'),
  cwd: ROOT,
  tsconfig: join(ROOT, 'tsconfig.json'),
  platform: 'browser',
  resolve: { conditionNames: ['workerd', 'worker', 'browser'] },
  external: ['cloudflare:workers', /^node:/],
  output: {
    file,
    format: 'esm',
    codeSplitting: false,
    minify: true,
    comments: false, // THIRD_PARTY_LICENCES.txt of a release has the licences
    sourcemap: true,
    // Relative to the project: the folder of the bundle is a temporary one.
    sourcemapPathTransform: (source) => relative(ROOT, resolve(dirname(file), source)),
  },
  logLevel: 'warn',
  onLog: (_, { message }) => {
    throw new Error(message) // such as an import that was not found
  },
})
