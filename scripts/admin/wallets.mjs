// `npm run admin -- wallets`: prints which wallets can answer a request, from the body of a creation. It
// calls the service only for the settings of a relying party.

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readOptions } from '../service/options.mjs'
import { ROOT } from '../service/paths.mjs'
import { runProgram } from '../service/programs.mjs'
import { verifierFile } from '../service/verifier-certificate.mjs'
import { json, plain, readableProblem } from './print.mjs'
import { findService, send } from './service.mjs'

export const WALLETS = {
  does: 'prints which wallets can answer a request',
  flags: {
    policy:
      'a JSON file: the body of a creation, such as {"credential_types": ["pid"], "scope": ["age_over_18"]}',
    'relying-party': 'id of a relying party: its settings and its mode are used, from the service',
    settings: 'a JSON file: members of the settings, in place of those of a relying party',
    livemode: 'true (default) or false: links of wallets differ',
  },
}

/** Runs the command. Returns the exit code. */
export async function runWallets(args) {
  const options = Object.fromEntries(Object.keys(WALLETS.flags).map((name) => [name, { type: 'string' }]))
  let values
  try {
    values = parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' }, 'json-output': { type: 'boolean' } },
    }).values
    if (!values.help && !values.policy) throw new Error('--policy is required.')
  } catch (error) {
    console.error(`${error.message}\n\n${helpText()}`)
    return 2
  }
  if (values.help) {
    console.log(helpText())
    return 0
  }
  const walletTable = await loadTable()
  // The sources are TypeScript, which an older Node does not read.
  if (walletTable === undefined)
    return runProgram('scripts/admin.mjs', ['wallets', ...args], { stdio: 'inherit' }).status ?? 1
  const found = await findSettings(values, process.env)
  if (found.error !== undefined) {
    console.error(found.error)
    return found.code
  }
  const table = await walletTable(readJson(values.policy), found)
  if (table.errors !== undefined) {
    console.error(plain(table.errors.map(({ pointer, message }) => `${pointer}: ${message}`).join('\n')))
    return 1
  }
  console.log(values['json-output'] ? json(table.wallets, 2) : plain(table.lines.join('\n')))
  return 0
}

/** Returns `{ settings, livemode, service }` for the flags, or `{ error, code }`. */
export async function findSettings({ settings, livemode, 'relying-party': id }, env) {
  const given = { settings: settings ? readJson(settings) : {}, livemode: livemode !== 'false' }
  if (id === undefined) {
    const baseUrl = URL.canParse(env.BASE_URL ?? '') ? env.BASE_URL : 'https://verifier.example'
    return { ...given, service: { baseUrl, chain: undefined } }
  }
  const service = findService(env)
  if (service.error !== undefined) return { error: service.error, code: 2 }
  const path = `/relying_parties/${encodeURIComponent(id)}`
  const { status, body, error } = await send(service, { method: 'GET', path, query: {} })
  if (error !== undefined) return { error, code: 3 }
  if (status >= 400) return { error: readableProblem(status, body), code: 1 }
  const { baseUrl } = readOptions(env)
  const known = { baseUrl, chain: chainOf(baseUrl, env) }
  return { settings: { ...body, ...given.settings }, livemode: body.livemode, service: known }
}

/** The chain of the service: the chain of its environment, or the chain that its start made. */
function chainOf(baseUrl, { VERIFIER_CERTIFICATE_CHAIN_PEM: chain, STATE_DIR }) {
  if (chain !== undefined) return chain
  const file = verifierFile(resolve(ROOT, STATE_DIR ?? '.dev'), new URL(baseUrl).hostname)
  return existsSync(file) ? readJson(file).certificate_chain_pem : undefined
}

async function loadTable() {
  try {
    return (await import('./wallet-table.ts')).walletTable
  } catch (error) {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') return undefined
    throw error
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function helpText() {
  const rows = Object.entries(WALLETS.flags).map(([name, words]) => `  --${name.padEnd(14)}${words}`)
  return [`npm run admin -- wallets: ${WALLETS.does}`, '', ...rows, '  --json-output   prints JSON'].join(
    '\n',
  )
}
