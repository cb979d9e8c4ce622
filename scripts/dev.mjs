// `npm run dev`: runs `wrangler dev`, which rebuilds when files change, with the keys of `npm start`.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT, SANDBOX_CONFIG, SHOP_CONFIG } from './service/paths.mjs'
import { keepSecrets, openStateDirectory, writePrivately } from './service/state.mjs'
import { keepVerifier } from './service/verifier-certificate.mjs'

ensureInstalled()
ensureBundle()
const directory = openStateDirectory(resolve(ROOT, process.env.STATE_DIR ?? '.dev'))
const port = process.env.PORT ?? '8787'
const variables = {
  ...(await keepSecrets(directory)),
  ...(await keepVerifier(directory, 'localhost')),
  BASE_URL: `http://localhost:${port}`,
  ALLOW_LOOPBACK: '1',
}
// Variables are passed in a file, because every user of the machine can read arguments.
const file = join(directory, 'dev.env')
writePrivately(
  file,
  Object.entries(variables)
    .map(([name, value]) => `${name}='${value.trim()}'\n`)
    .join(''),
)
// Deployed, the other Workers call the verifier's public address. On this machine they call it by a binding.
const companions = [SANDBOX_CONFIG, SHOP_CONFIG].flatMap((path) => {
  const file = join(directory, `wrangler.${path.replaceAll('/', '.')}`)
  const text = readFileSync(join(ROOT, path), 'utf8')
  const absolute = text.replace(/^(main|directory) = "/gm, `$&${join(ROOT, dirname(path))}/`)
  writePrivately(
    file,
    `${absolute}
[vars]
BASE_URL = "${variables.BASE_URL}"

[[services]]
binding = "VERIFIER"
service = "wallet-verifier"
`,
  )
  return ['--config', file]
})
const wrangler = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
const run = spawnSync(
  NODE,
  [
    wrangler,
    'dev',
    // The first configuration is the Worker that is reached from outside.
    ...['--config', 'wrangler.toml', ...companions],
    '--port',
    port,
    '--env-file',
    file,
    '--persist-to',
    join(directory, 'wrangler'),
  ],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
)
process.exitCode = run.status ?? 1
