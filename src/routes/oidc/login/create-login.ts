// The verification of a login (api/logins). The authorization endpoint seals the request into the address of
// the page. The first POST of the page creates the session, after all checks of the request were made again.

import { loadConfig } from '../../../config.ts'
import { timingSafeEqualText } from '../../../crypto/timing-safe.ts'
import { newVerificationId, sessionStub } from '../../../relying-party/document/session-stub.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { type OidcClient, writeIssuer } from '../../../relying-party/oidc/client.ts'
import { loadOidcClient } from '../../../relying-party/oidc/client-cache.ts'
import { loadSettings } from '../../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../../result.ts'
import { resumeAlarms } from '../../../session/alarm/interrupted-alarms.ts'
import type { Login } from '../../../session/document/login.ts'
import { type CreateInput, exceedsQr } from '../../../session/request/creation.ts'
import { type LoginToken, sealLoginToken } from '../../../session/request/login-token.ts'
import { sealConditions } from '../../../session/tokens/sealed-values.ts'
import { isAdmitted } from '../../edge/admission.ts'
import {
  hashSecret,
  type LoginCookie,
  markLoginCookie,
  readLoginCookie,
  setLoginCookie,
} from '../../edge/authenticate.ts'
import type { AppContext } from '../../edge/context.ts'
import { takeLogin } from '../../edge/rate-limit.ts'
import { canReachLevel } from '../../verifications/creation/requested-trust.ts'
import type { RefusedRequest } from '../authorization-outcome.ts'
import {
  essentialLevel,
  type Parameters,
  type ParsedRequest,
  parseRequest,
  type RequestOrigin,
  registeredUri,
} from '../authorization-request.ts'
import { preparePolicy } from '../clients/client-policies.ts'
import { hashCodeSecret, newBrowserSecret } from '../codes.ts'
import type { Issuer } from '../issuer.ts'
import { keepPushed, readPushed, sealedForm } from '../par.ts'
import type { RequestError } from '../responses.ts'
import type { VisitedRequest } from '../sent-request.ts'

/** A valid authorization request. `parameters`: as the client sent them. */
export type ValidRequest = {
  readonly issuer: Issuer
  readonly client: OidcClient
  readonly parsed: ParsedRequest
  readonly origin: RequestOrigin
  readonly parameters: Parameters
  /** Null for a request that the browser sent. */
  readonly pushed: VisitedRequest | null
}

/**
 * Begins a login without a session. Returns the address of its page. A browser that visits the same pushed
 * request again keeps its secret.
 */
export async function beginLogin(
  c: AppContext,
  request: ValidRequest,
): Promise<Result<string, RequestError | 'unavailable'>> {
  const { issuer, client, origin, parameters, pushed } = request
  const life = await judgeLogin(c, request)
  if (!life.ok) return life
  const id = pushed?.verificationId ?? newVerificationId(c.env)
  const cookieSecret = pushed?.browser?.secret
  const secret = cookieSecret ?? newBrowserSecret()
  const createdAt = pushed?.pushedAt ?? Date.now()
  const config = loadConfig(c.env)
  const login = {
    createdAt,
    expiresAt: createdAt + life.value * 1000,
    relyingPartyId: issuer.settings.relying_party_id,
    clientId: client.client_id,
    browser: await hashSecret(secret),
  }
  const seal = (sealed: LoginToken['request']) => sealLoginToken(config, id, { ...login, request: sealed })
  const whole = await seal(sealedForm(origin, parameters))
  const token = whole ?? (pushed && (await seal(pushed.requestUri)))
  if (!token) return err('request_too_long')
  const kept = pushed && (await keepPushed(c, login, pushed))
  if (kept?.ok === false) {
    if (kept.error === 'over') return err('request_uri_over')
    // The login needs no stored request if the address of the page contains the whole request.
    if (whole === undefined) return err('unavailable')
  }
  if (cookieSecret === undefined) setLoginCookie(c, id, secret)
  return ok(`${config.baseUrl}/s/${id}?token=${token}`)
}

/**
 * Cache of the results of `judgeLogin`, by settings, client, policy and level. A result is dropped together
 * with the copy of the settings or of the client.
 */
const judgments = new WeakMap<Settings, WeakMap<OidcClient, Map<string, Result<number, RequestError>>>>()

/** Returns the life of the session in seconds, or the error if the policy allows no session. */
async function judgeLogin(
  c: AppContext,
  { issuer, client, parsed }: ValidRequest,
): Promise<Result<number, RequestError>> {
  const ofSettings = judgments.get(issuer.settings) ?? new WeakMap()
  judgments.set(issuer.settings, ofSettings)
  const ofClient = ofSettings.get(client) ?? new Map()
  ofSettings.set(client, ofClient)
  const name = `${parsed.policy.name} ${essentialLevel(parsed.login.wanted_acr)}`
  const cached = ofClient.get(name)
  if (cached !== undefined) return cached
  const prepared = await prepareLogin(c, { issuer, client, parsed }, '')
  const judgment = prepared.ok ? ok(prepared.value.request.expires_in) : prepared
  ofClient.set(name, judgment)
  return judgment
}

type Prepared = Omit<CreateInput, 'bodyDigest'>

/** Returns the input that creates the session, or the error if the request allows no session. */
async function prepareLogin(
  c: AppContext,
  { issuer, client, parsed }: Pick<ValidRequest, 'issuer' | 'client' | 'parsed'>,
  verificationId: string,
): Promise<Result<Prepared, RequestError>> {
  const { policy, login, locale } = parsed
  const prepared = await preparePolicy(c, client, policy, {
    settings: issuer.settings,
    return_url: `${issuer.url}/finish/${verificationId}`,
    ...(locale !== undefined && { locale }),
  })
  // After the client was registered, the settings may have changed. The client's policy may then allow no
  // session.
  if (!prepared.ok || exceedsQr(prepared.value)) return err('policy_unsatisfiable')
  const { creation, rules } = prepared.value
  const level = essentialLevel(login.wanted_acr)
  if (level === undefined) return ok(creation)
  const required = creation.request.required_assurance_level
  const trusting = { policy: creation.policy, rules, required }
  return (await canReachLevel(c.env, level, issuer.settings, trusting)) ? ok(creation) : err('acr')
}

/**
 * Reasons for which a sealed request creates no session. `over`: the login is over, or its client is unknown.
 * `refused`: the client must get the error.
 */
export type LoginFailure =
  | { readonly kind: 'over' }
  | { readonly kind: 'rate_limited' }
  | { readonly kind: 'unavailable' }
  | RefusedRequest

const OVER = err({ kind: 'over' })
const UNAVAILABLE = err({ kind: 'unavailable' })

/** A sealed request that was checked again. `creation`: the input that creates its session. */
export type OpenedLogin = {
  readonly issuer: Issuer
  readonly parsed: ParsedRequest
  readonly creation: CreateInput & { readonly login: Login }
}

/** Opens the request in a token, and makes all checks of the authorization endpoint again. */
export async function openLogin(
  c: AppContext,
  verificationId: string,
  token: LoginToken,
): Promise<Result<OpenedLogin, LoginFailure>> {
  const { relyingPartyId, clientId, createdAt, browser } = token
  const { baseUrl, oidc } = loadConfig(c.env)
  const settings = await loadSettings(c.env, relyingPartyId, Date.now())
  const client = await loadOidcClient(c.env, relyingPartyId, clientId, Date.now())
  if (!settings.ok || !client.ok || oidc === null) {
    const isUnavailable = [settings, client].some((one) => !one.ok && one.error === 'unavailable')
    return isUnavailable ? UNAVAILABLE : OVER
  }
  const sealedRequest = await readSealed(c, token)
  const redirectUri = registeredUri(client.value, sealedRequest?.parameters.get('redirect_uri'))
  if (sealedRequest === undefined || redirectUri === undefined) return OVER
  const issuer = { url: writeIssuer(baseUrl, relyingPartyId), settings: settings.value, keys: oidc.keys }
  const { parameters, origin } = sealedRequest
  const parsed = await parseRequest(parameters, client.value, { issuer, redirectUri, origin })
  const refuse = (error: RequestError) =>
    err({ kind: 'refused', error, issuer, redirectUri, parameters } as const)
  if (!parsed.ok) return refuse(parsed.error)
  const request = { issuer, client: client.value, parsed: parsed.value }
  const prepared = await prepareLogin(c, request, verificationId)
  if (!prepared.ok) return refuse(prepared.error)
  const login = {
    ...parsed.value.login,
    browser,
    code: '',
    sealed_conditions: null,
    result: null,
    redeemed: null,
  }
  const creation = { ...prepared.value, createdAt, bodyDigest: browser, login }
  return ok({ issuer, parsed: parsed.value, creation })
}

/**
 * Returns the authorization request in a token. Returns `undefined` if the token names a pushed request that
 * has ended.
 */
export async function readSealed(c: AppContext, { request, ...pusher }: LoginToken) {
  if (typeof request === 'string') return readPushed(c, pusher, request)
  const [origin, parameters] = request
  return { origin, parameters: new Map(parameters) }
}

/**
 * Creates the session of a login for the browser that began it. If the session exists already, changes
 * nothing.
 */
export async function createLogin(
  c: AppContext,
  verificationId: string,
  token: LoginToken,
): Promise<Result<null, LoginFailure>> {
  const cookie = await readLoginCookie(c, verificationId)
  if (!isOfBrowser(token, cookie)) return OVER
  if (cookie.isBegun) return ok(null)
  if (Date.now() >= token.expiresAt) return OVER
  if (!(await takeLogin(c, token.relyingPartyId))) return err({ kind: 'rate_limited' })
  if (!(await isAdmitted('new'))) return UNAVAILABLE
  const opened = await openLogin(c, verificationId, token)
  if (!opened.ok) return opened
  const { creation, parsed } = opened.value
  const config = loadConfig(c.env)
  const login = {
    ...creation.login,
    code: await hashCodeSecret(cookie.secret),
    sealed_conditions: await sealConditions(config, verificationId, parsed.conditions),
  }
  const created = await sessionStub(c.env, verificationId)?.create({ ...creation, login })
  // `conflict`: another browser has the session. `erased`: it was deleted, or has expired. `openLogin` has
  // refused a request that is `too_long`.
  if (!created?.ok) return OVER
  resumeAlarms(c.env, Date.now())
  c.set('begunLogin', verificationId)
  const session = { verification_id: verificationId, created_at: token.createdAt }
  await markLoginCookie(c, session, cookie.secret)
  return ok(null)
}

/** Returns true if this cookie belongs to the browser that began the login. */
export function isOfBrowser(token: LoginToken, cookie: LoginCookie | undefined): cookie is LoginCookie {
  return cookie !== undefined && timingSafeEqualText(cookie.browser, token.browser)
}
