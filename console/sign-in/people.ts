// Sign-in of a person by the OpenID Provider of their organisation. The page at /console/people/{id} is where
// a person begins, and where the provider sends them back.

import { type Answer, startPerson } from '../api.ts'

const PLACE = 'console-place'
const PATH = /^\/console\/people\/(rp_[\w-]{1,100})$/

/** Meaning of the address of the page. */
export type Arrival = {
  /** Relying party whose people sign in here; null: the address names none. */
  readonly relyingPartyId: string | null
  /** Parameters that the provider sent; null: the person did not come from it. */
  readonly response: Readonly<Record<string, string>> | null
  /** Error of the provider; null: none. */
  readonly error: string | null
}

/** Reads the address, and removes the parameters of the provider from it at once. */
export function takeArrival(): Arrival {
  const relyingPartyId = PATH.exec(location.pathname)?.[1] ?? null
  const sent = new URLSearchParams(location.search)
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map((name) => sent.get(name))
  if (relyingPartyId === null || !(code || error)) return { relyingPartyId, response: null, error: null }
  const place = sessionStorage.getItem(PLACE) ?? ''
  sessionStorage.removeItem(PLACE)
  history.replaceState(null, '', `${location.pathname}${place.startsWith('#/') ? place : ''}`)
  const isResponse = Boolean(code && state)
  const response = isResponse ? { code: code ?? '', state: state ?? '', ...(iss && { iss }) } : null
  return { relyingPartyId, response, error: isResponse ? null : (error ?? 'invalid_response').slice(0, 100) }
}

/** Sends the person to their provider. After the sign-in they come back to the same page. */
export async function goToProvider(relyingPartyId: string, fresh: boolean): Promise<Answer<unknown>> {
  const started = await startPerson(relyingPartyId, fresh)
  if (!started.ok) return started
  sessionStorage.setItem(PLACE, location.hash)
  location.assign(started.value.authorization_url)
  return started
}
