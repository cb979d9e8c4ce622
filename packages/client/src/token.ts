// Access tokens for an API key (RFC 6749 §4.4): valid for 15 minutes, with the same or fewer scopes.

import { type Connection, exchange, type Problem } from './exchange.ts'
import { err, ok, type Result } from './result.ts'
import type { AccessToken } from './wire.ts'

/** The service, and an API key of the relying party. */
export type TokenSource = Pick<Connection, 'baseUrl' | 'fetch' | 'timeoutMs'> & {
  readonly relyingPartyId: string
  readonly apiKey: string
  /** Narrows the scopes. Default: all scopes of the key. */
  readonly scope?: readonly string[]
}

/** A token is replaced this long before it expires. */
const RENEWAL_MS = 120_000

/**
 * Returns a function for `token` of `createClient`. It fetches a token when the first call needs one, and a
 * new token before the old token expires.
 */
export function accessTokens(source: TokenSource): () => Promise<Result<string, Problem>> {
  let current: { readonly token: Promise<Result<AccessToken, Problem>>; renewAt: number } | undefined
  return async () => {
    if (current === undefined || Date.now() >= current.renewAt) {
      // While a token is fetched, other callers wait for the same token.
      current = { token: fetchToken(source), renewAt: Number.POSITIVE_INFINITY }
    }
    const fetched = current
    const token = await fetched.token
    if (!token.ok) {
      if (current === fetched) current = undefined
      return token
    }
    if (fetched.renewAt === Number.POSITIVE_INFINITY) fetched.renewAt = renewalOf(token.value)
    return ok(token.value.access_token)
  }
}

/** The tokens of a key that expires soon are short-lived: they are used for half of their time. */
function renewalOf({ expires_in }: AccessToken): number {
  const lifetime = expires_in * 1000
  return Date.now() + Math.max(lifetime - RENEWAL_MS, lifetime / 2)
}

async function fetchToken(source: TokenSource): Promise<Result<AccessToken, Problem>> {
  const { relyingPartyId, apiKey, scope, ...connection } = source
  const credentials = [relyingPartyId, apiKey].map(encodeURIComponent).join(':')
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope.join(' '))
  const fetched = await exchange(
    { ...connection, token: '' },
    {
      method: 'POST',
      path: '/oauth/token',
      body: form,
      headers: { Authorization: `Basic ${btoa(credentials)}` },
    },
  )
  return fetched.ok ? ok(fetched.value as AccessToken) : err(fetched.error)
}
