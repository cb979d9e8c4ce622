// Reads the variables of a deployment: the variables of src/config.ts that apply on Cloudflare. They come
// from one file or from the environment, never from both. A name left in a shell must not reach production.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from '../service/paths.mjs'

/** File that is read if it exists. It holds secrets and is never committed. */
export const ENVIRONMENT_FILE = 'production.env'

/** Variables that are visible on Cloudflare's dashboard. */
export const PLAIN = [
  'BASE_URL',
  'SERVICE_SCHEME',
  'WALLET_SCHEME',
  'CONSOLE',
  'GOOGLE_WALLET_AGGREGATOR',
  'LOG_REQUESTS',
  'TSA_URL',
  'JURISDICTION',
]

/**
 * Variables that are uploaded as secrets. Certificates are public, but must change in one step with their
 * keys.
 */
export const SECRET = [
  'ADMIN_TOKEN',
  'SERVER_SECRET',
  'ACCESS_TOKEN_KEYS',
  'OIDC_KEYS',
  'OIDC_SUBJECT_KEY',
  'VERIFIER_SIGNING_JWK',
  'VERIFIER_CERTIFICATE_CHAIN_PEM',
  'VERIFIER_FURTHER_KEYS',
  'TSA_CA_PEM',
  'TSA_AUTHORIZATION',
]

/** Returns the plain variables of the Worker. `none` as jurisdiction is left out. */
export function plainVariables(environment) {
  const names = PLAIN.filter((name) => environment[name] !== undefined)
  return names.filter((name) => name !== 'JURISDICTION' || environment[name] !== 'none')
}

/**
 * Variables that a deployment rejects for some values, or does not use. They are read for that check and
 * never uploaded.
 */
const REFUSED = ['ALLOW_LOOPBACK', 'CLIENT_IP_HEADER', 'METRICS_TOKEN']

/**
 * Returns the variables of the file (`path`, or `production.env`). Without a file, returns the known
 * variables of `env`.
 */
export function readEnvironment(path, env) {
  const file = join(ROOT, ENVIRONMENT_FILE)
  if (path !== undefined) return parseEnv(readFileSync(path, 'utf8'))
  if (existsSync(file)) return parseEnv(readFileSync(file, 'utf8'))
  const names = [...PLAIN, ...SECRET, ...REFUSED].filter((name) => env[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}

/**
 * Returns the plain variables of a deployment in Workers Builds, from `[vars]` of wrangler.toml; undefined
 * elsewhere, and if there is a `production.env`. `env`: the variables of the process.
 */
export function environmentOfBuild(env) {
  if (env.WORKERS_CI !== '1' || existsSync(join(ROOT, ENVIRONMENT_FILE))) return undefined
  const [, vars = ''] = readFileSync(join(ROOT, 'wrangler.toml'), 'utf8').split(/^\[vars\]$/m)
  const [own] = vars.split(/^\[/m, 1)
  const lines = [...own.matchAll(/^([A-Z_]+) = "([^"]+)"$/gm)].map(([, name, value]) => [name, value])
  return Object.fromEntries(lines.filter(([name]) => PLAIN.includes(name)))
}

/** Returns names that no program reads. Such a name is usually misspelt. */
export function unknownNames(environment) {
  return Object.keys(environment).filter((name) => ![...PLAIN, ...SECRET, ...REFUSED].includes(name))
}
