// The end of a login in its browser: a redirect to the client, with a code or an error. The redirect changes
// no stored state, so a reload or a second tab gets the same result until the code is redeemed.

import { loadConfig } from '../../../config.ts'
import { sessionStub } from '../../../relying-party/document/session-stub.ts'
import { loadOidcClient } from '../../../relying-party/oidc/client-cache.ts'
import { FINISH_MS } from '../../../session/document/login.ts'
import type { LoginEnd } from '../../../session/login/finish.ts'
import { openLoginToken } from '../../../session/request/login-token.ts'
import {
  type LoginCookie,
  markLoginCookie,
  readLoginCookie,
  setLoginCookie,
} from '../../edge/authenticate.ts'
import type { AppContext } from '../../edge/context.ts'
import { registeredUri } from '../authorization-request.ts'
import { deriveCode } from '../codes.ts'
import { type Issuer, issuerOfRequest } from '../issuer.ts'
import { sendProviderPage } from '../pages.ts'
import { redirectTo, withParameters } from '../responses.ts'
import { isOfBrowser, readSealed } from './create-login.ts'

/** Handles GET. */
export async function finish(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok && issuer.error === 'unavailable') return sendProviderPage(c, { kind: 'unavailable' })
  const cookie = await readLoginCookie(c, id)
  if (!issuer.ok || cookie === undefined) return sendProviderPage(c, { kind: 'over' })
  const login =
    (await findEnd(c, issuer.value, id, cookie)) ?? (await findExpired(c, issuer.value, id, cookie))
  if (login === undefined) return sendProviderPage(c, { kind: 'over' })
  const { end: outcome, client_id, redirect_uri, response_mode, state, locale } = login
  const locales = locale ?? undefined
  if (outcome.kind === 'over') {
    setLoginCookie(c, id, '', 0)
    return sendProviderPage(c, { kind: 'over', locales })
  }
  // The client may have been deleted or changed since the login began.
  const { relying_party_id } = issuer.value.settings
  const client = await loadOidcClient(c.env, relying_party_id, client_id, Date.now())
  if (!client.ok && client.error === 'unavailable') return sendProviderPage(c, { kind: 'unavailable' })
  if (!client.ok || registeredUri(client.value, redirect_uri) === undefined)
    return sendProviderPage(c, { kind: 'over', locales })
  if (outcome.kind === 'pending') return redirectTo(c, outcome.page)
  const { url: iss } = issuer.value
  const { secret } = cookie
  // Sets the cookie again, for the time in which a reload of this address can get a code.
  if (login.createdAt !== null) {
    const session = { verification_id: id, created_at: login.createdAt }
    await markLoginCookie(c, session, secret, FINISH_MS / 1000)
  }
  const answer =
    outcome.kind === 'code'
      ? { code: await deriveCode(loadConfig(c.env), id, { secret, now: Date.now() }), state, iss }
      : { error: outcome.error, error_description: outcome.description, state, iss }
  if (outcome.kind === 'error') c.set('sendsError', true)
  if (response_mode === 'form_post')
    return sendProviderPage(c, { kind: 'form', redirectUri: redirect_uri, response: answer, locales })
  return redirectTo(c, withParameters(redirect_uri, answer))
}

/** End of a login. `createdAt`: creation time of the session; null without a session. */
type FoundEnd = LoginEnd & { readonly createdAt: number | null }

/** Returns the current result of the session; `undefined` without a session, or in another browser. */
async function findEnd(
  c: AppContext,
  { settings }: Issuer,
  id: string,
  { browser, isBegun }: LoginCookie,
): Promise<FoundEnd | undefined> {
  if (!isBegun) return undefined
  const login = await sessionStub(c.env, id)?.finishLogin(settings.relying_party_id, browser)
  return login?.ok ? login.value : undefined
}

/**
 * Returns the end of a login without a session: the login has expired, or its page is still open. Returns
 * `undefined` if the address has no token of this browser's login.
 */
async function findExpired(
  c: AppContext,
  { settings }: Issuer,
  id: string,
  cookie: LoginCookie,
): Promise<FoundEnd | undefined> {
  const text = c.req.query('token') ?? ''
  const token = await openLoginToken(loadConfig(c.env), id, text)
  if (token === undefined || !isOfBrowser(token, cookie)) return undefined
  if (token.relyingPartyId !== settings.relying_party_id) return undefined
  const isExpired = Date.now() >= token.expiresAt
  const request = await readSealed(c, token)
  // A session that is gone before it expires was deleted.
  if (request === undefined || (cookie.isBegun && !isExpired)) return undefined
  const parameter = (name: string) => request.parameters.get(name) ?? null
  const page = `${loadConfig(c.env).baseUrl}/s/${id}?${new URLSearchParams({ token: text })}`
  return {
    createdAt: null,
    client_id: token.clientId,
    redirect_uri: parameter('redirect_uri') ?? '',
    response_mode: parameter('response_mode') === 'form_post' ? 'form_post' : 'query',
    state: parameter('state'),
    locale: parameter('ui_locales'),
    end: isExpired
      ? { kind: 'error', error: 'access_denied', description: 'session_expired' }
      : { kind: 'pending', page },
  }
}
