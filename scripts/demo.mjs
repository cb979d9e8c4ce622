// `npm run demo`: one complete verification on a service of its own, printed step by step.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
ensureBundle()
// The story uses TypeScript support files of the tests, which need the Node that was just installed.
const { error, status } = spawnSync(NODE, [join(ROOT, 'scripts', 'demo', 'story.mjs')], {
  cwd: ROOT,
  stdio: 'inherit',
})
if (error) throw error
process.exitCode = status ?? 1
