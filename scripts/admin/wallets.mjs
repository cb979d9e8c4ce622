// `npm run admin -- wallets`: prints which wallets can answer a request, from the body of a creation. It
// calls no service.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { NODE } from '../service/paths.mjs'

export const WALLETS = {
  does: 'prints which wallets can answer a request',
  flags: {
    policy:
      'a JSON file: the body of a creation, such as {"credential_types": ["pid"], "scope": ["age_over_18"]}',
    livemode: 'true (default) or false: links of wallets differ',
    settings: 'a JSON file: credential_types and other members of the settings (optional)',
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
  // The sources are TypeScript, so they need the installed Node.
  if (walletTable === undefined) return rerun(args)
  const [body, settings] = [values.policy, values.settings].map((path) => path && readJson(path))
  const table = walletTable(body, { settings: settings ?? {}, livemode: values.livemode !== 'false' })
  if (table.errors !== undefined) {
    console.error(table.errors.map(({ pointer, message }) => `${pointer}: ${message}`).join('\n'))
    return 1
  }
  console.log(values['json-output'] ? JSON.stringify(table.wallets, null, 2) : table.lines.join('\n'))
  return 0
}

async function loadTable() {
  try {
    return (await import('./wallet-table.ts')).walletTable
  } catch (error) {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') return undefined
    throw error
  }
}

function rerun(args) {
  const run = spawnSync(NODE, [process.argv[1], 'wallets', ...args], { stdio: 'inherit' })
  return run.status ?? 1
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
