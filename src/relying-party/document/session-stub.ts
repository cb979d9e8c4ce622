// Address of a session. `v_<id>`: an object id of the platform in base64url, so a request is routed without a
// look-up. The platform makes ids of 16 random bytes and a keyed checksum. A forged or altered id is rejected
// before any object exists. On Cloudflare, `<id>` is the id of the session's own object. On one machine,
// sessions share a fixed number of objects. The first byte of `<id>` then selects the object.

import type { Env } from '../../env.ts'
import { isInternal, isTemporary } from '../../metrics/platform-error.ts'
import { noteDamage } from './damaged-sessions.ts'
import { encodeObjectId, findObject, findObjectId } from './identifier.ts'

const PREFIX = 'v_'

/** Number of shared objects if `SESSION_OBJECTS` is not set. */
const OBJECTS = 64

/** Limit of tries of a method whose name begins with `read`, if the platform resets the object. */
const READ_TRIES = 3

type Namespaces = Pick<
  Env,
  'VERIFICATION_SESSION' | 'SHARED_SESSIONS' | 'SESSION_OBJECTS' | 'SHARE_SESSIONS' | 'OTHER_FORM_UNTIL'
>
type SharedNamespace = NonNullable<Env['SHARED_SESSIONS']>

/** Methods of a session, as request handlers and other Durable Objects call them. */
export type SessionStub = Omit<ReturnType<Env['VERIFICATION_SESSION']['get']>, 'id' | 'name' | 'connect'>

/**
 * Address of a session within a shared object. `mark`: 32 hexadecimal digits that name the row of the
 * session. The digits are a keyed digest of the id. So the id of an erased session does not stay in the
 * database file.
 */
export type SharedAddress = { readonly id: string; readonly mark: string }

/** Returns the `verification_id` of an object id. */
export function toVerificationId(id: DurableObjectId): string {
  return PREFIX + encodeObjectId(id)
}

/** Returns a new `verification_id`. */
export function newVerificationId(env: Namespaces): string {
  return toVerificationId(chooseNamespace(env).newUniqueId())
}

/** Returns a new session, or the session that belongs to a name. */
export function sessionOfName(env: Namespaces, name: string | undefined): SessionStub {
  return stubIn(env, chooseNamespace(env), name)
}

/**
 * Returns the session of a name in the other form. A session has one of two forms: an object of its own, or a
 * place in a shared object. The other form is the one that new sessions do not have. Returns `undefined` if
 * no session of the other form is used any more (`OTHER_FORM_UNTIL`), which is usual.
 */
export function otherSessionOfName(env: Namespaces, name: string, now: number): SessionStub | undefined {
  const { SHARED_SESSIONS: shared, VERIFICATION_SESSION: own, OTHER_FORM_UNTIL = '0' } = env
  if (shared === undefined || now >= Number(OTHER_FORM_UNTIL)) return undefined
  return stubIn(env, chooseNamespace(env) === shared ? own : shared, name)
}

function stubIn(
  env: Namespaces,
  namespace: ReturnType<typeof chooseNamespace>,
  name: string | undefined,
): SessionStub {
  const id = name === undefined ? namespace.newUniqueId() : namespace.idFromName(name)
  const { SHARED_SESSIONS: shared, VERIFICATION_SESSION: own } = env
  return namespace === shared ? sharedStub(shared, id, countObjects(env)) : own.get(id)
}

/** Returns the session of a `verification_id`; `undefined` for every text that this service did not issue. */
export function sessionStub(env: Namespaces, verificationId: string): SessionStub | undefined {
  const { SHARED_SESSIONS: shared, VERIFICATION_SESSION: own } = env
  if (shared !== undefined) {
    const id = findObjectId(shared, PREFIX, verificationId)
    if (id !== undefined) return sharedStub(shared, id, countObjects(env))
  }
  return findObject(own, PREFIX, verificationId)
}

function countObjects({ SESSION_OBJECTS }: Namespaces): number {
  return Number(SESSION_OBJECTS ?? OBJECTS)
}

/** Returns the name of the shared object that has this number. */
export function sharedObjectName(number: number): string {
  return `sessions/${number}`
}

/** Returns true if new sessions share objects. */
export function sharesObjects(env: Namespaces): boolean {
  return chooseNamespace(env) === env.SHARED_SESSIONS
}

/** Returns the namespace of new sessions. */
function chooseNamespace({ SHARED_SESSIONS, SHARE_SESSIONS, VERIFICATION_SESSION }: Namespaces) {
  return SHARED_SESSIONS === undefined || SHARE_SESSIONS === '0' ? VERIFICATION_SESSION : SHARED_SESSIONS
}

function sharedStub(namespace: SharedNamespace, id: DurableObjectId, objects: number): SessionStub {
  const hex = id.toString()
  const name = sharedObjectName(Number.parseInt(hex.slice(0, 2), 16) % objects)
  // `idFromName` computes a keyed digest, and needs no `await`.
  const mark = namespace.idFromName(hex).toString().slice(0, 32)
  const address: SharedAddress = { id: toVerificationId(id), mark }
  const call = (verb: string) => {
    if (verb === 'then') return undefined // the stub is no promise
    if (verb === 'fetch')
      return (url: string, init: RequestInit) => namespace.getByName(name).fetch(inObject(url, address), init)
    return (...args: readonly unknown[]) => callObject(namespace, name, [address, verb, args])
  }
  return new Proxy({}, { get: (_, verb) => call(String(verb)) }) as SessionStub
}

type Call = readonly [address: SharedAddress, verb: string, args: readonly unknown[]]

/**
 * Calls a shared object. A failed write of one session resets the object, and running calls of other sessions
 * fail, too. So calls that only read are repeated.
 */
async function callObject(namespace: SharedNamespace, name: string, call: Call): Promise<unknown> {
  for (let tries = call[1].startsWith('read') ? READ_TRIES : 1; ; tries--) {
    const object = namespace.getByName(name) // a stub of an object that was reset stays broken
    try {
      return await noteDamage(String(object.id), object.call(...call))
    } catch (error) {
      if (tries === 1 || !(error instanceof Error && (isTemporary(error) || isInternal(error)))) throw error
    }
  }
}

/** Returns the URL of a request to a session in a shared object. */
function inObject(url: string, { id, mark }: SharedAddress): string {
  const address = new URL(url)
  address.searchParams.set('id', id)
  address.searchParams.set('mark', mark)
  return address.toString()
}

/** Parses the address of the session from a URL that was sent to a shared object. */
export function parseSharedAddress(url: string): SharedAddress {
  const { searchParams } = new URL(url)
  return { id: searchParams.get('id') ?? '', mark: searchParams.get('mark') ?? '' }
}
