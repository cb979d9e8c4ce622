// Authorization endpoint (OpenID Connect Core 1.0 §3.1.2): creates a verification and opens its page in the
// browser that asks. A bad client or address never redirects.

import { configOf } from '../../config.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import type { OidcClient } from '../../relying-party/oidc/client.ts'
import { oidcClientOf } from '../../relying-party/oidc/client-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { resumeAlarms } from '../../session/alarm/interrupted-alarms.ts'
import { verificationIdOf } from '../../session/store/identifier.ts'
import { sealConditions } from '../../session/tokens/sealed-values.ts'
import type { AppContext } from '../edge/context.ts'
import { type FormPairs, parsePairs, readPairs } from '../edge/form.ts'
import { takeWalletCall } from '../edge/rate-limit.ts'
import { canReachLevel } from '../verifications/requested-trust.ts'
import {
  essentialLevel,
  type ParsedRequest,
  parseRequest,
  type RequestOrigin,
  registeredUri,
} from './authorization-request.ts'
import { preparePolicy } from './clients/client-policies.ts'
import { newBrowserSecret, setLoginCookie } from './codes.ts'
import { type Issuer, issuerOfRequest } from './issuer.ts'
import { sendForm, sendNotice, sendUnavailable } from './pages.ts'
import { nameOfPushed, openPushed, REQUEST_URI } from './par.ts'
import { type RequestError, redirectTo, requestError, withParameters } from './responses.ts'

/** Handles GET and POST. */
export async function authorize(c: AppContext): Promise<Response> {
  const pairs = await pairsOf(c)
  if (pairs === undefined)
    return sendNotice(c, 400, 'failed', { details: 'invalid_request: the request is malformed' })
  const parameters = new Map(pairs.filter(([, value]) => value !== ''))
  const locales = parameters.get('ui_locales')
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok && issuer.error === 'unavailable') return sendUnavailable(c)
  const clientId = onlyOf(pairs, 'client_id')
  const client =
    issuer.ok && clientId !== undefined
      ? await clientOf(c, issuer.value, clientId)
      : err('not_found' as const)
  if (!client.ok && client.error === 'unavailable') return sendUnavailable(c)
  if (!issuer.ok || !client.ok)
    return sendNotice(c, 400, 'failed', { locales, details: 'client_id: unknown' })
  if (!(await takeWalletCall(c)))
    return sendNotice(c, 429, 'failed', { locales, details: 'too many requests: wait a moment' })
  const sent = await sentRequest(c, { issuer: issuer.value, client: client.value, pairs, parameters })
  const redirectUri = sent.redirectUri
  if (redirectUri === undefined)
    return sendNotice(c, 400, 'failed', {
      locales,
      details: `redirect_uri: not registered: ${parameters.get('redirect_uri') ?? ''}`,
    })
  const early = { issuer: issuer.value, redirectUri, parameters: sent.parameters }
  if (sent.error !== null) return refuseEarly(c, sent.error, early)
  const { origin } = sent
  const parsed = await parseRequest(sent.parameters, client.value, { redirectUri, origin })
  if (!parsed.ok) return refuseEarly(c, parsed.error, early)
  const session = await createLogin(c, issuer.value, client.value, parsed.value)
  return session.ok ? redirectTo(c, session.value) : refuseEarly(c, session.error, early)
}

/** Reads the query of a GET, or the form of a POST. */
async function pairsOf(c: AppContext): Promise<FormPairs | undefined> {
  if (c.req.method === 'GET') {
    const { search } = new URL(c.req.url)
    return search.length > OIDC_REQUEST.characters ? undefined : parsePairs(search.slice(1))
  }
  const form = await readPairs(c.req.raw, OIDC_REQUEST.characters)
  return form.ok ? form.value.pairs : undefined
}

/** Returns the value of a parameter that is sent once. */
function onlyOf(pairs: FormPairs, name: string): string | undefined {
  const values = pairs.filter(([one]) => one === name)
  return values.length === 1 ? values[0]?.[1] : undefined
}

function clientOf(c: AppContext, { settings }: Issuer, clientId: string) {
  return oidcClientOf(c.env, settings.relying_party_id, clientId, Date.now())
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

/** Returns the request that the browser brings, or the one that the client pushed. */
async function sentRequest(c: AppContext, { issuer, client, pairs, parameters }: Arrival): Promise<Sent> {
  const given = registeredUri(client, onlyOf(pairs, 'redirect_uri'))
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

/** Creates the verification. Returns the address of its page. */
async function createLogin(
  c: AppContext,
  issuer: Issuer,
  client: OidcClient,
  { policy, login, conditions, locale }: ParsedRequest,
): Promise<Result<string, RequestError>> {
  const { VERIFICATION_SESSION } = c.env
  const id = VERIFICATION_SESSION.newUniqueId()
  const verificationId = verificationIdOf(id)
  const prepared = await preparePolicy(c, client, policy, {
    settings: issuer.settings,
    return_url: `${issuer.url}/finish/${verificationId}`,
    ...(locale !== undefined && { locale }),
  })
  // The settings changed after the client was registered.
  if (!prepared.ok) return err('policy_unsatisfiable')
  const level = essentialLevel(login.wanted_acr)
  const canReach = level === undefined || (await canReachLevel(c.env, level, issuer.settings, prepared.value))
  if (!canReach) return err('acr')
  const { secret, browser, code } = await newBrowserSecret()
  const sealed_conditions = await sealConditions(configOf(c.env), verificationId, conditions)
  const created = await VERIFICATION_SESSION.get(id).create({
    ...prepared.value,
    bodyDigest: null,
    login: { ...login, browser, code, sealed_conditions, result: null, redeemed: null },
  })
  if (!created.ok) return err('policy_unsatisfiable')
  resumeAlarms(c.env, Date.now())
  setLoginCookie(c, verificationId, secret)
  return ok(created.value.session.session_url)
}

type Early = {
  readonly issuer: Issuer
  readonly redirectUri: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Sends an error that is found before the person has seen our page. In test mode anybody may register a
 * client, so the browser goes there by a press only (RFC 9700 §4.11.2).
 */
async function refuseEarly(
  c: AppContext,
  name: RequestError,
  { issuer, redirectUri, parameters }: Early,
): Promise<Response> {
  const { error, description } = await requestError(c, name)
  const state = parameters.get('state') ?? null
  const answer = { error, error_description: description, state, iss: issuer.url }
  const locales = parameters.get('ui_locales')
  if (!issuer.settings.livemode) {
    const address = withParameters(redirectUri, answer)
    const details = `${error}: ${description}`
    return sendNotice(c, 400, 'failed', { locales, details, address })
  }
  if (parameters.get('response_mode') === 'form_post') return sendForm(c, redirectUri, answer, locales)
  return redirectTo(c, withParameters(redirectUri, answer))
}
