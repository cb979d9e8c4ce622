// `node test/previous/build.mjs <commit>`: keeps the verifier's bundle of that commit in test/previous,
// with its checksum and its origin. test/previous/README.md says when to run it.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../../scripts/service/paths.mjs'

const OUT = join(ROOT, 'test', 'previous')
const BUNDLE = 'worker.js.gz'

const [commit] = process.argv.slice(2)
if (commit === undefined) {
  console.error('Name the commit or tag of the release: node test/previous/build.mjs <commit>')
  process.exit(2)
}
const sources = mkdtempSync(join(tmpdir(), 'verifier-previous-'))
try {
  const id = run('git', ['rev-parse', '--verify', `${commit}^{commit}`]).trim()
  run('git', ['worktree', 'add', '--detach', '--force', sources, id])
  run('npm', ['ci', '--no-audit', '--no-fund'], sources)
  run('npm', ['run', 'build'], sources)
  const bundle = gzipSync(readFileSync(join(sources, 'dist', 'worker.js')), { level: 9 })
  writeFileSync(join(OUT, BUNDLE), bundle)
  writeFileSync(join(OUT, 'SHA256SUMS'), `${sha256(bundle)}  ${BUNDLE}\n`)
  writeFileSync(join(OUT, 'build.json'), `${JSON.stringify({ commit: id }, null, 2)}\n`)
  console.log(`test/previous is the build of commit ${id}.`)
} finally {
  rmSync(sources, { recursive: true, force: true })
  run('git', ['worktree', 'prune'])
}

/** Runs a command to its end, and returns its output. Throws if it fails. */
function run(command, args, cwd = ROOT) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
