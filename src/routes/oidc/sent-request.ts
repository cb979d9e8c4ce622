// The authorization request: sent by the browser, or pushed by the client (RFC 9126).

import { OIDC_REQUEST } from '../../limits.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import type { OidcClient } from '../../relying-party/oidc/client.ts'
import type { AppContext } from '../edge/context.ts'
import { type FormPairs, parsePairs, readPairs } from '../edge/form.ts'
import { type RequestOrigin, registeredUri } from './authorization-request.ts'
import type { Issuer } from './issuer.ts'
import { nameOfPushed, openPushed, REQUEST_URI } from './par.ts'
import type { RequestError } from './responses.ts'

/** Reads the query of a GET, or the form of a POST; `undefined` if it is malformed or too long. */
export async function readForm(c: AppContext): Promise<FormPairs | undefined> {
  if (c.req.method === 'GET') {
    const { search } = new URL(c.req.url)
    return search.length > OIDC_REQUEST.characters ? undefined : parsePairs(search.slice(1))
  }
  const form = await readPairs(c.req.raw, OIDC_REQUEST.characters)
  return form.ok ? form.value.pairs : undefined
}

/** Returns the value of a parameter that is sent once; `undefined` if it is absent or repeated. */
export function findSingle(pairs: FormPairs, name: string): string | undefined {
  const values = pairs.filter(([one]) => one === name)
  return values.length === 1 ? values[0]?.[1] : undefined
}

type Sent = {
  readonly parameters: ReadonlyMap<string, string>
  readonly redirectUri: string | undefined
  readonly origin: RequestOrigin
  readonly error: RequestError | null
}

type Arrival = {
  readonly issuer: Issuer
  readonly client: OidcClient
  readonly pairs: FormPairs
  readonly parameters: ReadonlyMap<string, string>
}

/** Returns the request that the browser sent, or the pushed request that it names. */
export async function sentRequest(
  c: AppContext,
  { issuer, client, pairs, parameters }: Arrival,
): Promise<Sent> {
  const given = registeredUri(client, findSingle(pairs, 'redirect_uri'))
  const front = { parameters, redirectUri: given, origin: 'front_channel' as const }
  if (new Map(pairs).size < pairs.length) {
    return { ...front, error: 'parameter_repeated' }
  }
  const requestUri = parameters.get('request_uri')
  if (requestUri === undefined || !requestUri.startsWith(REQUEST_URI)) return { ...front, error: null }
  const stub = relyingPartyStub(c.env, issuer.settings.relying_party_id)
  const name = await nameOfPushed(requestUri)
  const taken = await stub?.takePushedRequest(name, client.client_id)
  const pushed = taken ? await openPushed(c, name, taken) : undefined
  if (pushed !== undefined) {
    const redirectUri = registeredUri(client, pushed.parameters.get('redirect_uri'))
    return { ...pushed, redirectUri, error: null }
  }
  const [only, ...others] = client.redirect_uris
  return {
    ...front,
    redirectUri: given ?? (others.length === 0 ? only : undefined),
    error: 'request_uri_over',
  }
}
