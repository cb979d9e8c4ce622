// `npm run docs`: writes the pages of docs/ that are made from the sources. They are committed; test/documents tells when one is
// not current.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
// The sources are TypeScript: they need the Node that was just installed.
const { error, status } = spawnSync(NODE, [join(ROOT, 'scripts', 'documents', 'write.ts')], {
  cwd: ROOT,
  stdio: 'inherit',
})
if (error) throw error
process.exitCode = status ?? 1
