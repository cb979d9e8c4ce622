// `production.mjs <base url> <jurisdiction>`: writes production.env, the variables of a deployment, with
// fresh secrets and a certificate of its own. No wallet but the test wallet trusts the certificate.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENVIRONMENT_FILE } from '../deploy/environment.mjs'
import { ROOT } from '../service/paths.mjs'
import { keepSecrets } from '../service/state.mjs'
import { keepVerifier } from '../service/verifier-certificate.mjs'

const [baseUrl, jurisdiction] = process.argv.slice(2)
const file = join(ROOT, ENVIRONMENT_FILE)
if (existsSync(file)) {
  console.error(`${file} exists, and is not changed.`)
  process.exitCode = 1
} else {
  const { METRICS_TOKEN: _, ...variables } = await freshVariables(new URL(baseUrl).hostname)
  const lines = Object.entries({ BASE_URL: baseUrl, JURISDICTION: jurisdiction, ...variables })
  writeFileSync(file, lines.map(([name, value]) => `${name}='${value.trim()}'\n`).join(''), { mode: 0o600 })
  console.log(`Wrote ${file}: the secrets of the deployment. Keep a copy with your other secrets.`)
}

/** The local service of the folder has other secrets, so they are made in a folder of their own. */
async function freshVariables(host) {
  const directory = mkdtempSync(join(tmpdir(), 'secrets-'))
  try {
    mkdirSync(join(directory, 'keys'))
    return { ...(await keepSecrets(directory)), ...(await keepVerifier(directory, host)) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
