// `npm run check`: formatting, lint, prose, and four type checks (all, the core, the pages, the console).
// It also tests the sources, tables that cite tests, generated pages and links. Every check runs; one
// failure fails all.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

const CHECKS = [
  ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  ['../scripts/types.mjs', '--check'],
  ['typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['typescript/bin/tsc', '-p', 'tsconfig.pure.json'],
  ['typescript/bin/tsc', '-p', 'tsconfig.browser.json'],
  ['typescript/bin/tsc', '-p', 'tsconfig.console.json'],
  ['../scripts/prose/main.ts'],
  [
    'vitest/vitest.mjs',
    'run',
    '--project',
    'core',
    'test/architecture.test.ts',
    'test/comment-width.test.ts',
    'test/conformance-document.test.ts',
    'test/proof-documents.test.ts',
    'test/documents/generated.test.ts',
    'test/documents/links.test.ts',
  ],
]

ensureInstalled()
const failed = CHECKS.filter(([tool, ...args]) => {
  console.log(`\n> ${tool.split('/').at(-1)} ${args.join(' ')}`)
  const run = spawnSync(NODE, [join(ROOT, 'node_modules', tool), ...args], { cwd: ROOT, stdio: 'inherit' })
  return run.status !== 0
})
console.log(
  failed.length === 0 ? '\nAll checks passed.' : `\n${failed.length} of ${CHECKS.length} checks failed.`,
)
process.exitCode = failed.length === 0 ? 0 : 1
