// Token endpoint (OpenID Connect Core 1.0 §3.1.3) and UserInfo (§5.3).

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { isConfidential } from '../../relying-party/oidc/client.ts'
import { loadOidcClient } from '../../relying-party/oidc/client-cache.ts'
import { sessionStub } from '../../session/store/identifier.ts'
import { presentedToken } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { readForm } from '../edge/form.ts'
import { authenticateOidcClient } from './clients/client-authentication.ts'
import { newAccessToken, parseAccessToken, parseCode } from './codes.ts'
import { issuerOfRequest, noIssuer } from './issuer.ts'
import { refuse, sendOAuth } from './responses.ts'

/** Handles POST of the token endpoint. */
export async function sendTokens(c: AppContext): Promise<Response> {
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok) return noIssuer(c, issuer.error)
  const form = await readForm(c.req.raw, OIDC_REQUEST.characters)
  if (!form.ok) return refuse(c, form.error)
  const parameters = new Map([...form.value.parameters].filter(([, value]) => value !== ''))
  const client = await authenticateOidcClient(c, issuer.value, parameters)
  if (!client.ok) return refuse(c, client.error)
  const [grantType, text, redirectUri, verifier] = [
    'grant_type',
    'code',
    'redirect_uri',
    'code_verifier',
  ].map((name) => parameters.get(name))
  if (grantType === undefined) return refuse(c, 'missing_parameter')
  if (grantType !== 'authorization_code') return refuse(c, 'grant_type_unsupported')
  if (text === undefined || redirectUri === undefined) return refuse(c, 'missing_parameter')
  const code = await parseCode(loadConfig(c.env), text)
  const session = code && sessionStub(c.env, code.verificationId)
  const challenge = verifier === undefined ? null : await deriveChallenge(verifier)
  if (code === undefined || session === undefined || challenge === undefined) return refuse(c, 'code_invalid')
  const { token, digest } = await newAccessToken(code.verificationId)
  const redeemed = await session.redeemLogin({
    relyingPartyId: issuer.value.settings.relying_party_id,
    clientId: client.value.client_id,
    confidential: isConfidential(client.value),
    redirectUri,
    challenge,
    code: code.code,
    issuedAt: code.issuedAt,
    token: digest,
  })
  if (!redeemed.ok) return refuse(c, 'code_invalid')
  const { idToken: id_token, scope, expiresIn: expires_in } = redeemed.value
  return sendOAuth({ access_token: token, token_type: 'Bearer', expires_in, id_token, scope })
}

/**
 * Returns the PKCE challenge of a verifier (RFC 7636 §4.1, §4.6); `undefined` if the verifier is malformed.
 */
async function deriveChallenge(verifier: string): Promise<string | undefined> {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return undefined
  return encodeBase64url(await sha256(utf8(verifier)))
}

/** Handles GET and POST of UserInfo. */
export async function sendUserInfo(c: AppContext): Promise<Response> {
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok) return noIssuer(c, issuer.error)
  const { relying_party_id } = issuer.value.settings
  const header = presentedToken(c)
  if (!header.ok) return refuse(c, header.error === 'missing_token' ? 'token_missing' : 'token_invalid')
  const token = await parseAccessToken(header.value)
  const session = token && sessionStub(c.env, token.verificationId)
  if (token === undefined || session === undefined) return refuse(c, 'token_invalid')
  const userInfo = await session.readUserInfo(relying_party_id, token.digest)
  if (!userInfo.ok) return refuse(c, 'token_invalid')
  // An access token is invalid once its client is deleted.
  const client = await loadOidcClient(c.env, relying_party_id, userInfo.value.clientId, Date.now())
  if (!client.ok) return refuse(c, client.error === 'unavailable' ? 'unavailable' : 'token_invalid')
  const headers = { 'Cache-Control': 'no-store' }
  if ('jwt' in userInfo.value)
    return c.body(userInfo.value.jwt, 200, { ...headers, 'Content-Type': 'application/jwt' })
  return c.body(userInfo.value.json, 200, { ...headers, 'Content-Type': 'application/json' })
}
