// Token endpoint (OpenID Connect Core 1.0 §3.1.3) and UserInfo (§5.3).

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import { isConfidential } from '../../relying-party/oidc/client.ts'
import { loadOidcClient } from '../../relying-party/oidc/client-cache.ts'
import { ok } from '../../result.ts'
import { presentedToken } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { readForm } from '../edge/form.ts'
import { authenticateOidcClient } from './clients/client-authentication.ts'
import { newAccessToken, parseAccessToken, parseCode } from './codes.ts'
import { readProof, useProof } from './dpop.ts'
import { buildEndpoints, issuerOfRequest, noIssuer } from './issuer.ts'
import { refuse, refuseToken, sendOAuth } from './responses.ts'

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
  const proof = await readProof(c, buildEndpoints(issuer.value.url).token_endpoint)
  if (!proof.ok) return refuse(c, proof.error)
  if (proof.value === null && client.value.dpop_bound_access_tokens) return refuse(c, 'proof_missing')
  const code = await parseCode(loadConfig(c.env), text)
  const session = code && sessionStub(c.env, code.verificationId)
  const challenge = verifier === undefined ? null : await deriveChallenge(verifier)
  if (code === undefined || session === undefined || challenge === undefined) return refuse(c, 'code_invalid')
  const relyingPartyId = issuer.value.settings.relying_party_id
  const isAuthenticated = isConfidential(client.value)
  const proofError = proof.value && (await useProof(c, proof.value, { relyingPartyId, isAuthenticated }))
  if (proofError) return refuse(c, proofError)
  const { token, digest } = await newAccessToken(code.verificationId)
  const jkt = proof.value?.jkt ?? null
  const redeemed = await session.redeemLogin({
    relyingPartyId,
    clientId: client.value.client_id,
    confidential: isAuthenticated,
    redirectUri,
    challenge,
    code: code.code,
    issuedAt: code.issuedAt,
    token: digest,
    jkt,
  })
  if (!redeemed.ok) return refuse(c, 'code_invalid')
  const { idToken: id_token, scope, expiresIn: expires_in } = redeemed.value
  const token_type = jkt === null ? 'Bearer' : 'DPoP'
  return sendOAuth({ access_token: token, token_type, expires_in, id_token, scope })
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
  const { relying_party_id: relyingPartyId } = issuer.value.settings
  const bound = /^dpop +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1]
  const scheme = bound === undefined ? 'Bearer' : 'DPoP'
  const header = bound === undefined ? presentedToken(c) : ok(bound)
  if (!header.ok && header.error === 'missing_token') return refuseToken(c, 'token_missing', scheme)
  const token = header.ok ? await parseAccessToken(header.value) : undefined
  const session = token && sessionStub(c.env, token.verificationId)
  if (token === undefined || session === undefined) return refuseToken(c, 'token_invalid', scheme)
  const { userinfo_endpoint } = buildEndpoints(issuer.value.url)
  const proof = bound === undefined ? ok(null) : await readProof(c, userinfo_endpoint, token.digest)
  if (!proof.ok) return refuseToken(c, proof.error, scheme)
  if (bound !== undefined && proof.value === null) return refuseToken(c, 'proof_missing', scheme)
  const jkt = proof.value?.jkt ?? null
  const userInfo = await session.readUserInfo(relyingPartyId, token.digest, jkt)
  if (!userInfo.ok) return refuseToken(c, 'token_invalid', scheme)
  // An access token is invalid once its client is deleted.
  const client = await loadOidcClient(c.env, relyingPartyId, userInfo.value.clientId, Date.now())
  if (!client.ok)
    return refuseToken(c, client.error === 'unavailable' ? 'unavailable' : 'token_invalid', scheme)
  const proofError =
    proof.value && (await useProof(c, proof.value, { relyingPartyId, isAuthenticated: true }))
  if (proofError) return refuseToken(c, proofError, scheme)
  const headers = { 'Cache-Control': 'no-store' }
  if ('jwt' in userInfo.value)
    return c.body(userInfo.value.jwt, 200, { ...headers, 'Content-Type': 'application/jwt' })
  return c.body(userInfo.value.json, 200, { ...headers, 'Content-Type': 'application/json' })
}
