// Reads the authorization request, which the browser sent or the client pushed (RFC 9126).

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

/** Parameters that a browser sent. `clientId` and `redirectUri`: `undefined` if absent or repeated. */
export type SentParameters = {
  /** Parameters without a value are left out. A repeated parameter has its last value. */
  readonly parameters: ReadonlyMap<string, string>
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  /** True if a parameter is repeated. */
  readonly isRepeated: boolean
}

/** Reads the query of a GET, or the form of a POST; `undefined` if it is malformed or too long. */
export async function readParameters(c: AppContext): Promise<SentParameters | undefined> {
  const pairs = c.req.method === 'GET' ? readQuery(c.req.url) : await readForm(c.req.raw)
  if (pairs === undefined) return undefined
  const findSingle = (name: string) => {
    const values = pairs.filter(([one]) => one === name)
    return values.length === 1 ? values[0]?.[1] : undefined
  }
  return {
    parameters: new Map(pairs.filter(([, value]) => value !== '')),
    clientId: findSingle('client_id'),
    redirectUri: findSingle('redirect_uri'),
    isRepeated: new Map(pairs).size < pairs.length,
  }
}

function readQuery(url: string): FormPairs | undefined {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? []
  return query.length >= OIDC_REQUEST.characters ? undefined : parsePairs(query)
}

async function readForm(request: Request): Promise<FormPairs | undefined> {
  const form = await readPairs(request, OIDC_REQUEST.characters)
  return form.ok ? form.value.pairs : undefined
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
  readonly form: SentParameters
}

/** Returns the request of the browser. If it names a pushed request, returns the pushed request. */
export async function sentRequest(
  c: AppContext,
  { issuer, client, form: { parameters, redirectUri: address, isRepeated } }: Arrival,
): Promise<Sent> {
  const given = registeredUri(client, address)
  const front = { parameters, redirectUri: given, origin: 'front_channel' as const, pushed: null }
  if (isRepeated) return { ...front, error: 'parameter_repeated' }
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
 * Returns the pushed request that a browser opens; `undefined` if it is over. The browser of the login may
 * open the request again until the login has ended. Any other browser may open it for 60 s. The browser that
 * sends the first POST gets the login.
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
