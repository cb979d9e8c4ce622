#!/usr/bin/env node
// The command `npm create wallet-verifier`: fills a folder, installs its packages, and prints the first key
// and the first call. The service itself is the archive of the release in dist/.

import { spawnSync } from 'node:child_process'
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { firstKey } from './first-key.mjs'
import { fillFolder } from './folder.mjs'

const USAGE = `npm create wallet-verifier@latest <folder> [-- options]

Creates a verifier for digital identity wallets in an empty folder.

  (no option)           a service for a machine of your own: Linux on x64 or arm64
  --worker              a Worker of your own on Cloudflare
  --base-url <url>      with --worker: the address of the Worker. Writes the variables of the deployment
  --jurisdiction <one>  with --base-url: eu, fedramp or none. It cannot be changed later
  --no-install          only fills the folder
  --help                shows this text`

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  return 1
})

async function main(args) {
  const { values, positionals } = parseOptions(args)
  if (values.help) return print(USAGE, 0)
  const [name] = positionals
  if (name === undefined || positionals.length > 1) return print(USAGE, 2)
  const folder = resolve(name)
  fillFolder(folder, { isWorker: values.worker })
  const place = relative('.', folder) || '.'
  if (values['no-install']) return print(stepsIn(place, values), 0)
  install(folder)
  if (values['base-url'] !== undefined) writeVariables(folder, values)
  console.log('\nStarting the service once, to create the first key …')
  const { apiKey, call } = await firstKey(folder, values.worker ? 'dev' : 'start')
  return print(`\nThe first key, for test mode:\n\n  ${apiKey}\n\n${stepsIn(place, values)}\n${call}\n`, 0)
}

/** Throws an error with a sentence for an option that does not exist or does not apply. */
function parseOptions(args) {
  const parsed = parseArgs({
    args,
    allowPositionals: true,
    options: {
      worker: { type: 'boolean', default: false },
      'base-url': { type: 'string' },
      jurisdiction: { type: 'string' },
      'no-install': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { worker, 'base-url': baseUrl, jurisdiction, 'no-install': isBare } = parsed.values
  if (baseUrl === undefined && jurisdiction !== undefined) throw new Error('--jurisdiction needs --base-url')
  if (baseUrl === undefined) return parsed
  if (!worker) throw new Error('--base-url needs --worker: a service of your own reads BASE_URL at its start')
  if (isBare) throw new Error('--base-url needs the packages: leave out --no-install')
  if (!['eu', 'fedramp', 'none'].includes(jurisdiction ?? ''))
    throw new Error('--jurisdiction must be eu, fedramp or none: it cannot be changed later')
  if (!URL.canParse(baseUrl) || new URL(baseUrl).origin !== baseUrl || !baseUrl.startsWith('https://'))
    throw new Error('--base-url must be an https origin without a path, such as https://verify.shop.org')
  return parsed
}

function install(folder) {
  console.log('Installing the packages …')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder)
}

/** Writes production.env with fresh secrets, by a program of the folder. */
function writeVariables(folder, { 'base-url': baseUrl, jurisdiction }) {
  run(process.execPath, ['scripts/worker/production.mjs', baseUrl, jurisdiction], folder)
}

function run(program, args, cwd) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit', shell: isScript(program) })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed (exit code ${status}) in ${cwd}.`)
}

/** On Windows npm is a script, which needs a shell. */
function isScript(program) {
  return process.platform === 'win32' && program === 'npm'
}

function stepsIn(place, { worker, 'base-url': baseUrl, 'no-install': isBare }) {
  const deploy = [
    `  npm run deploy -- --dry-run${baseUrl === undefined ? '   # after the variables of README.md' : ''}`,
    '  npm run deploy',
  ]
  return [
    `Next:\n\n  cd ${place}`,
    ...(isBare ? ['  npm ci'] : []),
    worker ? '  npm run dev' : '  npm start',
    ...(worker ? deploy : []),
    '\nREADME.md of the folder has the rest.',
    ...(isBare ? [] : ['\nWhile the service runs, in a second terminal:']),
  ].join('\n')
}

function print(text, code) {
  ;(code === 0 ? console.log : console.error)(text)
  return code
}
