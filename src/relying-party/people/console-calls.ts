// Calls of the API that the console makes inside the service. A call is recognized by its request object,
// which no caller from outside can make. So nothing that a browser receives gives a person direct access to
// the API.

import type { Person } from './person.ts'

/** The sign-in behind a call of the console. */
type ConsoleCall = {
  /** Time of the authentication in Unix milliseconds; null: the provider sent no time. */
  readonly authenticatedAt: number | null
  /** The person who signed in; null: the request has the token of a key or of the operator. */
  readonly person: Person | null
  /** Address of the browser, for the audit log; null if it is unknown. */
  readonly address: string | null
}

/** Longest age of a sign-in with which a person may change keys, secrets and the sign-in settings. */
const FRESH_MS = 10 * 60_000

const calls = new WeakMap<Request, ConsoleCall>()

/** Marks a request as a call of the console. */
export function markConsoleCall(request: Request, call: ConsoleCall): void {
  calls.set(request, call)
}

/** Returns the sign-in behind a call; `undefined` for a call that the console did not make. */
export function findConsoleCall(request: Request): ConsoleCall | undefined {
  return calls.get(request)
}

/** Returns the person for whom the console makes this call; `undefined` for every other call. */
export function findPerson(request: Request): Person | undefined {
  return calls.get(request)?.person ?? undefined
}

/**
 * Returns true if the console makes this call, and its sign-in is too old to change keys, secrets or the
 * sign-in settings. Returns false for every call that the console did not make. `now` is Unix milliseconds.
 */
export function isStaleSignIn(request: Request, now: number): boolean {
  const call = calls.get(request)
  if (call === undefined) return false
  return call.authenticatedAt === null || now - call.authenticatedAt > FRESH_MS
}
