// `npm run proof -- screenshots`: writes pictures of our pages in every state to dist/screenshots, on a phone
// and on a desktop. The browser tests take them. Those that a page shows are copied to docs/screenshots.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium, NO_CHROMIUM } from '../../scripts/service/chromium.mjs'
import { DIST, NODE, ROOT } from '../../scripts/service/paths.mjs'
import { PICTURES, shownPictures } from '../documents/pictures.mjs'

const SCREENSHOTS = join(DIST, 'screenshots')
const TESTS = [
  ...['return-page', 'manners', 'wallet-page'].map((name) => `browser/${name}`),
  ...['story', 'verifications', 'verification', 'insights', 'developers', 'identities', 'operator'].map(
    (name) => `slow/console/${name}`,
  ),
  ...['audit', 'find', 'people'].map((name) => `slow/console/${name}`),
  ...['shop', 'states', 'console', 'wallet-choice', 'embedding', 'logins', 'browser-modes'].map(
    (name) => `slow/browser/${name}`,
  ),
  ...['leaving', 'one-way', 'languages', 'inspector'].map((name) => `slow/browser/${name}`),
].map((path) => `test/${path}.test.ts`)

if (findChromium() === undefined) {
  console.error(NO_CHROMIUM)
  process.exit(1)
}
rmSync(SCREENSHOTS, { recursive: true, force: true })
mkdirSync(SCREENSHOTS, { recursive: true })
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const run = spawnSync(NODE, [vitest, 'run', '--project', 'browser', '--project', 'slow', ...TESTS], {
  cwd: ROOT,
  env: { ...process.env, SCREENSHOTS },
  stdio: 'inherit',
})
const missing = shownPictures().filter((name) => !existsSync(join(SCREENSHOTS, name)))
for (const name of missing) console.error(`No test takes ${name}, which a page shows.`)
for (const name of shownPictures()) {
  if (!missing.includes(name)) copyFileSync(join(SCREENSHOTS, name), join(PICTURES, name))
}
process.exitCode = missing.length > 0 ? 1 : (run.status ?? 1)
