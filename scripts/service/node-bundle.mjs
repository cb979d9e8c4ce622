// Bundles a program for Node with everything that it imports, without dependencies.

import { join } from 'node:path'
import { build } from 'rolldown'
import { packageOf } from './module-package.mjs'
import { ROOT } from './paths.mjs'

/** Writes the bundle of `input` to `file`. Returns the packages in it, as paths of the lock file. */
export async function bundleForNode(input, file, banner = '') {
  const { output } = await build({
    input,
    cwd: ROOT,
    tsconfig: join(ROOT, 'tsconfig.json'),
    platform: 'node',
    external: [/^node:/],
    output: { file, format: 'esm', codeSplitting: false, comments: false, banner },
    experimental: { attachDebugInfo: 'none' }, // no comments with paths of this machine
    logLevel: 'warn',
    onLog: (_, { message }) => {
      throw new Error(message) // such as an import that was not found
    },
  })
  return output.flatMap(({ modules = {} }) =>
    Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? packageOf(id) : [])),
  )
}
