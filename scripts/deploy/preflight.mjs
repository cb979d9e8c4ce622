// Finds errors in a deployment before its upload, by the rules of the service itself. Reports all errors at
// once.

import { decodeBase64url } from '../../src/codec/base64url.ts'
import { describeIssue } from '../../src/codec/schema.ts'
import { parseConfig } from '../../src/config.ts'
import { checkOutboundUrl } from '../../src/net/outbound-url.ts'
import { isKeyPair, namesHost } from '../../src/relying-party/verifier/verifier-certificate.ts'
import { verifierSettings } from '../../src/relying-party/verifier/verifier-settings.ts'
import { chainLifetime } from '../../src/trust/x509/chain-lifetime.ts'
import { SECRET, unknownNames } from './environment.mjs'

/** Largest variable that Cloudflare accepts, in bytes. */
const LONGEST_VALUE = 5 * 1024

/** Largest bundles, in bytes of gzip: a cold start reads all of one. */
const HEAVIEST_BUNDLE = 252 * 1024
const HEAVIEST_BACKGROUND = 40 * 1024

/** Fewest distinct bytes of a random secret: nearly all random bytes differ. */
const FEWEST_DISTINCT = 16

/**
 * Returns `{ errors, notes }`, each a sentence that begins with its subject. `now` is Unix milliseconds.
 * `local`: texts of the secrets of this machine's own service.
 */
export async function preflight(environment, { now, local }) {
  const errors = schemaErrors(environment)
  const isSound = (...names) => names.every((name) => !errors.some((error) => variableOf(error) === name))
  const more = [
    ...nameErrors(environment),
    ...secretErrors(environment, local),
    ...addressErrors(environment),
    ...(environment.JURISDICTION === undefined ? [NO_JURISDICTION] : []),
    ...(isSound('ACCESS_TOKEN_KEYS') ? await keyErrors(environment, 'ACCESS_TOKEN_KEYS') : []),
    ...(environment.OIDC_KEYS !== undefined && isSound('OIDC_KEYS')
      ? await keyErrors(environment, 'OIDC_KEYS')
      : []),
    ...(isSound('VERIFIER_SIGNING_JWK', 'VERIFIER_CERTIFICATE_CHAIN_PEM')
      ? await chainErrors(environment, now)
      : []),
  ]
  const found = [...new Set([...errors, ...more])]
  return { errors: found, notes: found.length > 0 ? [] : notesOn(environment, now) }
}

/** Required explicitly: without it, relying parties and sessions would be stored and looked up elsewhere. */
const NO_JURISDICTION = 'JURISDICTION: must be eu, fedramp or none: it cannot be changed later'

/**
 * Returns the errors of the bundles and of wrangler.toml. `gzipped`, `background`: sizes of the verifier and
 * of the Worker for background work, in bytes of gzip.
 */
export function bundleErrors({ gzipped, background, wrangler, now }) {
  const isYetToCome = Date.parse(wrangler.compatibilityDate) > now
  return [
    ...(gzipped > HEAVIEST_BUNDLE
      ? [`bundle: must be at most ${HEAVIEST_BUNDLE} bytes of gzip, is ${gzipped}`]
      : []),
    ...(background > HEAVIEST_BACKGROUND
      ? [`background bundle: must be at most ${HEAVIEST_BACKGROUND} bytes of gzip, is ${background}`]
      : []),
    ...(isYetToCome
      ? [`wrangler.toml: compatibility_date must not be in the future, is ${wrangler.compatibilityDate}`]
      : []),
    ...(wrangler.compatibilityFlags.includes('global_fetch_strictly_public')
      ? []
      : ['wrangler.toml: must set global_fetch_strictly_public, or a fetch could reach our own zone']),
  ]
}

/** Returns the errors that the service itself would report at its start. */
function schemaErrors({ JURISDICTION, ...environment }) {
  try {
    parseConfig({ ...environment, ...(JURISDICTION !== 'none' && { JURISDICTION }) })
    return []
  } catch (error) {
    const errors = error.message.replace('configuration: ', '').split('; ')
    return errors.map((message) => {
      const name = variableOf(message)
      return environment[name] === undefined && name !== 'JURISDICTION' ? `${name}: is missing` : message
    })
  }
}

/**
 * Returns the variable that an error is about. It may name an inner member: `ACCESS_TOKEN_KEYS.keys.0.kid:
 * …`.
 */
function variableOf(error) {
  return /^\w+/.exec(error)?.[0]
}

function nameErrors(environment) {
  const tooLong = Object.entries(environment).filter(([, value]) => Buffer.byteLength(value) > LONGEST_VALUE)
  return [
    ...unknownNames(environment).map(
      (name) => `${name}: is not a variable of a deployment; check its spelling`,
    ),
    ...tooLong.map(([name]) => `${name}: must be at most ${LONGEST_VALUE} bytes, the limit of Cloudflare`),
  ]
}

function secretErrors(environment, local) {
  const isLocal = (name) =>
    secretsIn(environment[name]).some((secret) => local.some((text) => text.includes(secret)))
  const { ADMIN_TOKEN, METRICS_TOKEN } = environment
  return [
    ...[...SECRET, 'METRICS_TOKEN']
      .filter(isLocal)
      .map((name) => `${name}: must differ from that of the local service (STATE_DIR)`),
    ...['SERVER_SECRET', 'OIDC_SUBJECT_KEY'].flatMap((name) => {
      const bytes = decodeBase64url(environment[name] ?? '') ?? []
      const isPoor = bytes.length >= 32 && new Set(bytes).size < FEWEST_DISTINCT
      return isPoor ? [`${name}: must be random`] : []
    }),
    ...(environment.OIDC_SUBJECT_KEY !== undefined &&
    environment.OIDC_SUBJECT_KEY === environment.SERVER_SECRET
      ? ['OIDC_SUBJECT_KEY: must differ from SERVER_SECRET, which may be replaced on its own']
      : []),
    ...Object.entries({ ADMIN_TOKEN, METRICS_TOKEN }).flatMap(([name, token]) => [
      ...(token?.length >= 32 && new Set(token).size < FEWEST_DISTINCT ? [`${name}: must be random`] : []),
      ...(token !== undefined && token === environment.SERVER_SECRET
        ? [`${name}: must differ from SERVER_SECRET, from which every key is derived`]
        : []),
    ]),
  ]
}

/**
 * Returns the secret parts of a value: the whole value, or the private halves of keys. Certificates have
 * none.
 */
function secretsIn(value = '') {
  if (value.startsWith('-----BEGIN')) return []
  if (!value.startsWith('{')) return value === '' ? [] : [value]
  return [...value.matchAll(/"d"\s*:\s*"([^"]+)"/g)].map(([, d]) => d)
}

/** Returns the errors of the address, and of variables that are unsafe on Cloudflare. */
export function addressErrors({ BASE_URL = '', ALLOW_LOOPBACK = '0', CLIENT_IP_HEADER }) {
  const isPublic = checkOutboundUrl(BASE_URL, { allowLoopback: false, ownHost: 'nobody.invalid' }).ok
  return [
    ...(isPublic || BASE_URL === '' ? [] : ['BASE_URL: must be https on a public name: wallets call it']),
    ...(ALLOW_LOOPBACK === '0' ? [] : ['ALLOW_LOOPBACK: must be off']),
    ...(CLIENT_IP_HEADER === undefined
      ? []
      : [
          'CLIENT_IP_HEADER: must not be set: Cloudflare reports the address, and clients can forge other headers',
        ]),
  ]
}

async function keyErrors(environment, name) {
  const pairs = JSON.parse(environment[name]).keys.filter(({ d }) => d !== undefined)
  const areGood = await Promise.all(pairs.map((key) => (key.kty === 'RSA' ? isRsaPair(key) : isKeyPair(key))))
  return pairs.flatMap(({ kid }, i) =>
    areGood[i] ? [] : [`${name}: the private and public parts of key ${kid} must match`],
  )
}

/** Signs with the private part and verifies with the public part. */
async function isRsaPair({ kty, n, e, ...secret }) {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  try {
    const { d, p, q, dp, dq, qi } = secret
    const jwk = { kty, n, e, d, p, q, dp, dq, qi }
    const signing = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
    const verifying = await crypto.subtle.importKey('jwk', { kty, n, e }, algorithm, false, ['verify'])
    const signature = await crypto.subtle.sign(algorithm, signing, new Uint8Array(1))
    return crypto.subtle.verify(algorithm, verifying, signature, new Uint8Array(1))
  } catch {
    return false
  }
}

const PLACES = {
  signing_jwk: 'VERIFIER_SIGNING_JWK',
  certificate_chain_pem: 'VERIFIER_CERTIFICATE_CHAIN_PEM',
}

/** Checks the service's own certificate by the rules for certificates of relying parties (api/verifier). */
async function chainErrors({ BASE_URL, VERIFIER_SIGNING_JWK, VERIFIER_CERTIFICATE_CHAIN_PEM: pem }, now) {
  const { kty, crv, x, y, d } = JSON.parse(VERIFIER_SIGNING_JWK)
  const identity = { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: pem }
  const checked = await verifierSettings(now).safeParseAsync(identity, { error: describeIssue })
  const hostname = URL.canParse(BASE_URL) ? new URL(BASE_URL).hostname : undefined
  const isNamed = hostname === undefined || namesHost(pem, hostname)
  return [
    ...(checked.error?.issues ?? []).map(({ path, message }) => `${PLACES[path[0]]}: ${message}`),
    ...(isNamed ? [] : [`VERIFIER_CERTIFICATE_CHAIN_PEM: its first certificate must name ${hostname}`]),
  ]
}

function notesOn(environment, now) {
  const { expiresAt, renewFrom } = chainLifetime(environment.VERIFIER_CERTIFICATE_CHAIN_PEM)
  const renewal = renewFrom <= now ? ': renew it now' : ''
  const missing = SECRET.filter((name) => environment[name] === undefined)
  return [
    `certificate    until ${new Date(expiresAt).toISOString().slice(0, 10)}${renewal}`,
    `jurisdiction   ${environment.JURISDICTION}. A change hides existing relying parties and sessions`,
    ...(missing.length === 0
      ? []
      : [`not set        ${missing.join(', ')}: keeps the deployed value, if there is one`]),
  ]
}
