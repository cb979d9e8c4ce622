// `node scripts/api-reference.mjs 1.46.4`: writes assets/api-reference/scalar.js from that version of
// @scalar/api-reference.
//
// The package is no dependency: it would install 299 packages for one file that is already bundled.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ASSETS } from './service/paths.mjs'

/**
 * Asks whether the page may use `eval`. Our policy forbids it, and the question alone is reported as a
 * violation.
 */
const EVAL_PROBE = 'try{return new Function(""),!0}catch(e){return!1}'

const [version] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  console.error('Name the version: node scripts/api-reference.mjs 1.46.4')
  process.exit(1)
}
const directory = mkdtempSync(join(tmpdir(), 'api-reference-'))
try {
  run('npm', ['pack', '--silent', `@scalar/api-reference@${version}`, '--pack-destination', directory])
  run('tar', ['-xzf', `scalar-api-reference-${version}.tgz`, 'package/dist/browser/standalone.js'])
  const source = readFileSync(join(directory, 'package', 'dist', 'browser', 'standalone.js'), 'utf8')
  if (source.split(EVAL_PROBE).length !== 2) throw new Error('the probe for eval is not there exactly once')
  writeFileSync(join(ASSETS, 'api-reference', 'scalar.js'), source.replace(EVAL_PROBE, 'return!1'))
  console.log(`assets/api-reference/scalar.js is version ${version}.`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed (exit code ${status})`)
}
