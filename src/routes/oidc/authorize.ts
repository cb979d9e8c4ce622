// Authorization endpoint (OpenID Connect Core 1.0 §3.1.2): checks the request, and opens the page of the
// login in the calling browser. It creates no session. If the client or its address is unknown, the browser
// is not redirected.

import { loadOidcClient } from '../../relying-party/oidc/client-cache.ts'
import type { AppContext } from '../edge/context.ts'
import { takeAuthorization } from '../edge/rate-limit.ts'
import { type AuthorizationOutcome, sendOutcome } from './authorization-outcome.ts'
import { parseRequest } from './authorization-request.ts'
import { issuerOfRequest } from './issuer.ts'
import { beginLogin } from './login/create-login.ts'
import { TOO_MANY_REQUESTS } from './pages.ts'
import { readParameters, sentRequest } from './sent-request.ts'

/** Handles GET and POST. */
export async function authorize(c: AppContext): Promise<Response> {
  const outcome = await processRequest(c)
  return sendOutcome(c, outcome)
}

async function processRequest(c: AppContext): Promise<AuthorizationOutcome> {
  const form = await readParameters(c)
  if (form === undefined) return notice('invalid_request: the request is malformed')
  const { clientId, parameters } = form
  const locales = parameters.get('ui_locales')
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok) return issuer.error === 'unavailable' ? UNAVAILABLE : notice(UNKNOWN_CLIENT, locales)
  const { settings } = issuer.value
  if (clientId === undefined) return notice(UNKNOWN_CLIENT, locales)
  if (!(await takeAuthorization(c, settings.relying_party_id))) return { ...TOO_MANY_REQUESTS, locales }
  const client = await loadOidcClient(c.env, settings.relying_party_id, clientId, Date.now())
  if (!client.ok) return client.error === 'unavailable' ? UNAVAILABLE : notice(UNKNOWN_CLIENT, locales)
  const request = await sentRequest(c, { issuer: issuer.value, client: client.value, form })
  const { redirectUri, origin } = request
  if (redirectUri === undefined)
    return notice(`redirect_uri: not registered: ${parameters.get('redirect_uri') ?? ''}`, locales)
  const early = { issuer: issuer.value, redirectUri, parameters: request.parameters }
  if (request.error !== null) return { kind: 'refused', error: request.error, ...early }
  const parsed = await parseRequest(request.parameters, client.value, {
    issuer: issuer.value,
    redirectUri,
    origin,
  })
  if (!parsed.ok) return { kind: 'refused', error: parsed.error, ...early }
  const page = await beginLogin(c, {
    issuer: issuer.value,
    client: client.value,
    parsed: parsed.value,
    origin,
    parameters: request.parameters,
    pushed: request.pushed,
  })
  if (page.ok) return { kind: 'page', address: page.value }
  return page.error === 'unavailable' ? UNAVAILABLE : { kind: 'refused', error: page.error, ...early }
}

const UNKNOWN_CLIENT = 'client_id: unknown'
const UNAVAILABLE: AuthorizationOutcome = { kind: 'unavailable' }

function notice(details: string, locales?: string): AuthorizationOutcome {
  return { kind: 'notice', status: 400, details, locales }
}
