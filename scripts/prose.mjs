// `npm run prose`: measures the prose of comments and Markdown pages (scripts/prose/main.ts).

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

ensureInstalled()
// The script is TypeScript, so it needs the installed Node.
const { error, status } = spawnSync(
  NODE,
  [join(ROOT, 'scripts', 'prose', 'main.ts'), ...process.argv.slice(2)],
  {
    cwd: ROOT,
    stdio: 'inherit',
  },
)
if (error) throw error
process.exitCode = status ?? 1
