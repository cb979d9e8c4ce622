// `npm run admin -- certification`: prepares what the hosted suite of the OpenID Foundation asks for, as a
// verifier and as a provider. `certification link` makes the request that one module expects.
// docs/certification.md has the steps.

import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../service/paths.mjs'
import { writePrivately } from '../service/state.mjs'
import {
  clientBodies,
  makeIssuer,
  makeSigningKeys,
  plansOf,
  REQUESTS,
  verifierAnchors,
} from './certification-parts.mjs'
import { readableProblem } from './print.mjs'
import { findService, send } from './service.mjs'

const SUITE = 'https://www.certification.openid.net'
/** Git ignores this folder. */
const FOLDER = '.dev/certification'

export const CERTIFICATION_COMMAND = 'certification'

export const CERTIFICATION = {
  does: "prepares configurations, keys and clients for the OpenID Foundation's suite",
  flags: {
    alias: 'alias of the plans: up to 50 of a-z, 0-9 and -; other people must not use it',
    suite: `address of the suite; default: ${SUITE}`,
    out: `folder of the files; default: ${FOLDER}`,
    'request-root': 'a PEM file: the root of the certificates that sign requests; default: that of npm start',
    'mdoc-signer': "a PEM file: the suite's document signer, for the plan of ISO mdoc",
  },
}

/** A message for the operator, and the exit code. */
class CommandError extends Error {
  constructor(message, exitCode = 2) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Runs the command. Returns the exit code. */
export async function runCertification(args, env = process.env) {
  try {
    const [action, format] = args.filter((arg) => !arg.startsWith('-'))
    if (action === 'link') return await printLink(format, args.slice(args.indexOf(format) + 1), env)
    const values = parse(args)
    if (values.help) {
      console.log(helpText())
      return 0
    }
    return await prepare(values, env)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    console.error(error.message)
    return error.exitCode
  }
}

function parse(args) {
  const options = Object.fromEntries(
    Object.keys(CERTIFICATION.flags).map((name) => [name, { type: 'string' }]),
  )
  let values
  try {
    values = parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } }).values
  } catch (error) {
    throw new CommandError(`${error.message}\n\n${helpText()}`)
  }
  if (values.help) return values
  if (!/^[a-z0-9-]{1,50}$/.test(values.alias ?? ''))
    throw new CommandError(`--alias is required: ${CERTIFICATION.flags.alias}.\n\n${helpText()}`)
  const suite = values.suite ?? SUITE
  if (!URL.canParse(suite) || new URL(suite).protocol !== 'https:')
    throw new CommandError('--suite must be an https URL.')
  return { ...values, suite: new URL(suite).origin, out: values.out ?? join(ROOT, FOLDER) }
}

/** Creates the relying parties and clients, and writes the files. */
async function prepare({ alias, suite, out, ...files }, env) {
  if (existsSync(join(out, 'state.json')))
    throw new CommandError(`${out} has files of an earlier run. Choose another folder with --out.`)
  const service = findTheService(env)
  const rootPem = readPem(files['request-root'] ?? localRoot(env), '--request-root')
  const mdocSigner = files['mdoc-signer'] && readPem(files['mdoc-signer'], '--mdoc-signer')
  const issuer = await makeIssuer(new URL(suite).hostname)
  const verifier = await create(service, '/relying_parties', {
    name: 'Certification of the verifier',
    livemode: true,
    trust_anchors: verifierAnchors(issuer.authorityPem, mdocSigner),
  })
  await checkRequest(service, verifier.api_key, rootPem)
  // With a key of RSA, the suite also checks that RS256 is refused.
  const keys = { client: makeSigningKeys('PS256'), client2: makeSigningKeys('ES256') }
  const provider = await create(service, '/relying_parties', {
    name: 'Certification of the provider',
    livemode: false,
  })
  const clients = {}
  for (const [name, body] of Object.entries(clientBodies(`${suite}/test/a/${alias}/callback`, keys)))
    clients[name] = await create(service, `/relying_parties/${provider.relying_party_id}/oidc_clients`, body)
  const plans = plansOf({ alias, issuer, rootPem, clients, keys })
  mkdirSync(out, { recursive: true, mode: 0o700 })
  for (const { file, configuration } of plans) write(out, file, configuration)
  const ids = [verifier, provider].map((party) => party.relying_party_id)
  write(out, 'state.json', { alias, suite, api_key: verifier.api_key, relying_parties: ids })
  console.log(summaryOf(plans, { out, suite, ids, hasMdoc: mdocSigner !== undefined }))
  return 0
}

function write(folder, file, value) {
  writePrivately(join(folder, file), `${JSON.stringify(value, null, 2)}\n`)
}

/** Prints the authorization request of a new verification, with the address of the suite's wallet. */
async function printLink(format, args, env) {
  const { values } = parseArgs({ args, options: { out: { type: 'string' } } })
  const body = REQUESTS[format]
  if (body === undefined)
    throw new CommandError(`Usage: certification link ${Object.keys(REQUESTS).join('|')} [--out FOLDER]`)
  const file = join(values.out ?? join(ROOT, FOLDER), 'state.json')
  if (!existsSync(file)) throw new CommandError(`${file} does not exist: run certification --alias first.`)
  const { alias, suite, api_key } = JSON.parse(readFileSync(file, 'utf8'))
  const created = await create({ ...findTheService(env), token: api_key }, '/v1/verify', body, '')
  const [, query] = created.wallet_request.uri.split('?')
  console.log(`${suite}/test/a/${alias}/authorize?${query}`)
  console.log(`\nThe page for the picture: ${created.session_url}`)
  return 0
}

/**
 * Checks with one verification that the certificate in its Request Object is under the root that the suite
 * gets, and that the Client Identifier is the hash of this certificate.
 */
async function checkRequest(service, apiKey, rootPem) {
  const caller = { ...service, token: apiKey }
  const { wallet_request } = await create(caller, '/v1/verify', REQUESTS.sd_jwt_vc, '')
  const path = new URL(wallet_request.request_uri).pathname
  const { text, error } = await send(caller, { method: 'GET', path, root: '' })
  const header = decodeHeader(text)
  if (header === undefined) throw new CommandError(`The Request Object cannot be read: ${error ?? path}`, 1)
  const chain = header.x5c.map((der) => new X509Certificate(Buffer.from(der, 'base64')))
  const root = new X509Certificate(rootPem)
  const isUnder = chain.at(-1).checkIssued(root) && chain.at(-1).verify(root.publicKey)
  if (!isUnder)
    throw new CommandError('--request-root is not the root of the certificate that signs requests.', 1)
  const hash = createHash('sha256').update(chain[0].raw).digest('base64url')
  if (wallet_request.client_id !== `x509_hash:${hash}`)
    throw new CommandError(`HAIP needs the Client Identifier x509_hash, not ${wallet_request.client_id}.`, 1)
}

function decodeHeader(jws) {
  try {
    return JSON.parse(Buffer.from(jws.split('.')[0], 'base64url').toString())
  } catch {
    return undefined
  }
}

function findTheService(env) {
  const service = findService(env)
  if (service.error !== undefined) throw new CommandError(service.error)
  return service
}

/** Sends a POST. Returns the body of its response. */
async function create(service, path, body, root) {
  const response = await send(service, { method: 'POST', path, body, root })
  if (response.error !== undefined) throw new CommandError(response.error, 3)
  if (response.status !== 201) throw new CommandError(readableProblem(response.status, response.body), 1)
  return response.body
}

function localRoot({ STATE_DIR }) {
  return join(resolve(ROOT, STATE_DIR ?? '.dev'), 'verifier-ca.pem')
}

function readPem(file, flag) {
  try {
    return new X509Certificate(readFileSync(file)).toString()
  } catch (error) {
    throw new CommandError(`${flag}: ${file} is no certificate in PEM (${error.message}).`)
  }
}

function summaryOf(plans, { out, suite, ids, hasMdoc }) {
  const rows = plans.flatMap(({ file, plan, variant, expected }) => [
    `${join(out, file)}`,
    `  plan      ${plan}`,
    `  variant   ${variantOf(variant)}`,
    `  expected  ${expected}`,
  ])
  const missing = hasMdoc
    ? []
    : ['Without --mdoc-signer, the first module of ISO mdoc fails, and shows the signer.']
  return [
    ...rows,
    '',
    `Next: ${suite}/plans.html, then docs/certification.md.`,
    'The files contain private keys and secrets. Store them as secrets.',
    ...missing,
    `Afterwards delete the relying parties: ${ids.join(', ')}.`,
  ].join('\n')
}

function variantOf(variant) {
  const pairs = Object.entries(variant).map((pair) => pair.join('='))
  return pairs.length === 0 ? 'none' : pairs.join(', ')
}

function helpText() {
  const rows = Object.entries(CERTIFICATION.flags).map(([name, words]) => `  --${name.padEnd(14)}${words}`)
  return [
    `npm run admin -- certification: ${CERTIFICATION.does}`,
    `npm run admin -- certification link ${Object.keys(REQUESTS).join('|')}: makes the request of one module`,
    '',
    ...rows,
  ].join('\n')
}
