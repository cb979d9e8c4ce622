// `npm run test:watch [-- part-of-a-path …]`: runs the selected tests again whenever a file they use changes.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'
import { selectProjects } from './service/test-projects.mjs'

const filters = process.argv.slice(2)
// Without a filter only the fast project is watched.
const { projects, needsBundle } =
  filters.length === 0 ? { projects: ['core'], needsBundle: false } : selectProjects(filters)
ensureInstalled()
if (needsBundle) ensureBundle()
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const options = projects.flatMap((name) => ['--project', name])
const { status } = spawnSync(NODE, [vitest, 'watch', ...options, ...filters], { cwd: ROOT, stdio: 'inherit' })
process.exitCode = status ?? 1
