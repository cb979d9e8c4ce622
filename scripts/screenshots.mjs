// `npm run screenshots`: replaces docs/screenshots with pictures of our pages in every state, on a phone and
// on a desktop. The browser tests take them.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { findChromium, NO_CHROMIUM } from './service/chromium.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

const SCREENSHOTS = join(ROOT, 'docs', 'screenshots')
const TESTS = [
  ...['states', 'return-page', 'shop', 'manners', 'wallet-page', 'wallet-choice', 'logins', 'embedding'],
  ...['console/story', 'console/verifications', 'console/verification'],
  ...['console/insights', 'console/developers', 'console/operator'],
].map((name) => `test/browser/${name}.test.ts`)

ensureInstalled()
ensureBundle()
if (findChromium() === undefined) {
  console.error(NO_CHROMIUM)
  process.exit(1)
}
rmSync(SCREENSHOTS, { recursive: true, force: true })
mkdirSync(SCREENSHOTS, { recursive: true })
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const run = spawnSync(NODE, [vitest, 'run', '--project', 'browser', ...TESTS], {
  cwd: ROOT,
  env: { ...process.env, SCREENSHOTS },
  stdio: 'inherit',
})
process.exitCode = run.status ?? 1
