// `npm run types`: writes worker-configuration.d.ts, the types of the bindings in wrangler.toml. With
// `--check` it writes nothing and fails when the file is not current.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

const WRANGLER = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')

ensureInstalled()
const isCheck = process.argv.includes('--check')
// The runtime's types come from @cloudflare/workers-types.
const options = ['--include-runtime=false', '--env-interface=WorkerBindings', ...(isCheck ? ['--check'] : [])]
const run = spawnSync(NODE, [WRANGLER, 'types', ...options], {
  cwd: ROOT,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' },
})
if (isCheck && run.status !== 0)
  console.error('worker-configuration.d.ts is not current: run `npm run types`.')
process.exitCode = run.status ?? 1
