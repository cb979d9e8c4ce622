// State of a local service under STATE_DIR: keys, identity and objects. Created at the first start and reused
// from then on.

import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Creates the directory for its owner only. Returns its real, absolute path. */
export function openStateDirectory(path) {
  try {
    makeDirectory(join(path, 'keys'))
    makeDirectory(join(path, 'objects'))
    chmodSync(path, 0o700)
    return realpathSync(path)
  } catch (error) {
    throw new Error(`STATE_DIR must be a directory that this user can write, is ${path}: ${error.message}`)
  }
}

/** Creates a directory and its parents, one at a time: Node's recursive mkdir never ends below /proc. */
function makeDirectory(path) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/**
 * Returns the text of a file. Creates it with `make` if it is missing or `isUsable` rejects its text.
 * A new file is written under another name and renamed, so that a crash leaves the whole file or none.
 */
export async function keep(path, make, isUsable = () => true) {
  if (existsSync(path)) {
    const kept = readFileSync(path, 'utf8')
    if (isUsable(kept)) return kept
  }
  const made = await make()
  writePrivately(path, made)
  return made
}

export function writePrivately(path, text) {
  const aside = `${path}.${process.pid}.new`
  writeFileSync(aside, text, { mode: 0o600 })
  renameSync(aside, path)
}

/**
 * Throws if the directory has objects but not the keys that they were written with. With new keys the service
 * would start without an error, but without its objects, and could not open its sealed data. `env` may give
 * some of the keys.
 */
export function checkKeys(directory, env) {
  const folders = readdirSync(join(directory, 'objects'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => readdirSync(join(directory, 'objects', name)).some(isObjectFile))
  if (folders.length === 0) return
  const names = readdirSync(join(directory, 'keys'))
  const missing = [
    ['server-secret', env.SERVER_SECRET],
    ['access-token-keys.json', env.ACCESS_TOKEN_KEYS],
    // A state directory of a version without OpenID Connect has neither of these two files.
    ...(OIDC_FILES.some((name) => names.includes(name))
      ? [
          [OIDC_FILES[0], env.OIDC_KEYS],
          [OIDC_FILES[1], env.OIDC_SUBJECT_KEY],
        ]
      : []),
  ].flatMap(([name, given]) => (names.includes(name) || given !== undefined ? [] : [`keys/${name}`]))
  // A folder has the unique key of its class as its name. A class without objects may be new.
  const known = names
    .filter((name) => name.startsWith('unique-key-') || name === 'shared-unique-key')
    .map((name) => readFileSync(join(directory, 'keys', name), 'utf8'))
  if (folders.some((folder) => !known.includes(folder))) missing.push('a file keys/unique-key-…')
  if (missing.length === 0) return
  throw new Error(
    `${directory} has objects without their keys (missing: ${missing.join(', ')}). Restore keys/ from the backup of these objects, or move objects/ away to begin again.`,
  )
}

const OIDC_FILES = ['oidc-keys.json', 'oidc-subject-key']

function isObjectFile(name) {
  return /^[0-9a-f]{64}\.sqlite$/.test(name)
}

/** Returns the service's own secrets, as the variables of src/config.ts. */
export async function keepSecrets(directory) {
  const at = (name) => join(directory, 'keys', name)
  return {
    ADMIN_TOKEN: await keep(at('admin-token'), () => randomBytes(32).toString('base64url')),
    METRICS_TOKEN: await keep(at('metrics-token'), () => randomBytes(32).toString('base64url')),
    SERVER_SECRET: await keep(at('server-secret'), () => randomBytes(32).toString('base64url')),
    ACCESS_TOKEN_KEYS: await keep(at('access-token-keys.json'), makeAccessTokenKeys),
    OIDC_KEYS: await keep(at(OIDC_FILES[0]), makeOidcKeys),
    OIDC_SUBJECT_KEY: await keep(at(OIDC_FILES[1]), () => randomBytes(32).toString('base64url')),
  }
}

/** Number of objects that share sessions, in a new state directory. */
const SESSION_OBJECTS = 64

/**
 * Returns the variables about the objects of sessions; none if no session shares an object. The number of
 * shared objects is part of the address of each session, so it stays as it is at the first start. `wanted`:
 * `SESSION_OBJECTS` of the environment.
 */
export function keepSessionObjects(directory, wanted) {
  const path = join(directory, 'keys', 'session-objects')
  const kept = existsSync(path) ? Number(readFileSync(path, 'utf8')) : undefined
  if (wanted === 0) return kept === undefined ? {} : { SESSION_OBJECTS: String(kept), SHARE_SESSIONS: '0' }
  const number = kept ?? wanted ?? SESSION_OBJECTS
  if (wanted !== undefined && wanted !== number)
    throw new Error(
      `SESSION_OBJECTS must be ${number} or 0: sessions of ${directory} share ${number} objects`,
    )
  if (kept === undefined) {
    // An earlier version, which does not know this file, may have created sessions of the other form.
    rmSync(join(directory, SESSION_FORM), { force: true })
    writePrivately(path, String(number))
  }
  return { SESSION_OBJECTS: String(number), SHARE_SESSIONS: '1' }
}

const SESSION_FORM = 'session-form'

/**
 * Returns the time of the first start in the present form of new sessions (Unix milliseconds). No session of
 * the other form was created after it. A change of form begins a new time. So does a missing, damaged or
 * future time. `sharesObjects`: false if each new session gets its own object.
 */
export async function keepFormSince(directory, sharesObjects, now = Date.now()) {
  const form = sharesObjects ? 'shared' : 'own'
  const timeIn = (text) => Number(new RegExp(`^${form} (\\d{1,16})$`).exec(text)?.[1])
  const kept = await keep(
    join(directory, SESSION_FORM),
    () => `${form} ${now}`,
    (text) => timeIn(text) <= now,
  )
  return timeIn(kept)
}

/** Returns one secret for each object class. Anyone who knows it can forge object ids. */
export async function keepUniqueKeys(directory, classNames) {
  const keys = {}
  for (const name of classNames) {
    keys[name] = await keep(join(directory, 'keys', uniqueKeyFile(name)), () =>
      randomBytes(32).toString('hex'),
    )
  }
  return keys
}

/**
 * Returns the name of the file with the key of a class. Version 0.2.0 does not know this file name, so it
 * refuses to start with sessions that share objects, which it could not read.
 */
function uniqueKeyFile(className) {
  return className === 'SharedSessions' ? 'shared-unique-key' : `unique-key-${className}`
}

function makeAccessTokenKeys() {
  return JSON.stringify({ keys: [makeP256Key()] })
}

/** One key for ES256 and one for RS256. */
function makeOidcKeys() {
  const { kty, n, e, ...secret } = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    format: 'jwk',
  })
  const rsa = { kty, n, e, ...secret, kid: thumbprint({ e, kty, n }) }
  return JSON.stringify({ keys: [makeP256Key(), rsa] })
}

function makeP256Key() {
  const { crv, kty, x, y, d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  })
  return { kty, crv, x, y, d, kid: thumbprint({ crv, kty, x, y }) }
}

/** RFC 7638 §3: the thumbprint covers the required members, in the order of their names. */
function thumbprint(members) {
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url')
}
