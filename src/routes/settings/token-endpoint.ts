// Token endpoint (RFC 6749 §3.2, §4.4; api/settings): exchanges a relying party's API key for a short-lived
// access token. Errors are OAuth errors (§5.2), so that any OAuth client can call the endpoint.

import { Hono } from 'hono/tiny'
import type { OAuthMetadata, Token } from '../../api/responses/public.ts'
import { loadConfig } from '../../config.ts'
import { SCOPES, type Scope } from '../../relying-party/document/settings.ts'
import { issueAccessToken } from '../../relying-party/keys/access-token.ts'
import { err, ok, type Result } from '../../result.ts'
import { callerByApiKey, type KeyCaller } from '../edge/authenticate.ts'
import { type OAuthErrors, oauthErrors } from '../edge/cloudflare.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { type ClientCredentials, parseBasic, readForm } from '../edge/form.ts'
import { takeToken, takeTokenCall } from '../edge/rate-limit.ts'
import { sendOAuth, sendOAuthError } from '../oidc/responses.ts'

/**
 * Reasons for which no token is issued. A wrong, an expired and a revoked secret all get `client_unknown`.
 */
type TokenRefusal = keyof OAuthErrors['token']

/** Builds the routes of `POST /oauth/token` and of the metadata. */
export function oauthRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post('/oauth/token', sendToken)
    .all('/oauth/token', (c) => refuse(c, 'method_not_allowed'))
    .get('/.well-known/oauth-authorization-server', sendMetadata)
}

const TOKEN_LIMIT = 8 * 1024

type Parameters = ReadonlyMap<string, string>

async function sendToken(c: AppContext): Promise<Response> {
  if (!(await takeTokenCall(c))) return refuse(c, 'rate_limited')
  const form = await readForm(c.req.raw, TOKEN_LIMIT)
  if (!form.ok) return refuse(c, form.error === 'overloaded' ? 'unavailable' : form.error)
  // RFC 6749 §3.2: a parameter without a value is handled as absent. An unknown parameter is ignored.
  const parameters = new Map([...form.value.parameters].filter(([, value]) => value !== ''))
  const grantType = parameters.get('grant_type')
  if (grantType === undefined) return refuse(c, 'grant_type_missing')
  if (grantType !== 'client_credentials') return refuse(c, 'grant_type_unsupported')
  const client = await authenticateClient(c, parameters)
  if (!client.ok) return refuse(c, client.error)
  if (!(await takeToken(c, client.value.settings.relying_party_id))) return refuse(c, 'rate_limited')
  const scopes = narrowed(client.value.scopes, parameters.get('scope'))
  return scopes === undefined
    ? refuse(c, 'scope_invalid')
    : sendOAuth(await tokenFor(c, client.value, scopes))
}

async function tokenFor(c: AppContext, client: KeyCaller, scopes: readonly Scope[]): Promise<Token> {
  const { relying_party_id: relyingPartyId, livemode } = client.settings
  const { keyId, keyExpiresAt } = client
  const grant = { relyingPartyId, livemode, keyId, keyExpiresAt, scopes }
  const { token, expiresIn } = await issueAccessToken(loadConfig(c.env), grant, Date.now())
  // RFC 6749 §5.1
  return { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope: scopes.join(' ') }
}

/**
 * Returns the relying party of `client_id` and `client_secret`. The secret is one of the relying party's API
 * keys.
 */
async function authenticateClient(
  c: AppContext,
  parameters: Parameters,
): Promise<Result<KeyCaller, TokenRefusal>> {
  const credentials = parseCredentials(c.req.header('Authorization'), parameters)
  if (!credentials.ok) return credentials
  const { clientId, clientSecret } = credentials.value
  const caller = await callerByApiKey(c, clientSecret)
  if (!caller.ok) return err(caller.error === 'temporarily_unavailable' ? 'unavailable' : 'client_unknown')
  return caller.value.settings.relying_party_id === clientId ? caller : err('client_unknown')
}

/** Returns the credentials in the header or in the body. Credentials in both are rejected (RFC 6749 §2.3). */
function parseCredentials(
  header: string | undefined,
  parameters: Parameters,
): Result<ClientCredentials, TokenRefusal> {
  const clientId = parameters.get('client_id')
  const clientSecret = parameters.get('client_secret')
  if (header === undefined) {
    if (clientId === undefined || clientSecret === undefined) return err('client_unknown')
    return ok({ clientId, clientSecret })
  }
  if (clientSecret !== undefined || parameters.has('client_assertion')) return err('two_authentications')
  const basic = parseBasic(header)
  if (basic === undefined) return err('client_unknown')
  // The header authenticates the client. The body may repeat its `client_id`, but must not name another
  // client.
  return clientId === undefined || clientId === basic.clientId ? ok(basic) : err('two_clients')
}

/**
 * Returns the requested scopes; `undefined` if the key does not have all of them. Returns all scopes of the
 * key if none is requested (RFC 6749 §3.3).
 */
function narrowed(granted: readonly Scope[], asked: string | undefined): readonly Scope[] | undefined {
  if (asked === undefined) return granted
  const names = asked.split(' ')
  if (!names.every((name) => granted.some((scope) => scope === name))) return undefined
  return granted.filter((scope) => names.includes(scope))
}

async function refuse(c: AppContext, refusal: TokenRefusal): Promise<Response> {
  const { token } = await oauthErrors(c.env.ASSETS)
  return sendOAuthError(token[refusal], { challenge: 'Basic realm="oauth", charset="UTF-8"' })
}

/** Sends the metadata (RFC 8414 §2). There is no authorization endpoint, so there is no response type. */
function sendMetadata(c: AppContext): Response {
  const { baseUrl } = loadConfig(c.env)
  const metadata: OAuthMetadata = {
    issuer: baseUrl,
    token_endpoint: `${baseUrl}/oauth/token`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    scopes_supported: SCOPES,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  }
  return c.json(metadata, 200, { 'Cache-Control': 'public, max-age=300' })
}
