// `npm run docs`: writes the pages of docs/ that are generated from the sources. They are committed;
// test/documents fails when one is not current.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
// The sources are TypeScript, so they need the installed Node.
const { error, status } = spawnSync(NODE, [join(ROOT, 'scripts', 'documents', 'write.ts')], {
  cwd: ROOT,
  stdio: 'inherit',
})
if (error) throw error
process.exitCode = status ?? 1
