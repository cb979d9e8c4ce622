// Projects for test/scripts/test-run.test.ts. Each project ends in another way.

import { defineConfig } from 'vitest/config'
import { ClosingLine } from '../closing-line.ts'

const PROJECTS = ['passing', 'skipping', 'failing', 'unloadable', 'killed', 'empty']

export default defineConfig({
  test: {
    cache: false,
    reporters: [new ClosingLine()],
    projects: PROJECTS.map((name) => ({
      test: {
        name,
        root: import.meta.dirname,
        include: name === 'empty' ? [] : ['planted.ts'],
        env: { PLANTED: name },
      },
    })),
  },
})
