// `npm run proof -- sizes`: the tests whose full size takes many minutes, at their full size (size.ts).

import { spawnSync } from 'node:child_process'
import { NODE, ROOT } from '../../../scripts/service/paths.mjs'

const FILES = [
  'trust/lists/etsi-tl-changes',
  'evidence/verify',
  'qr/render',
  'slow/verify/differential',
  'simulation/histories',
  'wallets/lower.properties',
  'slow/xml-reader',
]
const files = FILES.map((name) => `test/${name}.test.ts`)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'core', '--project', 'slow', ...files]
const env = { ...process.env, SIZES: 'full' }
process.exitCode = spawnSync(NODE, vitest, { cwd: ROOT, stdio: 'inherit', env }).status ?? 1
