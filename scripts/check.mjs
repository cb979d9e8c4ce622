// `npm run check [-- NAME [arguments]]`: every check of the sources, or the named check. Every check runs;
// one failure fails all.

import { spawnSync } from 'node:child_process'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

/** By name: a program and its arguments. */
const CHECKS = {
  format: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  generated: ['scripts/generate.ts', '--check'],
  types: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  core: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.pure.json'],
  pages: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.browser.json'],
  console: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.console.json'],
  prose: ['scripts/prose/main.ts'],
  sources: [
    ...['node_modules/vitest/vitest.mjs', 'run', '--project', 'core'],
    'test/architecture.test.ts',
    'test/comment-width.test.ts',
    'test/conformance-document.test.ts',
    'test/proof-documents.test.ts',
    'test/documents/commands.test.ts',
    'test/documents/links.test.ts',
  ],
}

const [name, ...args] = process.argv.slice(2)
if (name !== undefined && !Object.hasOwn(CHECKS, name)) {
  console.error(`There is no check ${name}. Checks: ${Object.keys(CHECKS).join(', ')}.`)
  process.exit(2)
}
ensureInstalled()
const names = name === undefined ? Object.keys(CHECKS) : [name]
const failed = names.filter((check) => {
  console.log(`\n> ${check}`)
  return spawnSync(NODE, [...CHECKS[check], ...args], { cwd: ROOT, stdio: 'inherit' }).status !== 0
})
console.log(failed.length === 0 ? `\nPassed: ${names.join(', ')}.` : `\nFailed: ${failed.join(', ')}.`)
process.exitCode = failed.length === 0 ? 0 : 1
