// `npm run dev`: runs `wrangler dev` with the keys of `npm start`, and prints the first call. In a checkout
// wrangler rebuilds when files change.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureBundle } from './service/bundle.mjs'
import { keepDemoRelyingParty } from './service/demo-relying-party.mjs'
import { ensureInstalled } from './service/install.mjs'
import { availableNode, BACKGROUND_CONFIG, ROOT, SANDBOX_CONFIG, SHOP_CONFIG } from './service/paths.mjs'
import { request } from './service/request.mjs'
import { keepSecrets, openStateDirectory, writePrivately } from './service/state.mjs'
import { usageLines } from './service/usage.mjs'
import { keepVerifier } from './service/verifier-certificate.mjs'

ensureInstalled()
ensureBundle()
const directory = openStateDirectory(resolve(ROOT, process.env.STATE_DIR ?? '.dev'))
const port = process.env.PORT ?? '8787'
const baseUrl = `http://localhost:${port}`
const variables = {
  ...(await keepSecrets(directory)),
  ...(await keepVerifier(directory, 'localhost')),
  BASE_URL: baseUrl,
  ALLOW_LOOPBACK: '1',
}
const wrangler = startWrangler(writeVariables(), writeCompanions())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => wrangler.kill(signal))
wrangler.once('exit', (code) => process.exit(code ?? 1))
wrangler.once('error', (error) => {
  throw error
})
await printUsage()

/** Variables are passed in a file, because every user of the machine can read arguments. */
function writeVariables() {
  const file = join(directory, 'dev.env')
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value.trim()}'\n`)
  writePrivately(file, lines.join(''))
  return file
}

/** Deployed, the other Workers call the verifier's public address. Here they call it by a binding. */
function writeCompanions() {
  return [SANDBOX_CONFIG, SHOP_CONFIG].map((path) => {
    const file = join(directory, `wrangler.${path.replaceAll('/', '.')}`)
    const text = readFileSync(join(ROOT, path), 'utf8')
    const absolute = text.replace(/^(main|directory) = "/gm, `$&${join(ROOT, dirname(path))}/`)
    writePrivately(
      file,
      `${absolute}
[vars]
BASE_URL = "${baseUrl}"

[[services]]
binding = "VERIFIER"
service = "wallet-verifier"
`,
    )
    return file
  })
}

function startWrangler(envFile, companions) {
  const program = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  // The first configuration is the Worker that is reached from outside.
  const configs = ['wrangler.toml', BACKGROUND_CONFIG, ...companions].flatMap((path) => ['--config', path])
  const options = ['--port', port, '--env-file', envFile, '--persist-to', join(directory, 'wrangler')]
  return spawn(availableNode(), [program, 'dev', ...configs, ...options], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  })
}

/** Prints a call with the key of a relying party in test mode, once the service responds. */
async function printUsage() {
  while ((await request('GET', `${baseUrl}/healthz`).catch(() => undefined))?.status !== 200) await sleep(250)
  const demo = await keepDemoRelyingParty(directory, { origin: baseUrl, adminToken: variables.ADMIN_TOKEN })
  const options = { baseUrl, origin: baseUrl, tls: null }
  const isTerminal = process.stdout.isTTY === true
  for (const line of usageLines(directory, { options, demo, code: null, isTerminal })) console.log(line)
}
