// ID tokens and UserInfo responses (OpenID Connect Core 1.0 §2, §5.3.2, §10).

import { CompactEncrypt, CompactSign } from 'jose'
import { utf8 } from '../../codec/bytes.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { JsonObject } from '../../codec/json.ts'
import type { Config } from '../../config.ts'
import type { Decision } from '../../policy/policy.ts'
import { type SigningAlgorithm, writeIssuer } from '../../relying-party/oidc/client.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from '../../trust/anchors/anchor.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredGeneration } from '../document/generations.ts'
import {
  type Login,
  type LoginResult,
  type LoginSuccess,
  type PreparedToken,
  TOKEN_MS,
  type TokenEncryption,
  type TokenRules,
  type VerifiedClaimsRequest,
} from '../document/login.ts'
import {
  ofOneCredential,
  type ProvenClaim,
  provenClaims,
  releasedClaims,
  verifiedClaims,
} from './released-claims.ts'
import { openConditions, openSubject, sealSubject } from './sealed-values.ts'
import { deriveSubject } from './subject.ts'

/**
 * Largest size of a login's proven claims, in bytes of JSON. The session's document must have space for two
 * tokens.
 */
const CLAIMS_LIMIT = 200_000

/** Prefix of `acr` values. */
export const ACR_PREFIX = 'urn:wallet-verifier:assurance:'

/** The session of a login. */
type LoginSession = Pick<SessionDocument, 'verification_id' | 'relying_party_id' | 'livemode'> & {
  readonly login: Login
}

/**
 * Prepares the tokens of a successful login during response processing, because only then are the claim
 * values in memory. Returns a failure if the presentation cannot log the person in. Returns `undefined` if
 * the session is no login, or the decision is not a success.
 */
export async function prepareLogin(
  decision: Decision,
  document: SessionDocument,
  {
    config,
    generation,
    now,
  }: { readonly config: Config; readonly generation: StoredGeneration; readonly now: number },
): Promise<LoginResult | undefined> {
  const { login, policy, relying_party_id: relyingPartyId, verification_id: verificationId } = document
  if (login === undefined || decision.status !== 'verified') return undefined
  const { subjectKey: key } = requireKeys(config)
  const proven = provenClaims(decision, policy)
  if (utf8(JSON.stringify(proven)).length > CLAIMS_LIMIT) return { failure: 'claims_too_large' }
  const subject = await deriveSubject(login.subject, { decision, policy, proven, relyingPartyId, key })
  if (subject === undefined) return { failure: 'subject_claim_missing' }
  const { sub } = subject
  const conditions = await openConditions(config, verificationId, login)
  if (conditions?.sub?.includes(sub) === false) return { failure: 'subject_mismatch' }
  const bound = login.confidential ? 'relying_party' : 'page'
  const level = decision.assurance_level
  const acr = chooseAcr(level, login.wanted_acr)
  if (acr === undefined) return { failure: 'assurance_level_too_low' }
  // If the request was made for one browser, that browser began the login. So the login is bound to that
  // browser. Any other request proves no binding.
  const session_binding = generation.browser === null ? 'none' : bound
  const facts = { at: now, sub, acr, session_binding }
  const session = { ...document, login }
  const released = ofOneCredential(proven, subject.credential)
  const prepare = (token: 'id_token' | 'userinfo', claims: JsonObject) => {
    const verified = { requests: conditions?.[token] ?? [], level, time: isoTime(now) }
    const tokenClaims = buildClaims(released, login[token], verified)
    return prepareToken(tokenClaims, login[token], { ...claims, ...audienceClaims(session, config) }, config)
  }
  return {
    failure: null,
    at: now,
    sealed_sub: await sealSubject(config, verificationId, sub),
    acr,
    session_binding,
    id_token: await prepare('id_token', idTokenClaims(session, facts, now)),
    userinfo: await prepare('userinfo', userInfoClaims(session, facts)),
  }
}

/**
 * Returns the highest reached level as an `acr`. If the client named essential values (Core §5.5.1.1),
 * returns the highest of these that is reached, or `undefined` if none is reached.
 */
function chooseAcr(reached: AssuranceLevel, wanted: readonly string[] | null): string | undefined {
  if (wanted === null) return ACR_PREFIX + reached
  const levels = ASSURANCE_LEVELS.slice(0, ASSURANCE_LEVELS.indexOf(reached) + 1)
  return levels.map((level) => ACR_PREFIX + level).findLast((acr) => wanted.includes(acr))
}

/** Returns the ID token. An encrypted ID token was prepared before; any other is signed now. */
export async function issueIdToken(
  session: LoginSession,
  result: LoginSuccess,
  { config, now }: { readonly config: Config; readonly now: number },
): Promise<string> {
  if ('jwt' in result.id_token) return result.id_token.jwt
  const sub = await openSubject(config, session.verification_id, result)
  const claims = idTokenClaims(session, { ...result, sub }, now)
  const payload = { ...result.id_token.claims, ...claims, ...audienceClaims(session, config) }
  return signToken(payload, session.login.id_token.alg ?? 'RS256', config)
}

/** Returns the UserInfo response: a JWT, or JSON text. */
export async function issueUserInfo(
  session: LoginSession,
  result: LoginSuccess,
  config: Config,
): Promise<{ readonly jwt: string } | { readonly json: string }> {
  if ('jwt' in result.userinfo) return { jwt: result.userinfo.jwt }
  const sub = await openSubject(config, session.verification_id, result)
  const claims = { ...result.userinfo.claims, ...userInfoClaims(session, { ...result, sub }) }
  const { alg } = session.login.userinfo
  if (alg === null) return { json: JSON.stringify(claims) }
  return { jwt: await signToken({ ...claims, ...audienceClaims(session, config) }, alg, config) }
}

function buildClaims(
  proven: readonly ProvenClaim[],
  rules: TokenRules,
  {
    requests,
    ...facts
  }: {
    readonly requests: readonly VerifiedClaimsRequest[]
    readonly level: string
    readonly time: string
  },
): JsonObject {
  const released = releasedClaims(proven, rules)
  const hasValues = rules.encryption !== null
  const verified = verifiedClaims(proven, requests, { ...facts, hasValues })
  return verified ? { ...released, verified_claims: verified } : released
}

/**
 * Returns the stored form of a token. A token without encryption is stored as its claims, and is signed
 * later. The only claim values of such a token are booleans. An encrypted token is signed and encrypted now.
 */
async function prepareToken(
  released: JsonObject,
  { alg, encryption }: TokenRules,
  claims: JsonObject,
  config: Config,
): Promise<PreparedToken> {
  if (encryption === null) return { claims: released }
  const jws = await signToken({ ...released, ...claims }, alg ?? 'RS256', config)
  return { jwt: await encryptToken(jws, encryption) }
}

function idTokenClaims(session: LoginSession, result: Facts, now: number): JsonObject {
  const iat = Math.floor(now / 1000)
  const { nonce } = session.login
  return {
    ...userInfoClaims(session, result),
    iat,
    exp: iat + TOKEN_MS / 1000,
    ...(nonce !== null && { nonce }),
  }
}

type Facts = Pick<LoginSuccess, 'at' | 'acr' | 'session_binding'> & { readonly sub: string }

function userInfoClaims({ verification_id, livemode, login }: LoginSession, result: Facts): JsonObject {
  const { at, sub, acr, session_binding } = result
  const auth_time = Math.floor(at / 1000)
  return { sub, auth_time, acr, policy: login.policy, livemode, session_binding, verification_id }
}

function audienceClaims({ relying_party_id, login }: LoginSession, { baseUrl }: Config): JsonObject {
  return { iss: writeIssuer(baseUrl, relying_party_id), aud: login.client_id }
}

/** Signs with the first private key whose type fits the algorithm. */
function signToken(claims: JsonObject, alg: SigningAlgorithm, config: Config): Promise<string> {
  const kty = alg === 'ES256' ? 'EC' : 'RSA'
  const jwk = requireKeys(config).keys.find((key) => key.kty === kty && key.d !== undefined)
  if (jwk === undefined) throw new Error('OIDC_KEYS is not complete')
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({ alg, kid: jwk.kid, typ: 'JWT' })
    .sign(jwk)
}

function encryptToken(jws: string, { alg, enc, jwk }: TokenEncryption): Promise<string> {
  const { kid } = jwk
  return new CompactEncrypt(utf8(jws))
    .setProtectedHeader({ alg, enc, cty: 'JWT', ...(kid !== undefined && { kid }) })
    .encrypt(withoutHints(jwk))
}

/**
 * Removes `use`, `alg` and `kid`, which the encryption does not need. The values of `use` and `alg` were
 * checked when the client was registered.
 */
function withoutHints({ use: _, alg: __, kid: ___, ...key }: TokenEncryption['jwk']) {
  return key
}

function requireKeys({ oidc }: Config): NonNullable<Config['oidc']> {
  if (oidc === null) throw new Error('OIDC_KEYS is not complete')
  return oidc
}
