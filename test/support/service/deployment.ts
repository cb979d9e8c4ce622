// A good environment of a deployment, with a certificate chain of its own.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE, ROOT } from '../../../scripts/service/paths.mjs'
import {
  type CertificateOptions,
  type Minted,
  mintIntermediate,
  mintLeaf,
  mintRoot,
} from '../certificates/certificates.ts'

export const HOST = 'verify.shop.org'

export type Environment = Readonly<Record<string, string>>
export type Chain = { readonly root: Minted; readonly issuer: Minted; readonly leaf: Minted }

/** Returns variables that the preflight accepts. The certificate is the leaf of the chain. */
export async function goodEnvironment(chain: Chain): Promise<Environment> {
  const other = await mintLeaf(chain.issuer)
  return {
    BASE_URL: `https://${HOST}`,
    JURISDICTION: 'eu',
    ADMIN_TOKEN: randomBytes(32).toString('base64url'),
    SERVER_SECRET: randomBytes(32).toString('base64url'),
    ACCESS_TOKEN_KEYS: JSON.stringify({ keys: [{ ...keyOf(other), kid: 'a' }] }),
    ...identityOf(chain),
  }
}

/** Mints a root, an issuer below it, and a certificate for HOST. `leaf` overrides parts of the last one. */
export async function mintChain(leaf: CertificateOptions = {}): Promise<Chain> {
  const root = await mintRoot()
  const issuer = await mintIntermediate(root)
  const altNames = [{ type: 'dns', value: HOST }] as const
  return { root, issuer, leaf: await mintLeaf(issuer, { altNames, ...leaf }) }
}

/** Returns the members of a private JWK that a variable has. */
export function keyOf({ privateJwk: { kty, crv, x, y, d } }: Minted) {
  return { kty, crv, x, y, d }
}

/** Returns the variables with the verifier's key and certificates. */
export function identityOf({ leaf, issuer }: Chain, certificates = [leaf, issuer]) {
  return {
    VERIFIER_SIGNING_JWK: JSON.stringify(keyOf(leaf)),
    VERIFIER_CERTIFICATE_CHAIN_PEM: certificates.map(({ pem }) => pem).join(''),
  }
}

/** Runs `npm run deploy -- --dry-run` as an operator does, without variables of ours. */
export function dryRun(directory: string, environment: Environment) {
  const file = join(directory, 'production.env')
  const lines = Object.entries(environment).map(([name, value]) => `${name}='${value.trim()}'\n`)
  writeFileSync(file, lines.join(''))
  const args = [join(ROOT, 'scripts/deploy/main.mjs'), '--dry-run', '--env-file', file]
  const env = { PATH: process.env.PATH ?? '', HOME: directory, TMPDIR: directory, CI: 'true' }
  return spawnSync(NODE, args, { env, encoding: 'utf8' })
}
