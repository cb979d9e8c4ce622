// `npm run release [-- --allow-dirty] [--out <folder>]`: makes the files of a release in dist/release
// (docs/releasing.md). `--allow-dirty` accepts uncommitted changes, to try it.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
const command = [join(ROOT, 'scripts', 'release', 'main.mjs'), ...process.argv.slice(2)]
const run = spawnSync(NODE, command, { cwd: ROOT, stdio: 'inherit' })
process.exitCode = run.status ?? 1
