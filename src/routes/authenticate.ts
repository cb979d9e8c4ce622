// Who is calling? One bearer token, one answer. The prefix of a token tells its kind, so another kind slots in as one more case.

import { configOf } from '../env.ts'
import { API_KEY_PREFIX, matchesApiKey, parseApiKey } from '../relying-party/api-key.ts'
import type { Scope, Settings } from '../relying-party/settings.ts'
import { settingsOf } from '../relying-party/settings-cache.ts'
import { err, ok, type Result } from '../result.ts'
import { CLIENT_TOKEN_PREFIX, isClientTokenOf } from './client-token.ts'
import type { AppContext } from './context.ts'
import { type ProblemCode, problem } from './problems.ts'

/** A relying party's server, by one of its API keys. */
export type Caller = {
  readonly settings: Settings
  readonly keyId: string
  readonly scopes: readonly Scope[]
}

/** Who may read a session's QR or status: its relying party, or whoever holds its client token. */
export type SessionCaller =
  | { readonly kind: 'relying_party'; readonly caller: Caller }
  | { readonly kind: 'client_token' }

/** Why a token opens nothing. */
export type AuthenticationFault = Extract<
  ProblemCode,
  'missing_token' | 'invalid_token' | 'expired_token' | 'insufficient_scope' | 'temporarily_unavailable'
>

/** The relying party behind the request, if its token has the scope. The error is the response to send. */
export async function authenticate(c: AppContext, scope: Scope): Promise<Result<Caller, Response>> {
  const token = bearerToken(c)
  const found = token.ok ? await callerOf(c, token.value, scope) : token
  return found.ok ? found : err(problem(c, found.error))
}

/**
 * As `authenticate`, for the routes that also open to the session's client token, sent as Bearer or as `?token=`.
 * A client token says nothing about whether the session exists.
 */
export async function authenticateForSession(
  c: AppContext,
  verificationId: string,
  scope: Scope,
): Promise<Result<SessionCaller, Response>> {
  const parameter = c.req.query('token')
  const header = bearerToken(c)
  const token = !header.ok && header.error === 'missing_token' && parameter ? ok(parameter) : header
  if (!token.ok) return err(problem(c, token.error))
  if (await isClientTokenOf(configOf(c.env), verificationId, token.value)) return ok({ kind: 'client_token' })
  // An API key in an address would end up in logs and histories: there only a client token is heard.
  if (token !== header && !token.value.startsWith(CLIENT_TOKEN_PREFIX))
    return err(problem(c, 'invalid_token'))
  const found = await callerOf(c, token.value, scope)
  return found.ok ? ok({ kind: 'relying_party', caller: found.value }) : err(problem(c, found.error))
}

/** The token of the Authorization header (RFC 6750 §2.1; any visible characters: each kind of token has its own strict shape). */
export function bearerToken(c: AppContext): Result<string, 'missing_token' | 'invalid_token'> {
  const header = c.req.header('Authorization')
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return err('missing_token')
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
  return token === undefined || token.length > MAXIMUM_TOKEN ? err('invalid_token') : ok(token)
}

const MAXIMUM_TOKEN = 4096

async function callerOf(
  c: AppContext,
  token: string,
  scope: Scope,
): Promise<Result<Caller, AuthenticationFault>> {
  // CONTRACT 1: a client token anywhere but at its own session's QR and status is 403.
  if (token.startsWith(CLIENT_TOKEN_PREFIX)) return err('insufficient_scope')
  if (!token.startsWith(API_KEY_PREFIX)) return err('invalid_token')
  const caller = await callerByApiKey(c, token)
  if (!caller.ok) return caller
  return caller.value.scopes.includes(scope) ? caller : err('insufficient_scope')
}

async function callerByApiKey(c: AppContext, token: string): Promise<Result<Caller, AuthenticationFault>> {
  const parsed = parseApiKey(token)
  if (parsed === undefined) return err('invalid_token')
  const now = Date.now()
  const settings = await settingsOf(c.env, parsed.relyingPartyId, now)
  if (!settings.ok) {
    return err(settings.error === 'unavailable' ? 'temporarily_unavailable' : 'invalid_token')
  }
  const record = settings.value.api_keys.find((key) => key.key_id === parsed.keyId)
  if (record === undefined || !(await matchesApiKey(record, parsed))) return err('invalid_token')
  if (settings.value.livemode !== parsed.livemode) return err('invalid_token')
  if (record.expires_at !== null && record.expires_at <= now) return err('expired_token')
  return ok({ settings: settings.value, keyId: record.key_id, scopes: record.scopes })
}
