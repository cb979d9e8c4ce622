// The authorization request: sent by the browser, or pushed by the client (RFC 9126).

import { OIDC_REQUEST } from '../../limits.ts'
import { type FormPairs, parsePairs } from '../../net/form.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import type { OidcClient } from '../../relying-party/oidc/client.ts'
import { type LoginCookie, readLoginCookie } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { readPairs } from '../edge/form.ts'
import { type RequestOrigin, registeredUri } from './authorization-request.ts'
import type { Issuer } from './issuer.ts'
import { isFresh, type PushedRequest, REQUEST_URI, readPushed } from './par.ts'
import type { RequestError } from './responses.ts'

/** Reads the query of a GET, or the form of a POST; `undefined` if it is malformed or too long. */
export async function readForm(c: AppContext): Promise<FormPairs | undefined> {
  if (c.req.method === 'GET') {
    const [, query = ''] = /\?([^#]*)/.exec(c.req.url) ?? []
    return query.length >= OIDC_REQUEST.characters ? undefined : parsePairs(query)
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
  readonly pushed: VisitedRequest | null
}

/** A pushed request, and the cookie of a browser that has visited it before. */
export type VisitedRequest = PushedRequest & { readonly browser: LoginCookie | undefined }

type Arrival = {
  readonly issuer: Issuer
  readonly client: OidcClient
  readonly pairs: FormPairs
  readonly parameters: ReadonlyMap<string, string>
}

/** Returns the request of the browser. If it names a pushed request, returns the pushed request. */
export async function sentRequest(
  c: AppContext,
  { issuer, client, pairs, parameters }: Arrival,
): Promise<Sent> {
  const given = registeredUri(client, findSingle(pairs, 'redirect_uri'))
  const front = { parameters, redirectUri: given, origin: 'front_channel' as const, pushed: null }
  if (new Map(pairs).size < pairs.length) {
    return { ...front, error: 'parameter_repeated' }
  }
  const requestUri = parameters.get('request_uri')
  if (requestUri === undefined || !requestUri.startsWith(REQUEST_URI)) return { ...front, error: null }
  const pushed = await visitPushed(c, issuer.settings.relying_party_id, client, requestUri)
  if (pushed !== undefined) {
    const redirectUri = registeredUri(client, pushed.parameters.get('redirect_uri'))
    return { ...pushed, pushed, redirectUri, error: null }
  }
  const [only, ...others] = client.redirect_uris
  return {
    ...front,
    redirectUri: given ?? (others.length === 0 ? only : undefined),
    error: 'request_uri_over',
  }
}

/**
 * Returns the pushed request of a visit; `undefined` if it is over. The browser of the login may open the
 * request again until the login has ended. Any other browser may open it for 60 s. The browser that sends the
 * first POST gets the login.
 */
async function visitPushed(
  c: AppContext,
  relyingPartyId: string,
  { client_id: clientId }: OidcClient,
  requestUri: string,
): Promise<VisitedRequest | undefined> {
  const pushed = await readPushed(c, { relyingPartyId, clientId }, requestUri)
  if (pushed === undefined) return undefined
  const browser = await readLoginCookie(c, pushed.verificationId)
  if (browser === undefined) return isFresh(pushed) ? { ...pushed, browser } : undefined
  if (!browser.isBegun) return { ...pushed, browser }
  const session = sessionStub(c.env, pushed.verificationId)
  const login = await session?.finishLogin(relyingPartyId, browser.browser)
  return login?.ok && login.value.end.kind === 'pending' ? { ...pushed, browser } : undefined
}
