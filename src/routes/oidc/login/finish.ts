// The end of a login in its browser: a redirect to the client, with a code or an error. The redirect changes
// no stored state, so a reload or a second tab gets the same result until the code is redeemed.

import { loadConfig } from '../../../config.ts'
import { loadOidcClient } from '../../../relying-party/oidc/client-cache.ts'
import { FINISH_MS } from '../../../session/document/login.ts'
import { sessionStub } from '../../../session/store/identifier.ts'
import { hashSecret, loginSecret } from '../../edge/authenticate.ts'
import type { AppContext } from '../../edge/context.ts'
import { registeredUri } from '../authorization-request.ts'
import { deriveCode, setLoginCookie } from '../codes.ts'
import { issuerOfRequest } from '../issuer.ts'
import { sendForm, sendNotice, sendUnavailable } from '../pages.ts'
import { redirectTo, withParameters } from '../responses.ts'

/** Handles GET. */
export async function finish(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok && issuer.error === 'unavailable') return sendUnavailable(c)
  const session = sessionStub(c.env, id)
  const secret = loginSecret(c, id)
  if (!issuer.ok || session === undefined || secret === undefined) return sendNotice(c, 404, 'over')
  const { relying_party_id } = issuer.value.settings
  const login = await session.finishLogin(relying_party_id, await hashSecret(secret))
  if (!login.ok) return sendNotice(c, 404, 'over')
  const { end: outcome, client_id, redirect_uri, response_mode, state, locale } = login.value
  const locales = locale ?? undefined
  if (outcome.kind === 'over') {
    setLoginCookie(c, id, '', 0)
    return sendNotice(c, 404, 'over', { locales })
  }
  // The client may have been deleted or changed since the login began.
  const client = await loadOidcClient(c.env, relying_party_id, client_id, Date.now())
  if (!client.ok && client.error === 'unavailable') return sendUnavailable(c)
  if (!client.ok || registeredUri(client.value, redirect_uri) === undefined)
    return sendNotice(c, 404, 'over', { locales })
  if (outcome.kind === 'pending') return redirectTo(c, outcome.page)
  // The cookie lasts for as long as a reload of this address gets a code.
  setLoginCookie(c, id, secret, FINISH_MS / 1000)
  const { url: iss } = issuer.value
  const answer =
    outcome.kind === 'code'
      ? { code: await deriveCode(loadConfig(c.env), id, { secret, now: Date.now() }), state, iss }
      : { error: outcome.error, error_description: outcome.description, state, iss }
  if (response_mode === 'form_post') return sendForm(c, redirect_uri, answer, locales)
  return redirectTo(c, withParameters(redirect_uri, answer))
}
