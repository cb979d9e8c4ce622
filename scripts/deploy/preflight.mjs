// What would keep a deployment from its work, found before it is uploaded, by the rules the service itself goes by. Every fault is named at once.

import { decodeBase64url } from '../../src/codec/base64url.ts'
import { describeIssue } from '../../src/codec/schema.ts'
import { parseConfig } from '../../src/config.ts'
import { checkOutboundUrl } from '../../src/net/outbound-url.ts'
import {
  isKeyPair,
  namesHost,
  signingIdentity,
} from '../../src/relying-party/verifier/verifier-certificate.ts'
import { chainLifetime } from '../../src/trust/x509/chain-lifetime.ts'
import { SECRET, unknownNames } from './environment.mjs'

/** What Cloudflare takes of one variable, in bytes. */
const LONGEST_VALUE = 5 * 1024

/** What the Worker may weigh, in bytes of gzip: a cold start reads all of it. */
const HEAVIEST_BUNDLE = 160 * 1024

/** Of random bytes nearly all differ from each other. */
const FEWEST_DISTINCT = 16

/**
 * `{ faults, notes }`, each a sentence that begins with what it is about. `now` is Unix milliseconds; `local` the texts of secrets that this
 * machine's own service keeps.
 */
export async function preflight(environment, { now, local }) {
  const faults = schemaFaults(environment)
  const isSound = (...names) => names.every((name) => !faults.some((fault) => variableOf(fault) === name))
  const more = [
    ...nameFaults(environment),
    ...secretFaults(environment, local),
    ...addressFaults(environment),
    ...(environment.JURISDICTION === undefined ? [NO_JURISDICTION] : []),
    ...(isSound('ACCESS_TOKEN_KEYS') ? await keyFaults(environment) : []),
    ...(isSound('VERIFIER_SIGNING_JWK', 'VERIFIER_CERTIFICATE_CHAIN_PEM')
      ? await chainFaults(environment, now)
      : []),
  ]
  const found = [...new Set([...faults, ...more])]
  return { faults: found, notes: found.length > 0 ? [] : notesOn(environment, now) }
}

/** Nobody is to find out by a name left out that relying parties and sessions are somewhere else. */
const NO_JURISDICTION = 'JURISDICTION: must be eu, fedramp or none: it cannot be changed later'

/** What is wrong with what would be uploaded. */
export function bundleFaults({ gzipped, wrangler, now }) {
  const isYetToCome = Date.parse(wrangler.compatibilityDate) > now
  return [
    ...(gzipped > HEAVIEST_BUNDLE
      ? [`bundle: ${gzipped} bytes of gzip are more than ${HEAVIEST_BUNDLE}`]
      : []),
    ...(isYetToCome
      ? [`wrangler.toml: compatibility_date ${wrangler.compatibilityDate} is yet to come`]
      : []),
    ...(wrangler.compatibilityFlags.includes('global_fetch_strictly_public')
      ? []
      : ['wrangler.toml: without global_fetch_strictly_public a fetch could reach our own zone']),
  ]
}

/** The service's own words for what it would not start with. */
function schemaFaults({ JURISDICTION, ...environment }) {
  try {
    parseConfig({ ...environment, ...(JURISDICTION !== 'none' && { JURISDICTION }) })
    return []
  } catch (error) {
    const faults = error.message.replace('configuration: ', '').split('; ')
    return faults.map((fault) => {
      const name = variableOf(fault)
      return environment[name] === undefined && name !== 'JURISDICTION' ? `${name}: is missing` : fault
    })
  }
}

/** A fault may be of a member inside: `ACCESS_TOKEN_KEYS.keys.0.kid: …`. */
function variableOf(fault) {
  return /^\w+/.exec(fault)?.[0]
}

function nameFaults(environment) {
  const tooLong = Object.entries(environment).filter(([, value]) => Buffer.byteLength(value) > LONGEST_VALUE)
  return [
    ...unknownNames(environment).map((name) => `${name}: is no variable of a deployment`),
    ...tooLong.map(([name]) => `${name}: is longer than the ${LONGEST_VALUE} bytes that Cloudflare takes`),
  ]
}

function secretFaults(environment, local) {
  const isLocal = (name) =>
    secretsIn(environment[name]).some((secret) => local.some((text) => text.includes(secret)))
  const bytes = decodeBase64url(environment.SERVER_SECRET ?? '') ?? []
  const { ADMIN_TOKEN } = environment
  return [
    ...SECRET.filter(isLocal).map((name) => `${name}: is the one of this machine's own service`),
    ...(bytes.length >= 32 && new Set(bytes).size < FEWEST_DISTINCT ? ['SERVER_SECRET: is not random'] : []),
    ...(ADMIN_TOKEN?.length >= 32 && new Set(ADMIN_TOKEN).size < FEWEST_DISTINCT
      ? ['ADMIN_TOKEN: is not random']
      : []),
    ...(ADMIN_TOKEN !== undefined && ADMIN_TOKEN === environment.SERVER_SECRET
      ? ['ADMIN_TOKEN: is SERVER_SECRET, from which every key is derived']
      : []),
  ]
}

/** What must stay secret in a value: all of it, or of keys their private halves. Of certificates nothing. */
function secretsIn(value = '') {
  if (value.startsWith('-----BEGIN')) return []
  if (!value.startsWith('{')) return value === '' ? [] : [value]
  return [...value.matchAll(/"d"\s*:\s*"([^"]+)"/g)].map(([, d]) => d)
}

function addressFaults({ BASE_URL = '', ALLOW_LOOPBACK = '0', CLIENT_IP_HEADER }) {
  const isPublic = checkOutboundUrl(BASE_URL, { allowLoopback: false, ownHost: 'nobody.invalid' }).ok
  return [
    ...(isPublic || BASE_URL === '' ? [] : ['BASE_URL: must be https on a public name: wallets call it']),
    ...(ALLOW_LOOPBACK === '0' ? [] : ['ALLOW_LOOPBACK: must be off']),
    ...(CLIENT_IP_HEADER === undefined
      ? []
      : [
          'CLIENT_IP_HEADER: must not be set: Cloudflare tells the address, and other headers anybody could send',
        ]),
  ]
}

async function keyFaults({ ACCESS_TOKEN_KEYS }) {
  const pairs = JSON.parse(ACCESS_TOKEN_KEYS).keys.filter(({ d }) => d !== undefined)
  const areGood = await Promise.all(pairs.map(isKeyPair))
  return pairs.flatMap(({ kid }, i) =>
    areGood[i] ? [] : [`ACCESS_TOKEN_KEYS: the parts of key ${kid} do not belong together`],
  )
}

const PLACES = {
  signing_jwk: 'VERIFIER_SIGNING_JWK',
  certificate_chain_pem: 'VERIFIER_CERTIFICATE_CHAIN_PEM',
}

/** The service's own certificate, judged as relying parties' are (CONTRACT 8). */
async function chainFaults({ BASE_URL, VERIFIER_SIGNING_JWK, VERIFIER_CERTIFICATE_CHAIN_PEM: pem }, now) {
  const { kty, crv, x, y, d } = JSON.parse(VERIFIER_SIGNING_JWK)
  const identity = { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: pem }
  const judged = await signingIdentity(now).safeParseAsync(identity, { error: describeIssue })
  const hostname = URL.canParse(BASE_URL) ? new URL(BASE_URL).hostname : undefined
  const isNamed = hostname === undefined || namesHost(pem, hostname)
  return [
    ...(judged.error?.issues ?? []).map(({ path, message }) => `${PLACES[path[0]]}: ${message}`),
    ...(isNamed ? [] : [`VERIFIER_CERTIFICATE_CHAIN_PEM: its first certificate does not name ${hostname}`]),
  ]
}

function notesOn(environment, now) {
  const { expiresAt, renewFrom } = chainLifetime(environment.VERIFIER_CERTIFICATE_CHAIN_PEM)
  const renewal = renewFrom <= now ? ': renew it now' : ''
  const missing = SECRET.filter((name) => environment[name] === undefined)
  return [
    `certificate    until ${new Date(expiresAt).toISOString().slice(0, 10)}${renewal}`,
    `jurisdiction   ${environment.JURISDICTION}. Under another one, relying parties and sessions of before are not found`,
    ...(missing.length === 0
      ? []
      : [`not given      ${missing.join(', ')}: stays as it was deployed before, if it was`]),
  ]
}
