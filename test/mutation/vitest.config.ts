// The tests of one group of mutants, in plain Node. main.mjs names the group. A group on the
// platform of `platform` runs tests of the projects `workers` and `system` as well.

import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { HANG_MS } from '../support/wait.ts'
import { GROUPS } from './groups.mjs'

const group = GROUPS[process.env.MUTATION_GROUP as keyof typeof GROUPS]
const platform = (name: string) => join(import.meta.dirname, 'platform', name)

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  resolve: {
    alias: [
      { find: 'cloudflare:workers', replacement: platform('workers.ts') },
      { find: 'cloudflare:test', replacement: platform('testing.ts') },
      { find: './server.ts', replacement: platform('server.ts') },
      { find: './shared-services.ts', replacement: platform('shared-services.ts') },
      {
        find: '@wallet-verifier/client',
        replacement: join(import.meta.dirname, '../../packages/client/src/client.ts'),
      },
    ],
  },
  test: {
    include: group.tests,
    setupFiles: platform('globals.ts'),
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    isolate: false,
  },
})
