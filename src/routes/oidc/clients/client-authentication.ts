// Authentication of clients (OpenID Connect Core 1.0 §9, RFC 7523). A client must authenticate with its
// registered method. The number of failed authentications from one address is limited.

import { timingSafeEqualText } from '../../../crypto/timing-safe.ts'
import type { AUTH_METHODS, OidcClient } from '../../../relying-party/oidc/client.ts'
import { loadOidcClient } from '../../../relying-party/oidc/client-cache.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hashSecret } from '../../edge/authenticate.ts'
import type { AppContext } from '../../edge/context.ts'
import { parseBasic } from '../../edge/form.ts'
import { takeFailedAuthentication } from '../../edge/rate-limit.ts'
import type { Issuer } from '../issuer.ts'
import type { OidcError } from '../responses.ts'
import { type AssertionError, findAssertionError, readAssertedClient } from './client-assertion.ts'

type Parameters = ReadonlyMap<string, string>
type Failure =
  | AssertionError
  | Extract<OidcError, 'client_unknown' | 'two_authentications' | 'rate_limited' | 'unavailable'>

/** Returns the client of a request. A client with the method `none` sends only its `client_id`. */
export async function authenticateOidcClient(
  c: AppContext,
  issuer: Issuer,
  parameters: Parameters,
): Promise<Result<OidcClient, Failure>> {
  const client = await identify(c, issuer, parameters)
  if (client.ok || client.error === 'two_authentications' || client.error === 'unavailable') return client
  return takeFailedAuthentication(c) ? client : err('rate_limited')
}

/** The method and the credential by which a request authenticates its client. */
type Presented = { readonly clientId: string } & (
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  | { readonly method: 'private_key_jwt'; readonly assertion: string }
  | { readonly method: 'none' }
)

async function identify(
  c: AppContext,
  issuer: Issuer,
  parameters: Parameters,
): Promise<Result<OidcClient, Failure>> {
  const presented = presentedBy(c.req.header('Authorization'), parameters)
  if (!presented.ok) return presented
  const now = Date.now()
  const { relying_party_id } = issuer.settings
  const client = await loadOidcClient(c.env, relying_party_id, presented.value.clientId, now)
  if (!client.ok) return err(client.error === 'unavailable' ? 'unavailable' : 'client_unknown')
  const method: (typeof AUTH_METHODS)[number] = presented.value.method
  if (client.value.token_endpoint_auth_method !== method) return err('client_unknown')
  const error = await findError(c, issuer, client.value, { presented: presented.value, now })
  return error === undefined ? client : err(error)
}

function presentedBy(header: string | undefined, parameters: Parameters): Result<Presented, Failure> {
  const [named, secret, assertion] = ['client_id', 'client_secret', 'client_assertion'].map((name) =>
    parameters.get(name),
  )
  const ways = [header, secret, assertion].filter((way) => way !== undefined)
  if (ways.length > 1) return err('two_authentications')
  if (header !== undefined) {
    const basic = parseBasic(header)
    if (basic === undefined) return err('client_unknown')
    if (named !== undefined && named !== basic.clientId) return err('client_unknown')
    return ok({ method: 'client_secret_basic', clientId: basic.clientId, secret: basic.clientSecret })
  }
  if (assertion !== undefined) {
    if (parameters.get('client_assertion_type') !== ASSERTION_TYPE) return err('client_unknown')
    const clientId = readAssertedClient(assertion)
    if (clientId === undefined || (named !== undefined && named !== clientId)) return err('client_unknown')
    return ok({ method: 'private_key_jwt', clientId, assertion })
  }
  if (named === undefined) return err('client_unknown')
  return ok(
    secret === undefined
      ? { method: 'none', clientId: named }
      : { method: 'client_secret_post', clientId: named, secret },
  )
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Returns the error of the credential that a client presented; `undefined` if the client is authentic. */
async function findError(
  c: AppContext,
  issuer: Issuer,
  client: OidcClient,
  { presented, now }: { readonly presented: Presented; readonly now: number },
): Promise<'client_unknown' | 'unavailable' | AssertionError | undefined> {
  if (presented.method === 'none') return undefined
  if (presented.method === 'private_key_jwt')
    return findAssertionError(c, issuer, client, { ...presented, now })
  const digest = await hashSecret(presented.secret)
  const live = client.secrets.filter(({ expires_at }) => expires_at === null || expires_at > now)
  const isLive = live.filter(({ hash }) => timingSafeEqualText(hash, digest)).length > 0
  return isLive ? undefined : 'client_unknown'
}
