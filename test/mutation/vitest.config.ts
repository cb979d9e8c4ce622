// The tests of one group of mutants, in plain Node. scripts/mutation.mjs names the group.

import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { GROUPS } from './groups.mjs'

const group = GROUPS[process.env.MUTATION_GROUP as keyof typeof GROUPS]

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: { include: group.tests, testTimeout: 60_000 },
})
