// What a deployment is given: the variables of src/config.ts that make sense on Cloudflare, from one file or from the environment, never from
// both: a name left in a shell must not find its way into production.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from '../service/paths.mjs'

/** Read where it is there. It holds secrets and is never committed. */
export const ENVIRONMENT_FILE = 'production.env'

/** Anybody may see these on Cloudflare's dashboard. */
export const PLAIN = ['BASE_URL', 'SERVICE_SCHEME', 'WALLET_SCHEME', 'JURISDICTION']

/** Certificates are no secret: they are here to change in one step with the key they are for. */
export const SECRET = [
  'ADMIN_TOKEN',
  'SERVER_SECRET',
  'ACCESS_TOKEN_KEYS',
  'VERIFIER_SIGNING_JWK',
  'VERIFIER_CERTIFICATE_CHAIN_PEM',
  'VERIFIER_FURTHER_KEYS',
]

/** What the Worker is given of the plain ones: no jurisdiction is none at all. */
export function plainVariables(environment) {
  const names = PLAIN.filter((name) => environment[name] !== undefined)
  return names.filter((name) => name !== 'JURISDICTION' || environment[name] !== 'none')
}

/** Of these a value may be wrong, so they are looked at where they are set; none is ever uploaded. */
const REFUSED = ['ALLOW_LOOPBACK', 'CLIENT_IP_HEADER']

/** The variables: all that the file says (`path`, or `production.env`), else those of ours that `env` has. */
export function readEnvironment(path, env) {
  const file = join(ROOT, ENVIRONMENT_FILE)
  if (path !== undefined) return parseEnv(readFileSync(path, 'utf8'))
  if (existsSync(file)) return parseEnv(readFileSync(file, 'utf8'))
  const names = [...PLAIN, ...SECRET, ...REFUSED].filter((name) => env[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}

/** Names that nothing here reads: mostly misspelt ones. */
export function unknownNames(environment) {
  return Object.keys(environment).filter((name) => ![...PLAIN, ...SECRET, ...REFUSED].includes(name))
}
