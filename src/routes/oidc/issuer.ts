// The issuer of one relying party: its address and settings, its metadata (OpenID Connect Discovery 1.0 §3),
// and its keys. The metadata lists exactly the supported features (discovery.test.ts).

import { loadConfig, type OidcJwk } from '../../config.ts'
import type { Settings } from '../../relying-party/document/settings.ts'
import { writeIssuer } from '../../relying-party/oidc/client.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { publicKey } from '../../session/tokens/issued-id-token.ts'
import { readTable } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'

/** A relying party, and the address and the keys of its issuer. */
export type Issuer = {
  readonly url: string
  readonly settings: Settings
  readonly keys: readonly OidcJwk[]
}

/**
 * Returns the issuer of the request. The error is `not_found` for an unknown relying party, and if the
 * service has no OpenID Connect keys.
 */
export async function issuerOfRequest(c: AppContext): Promise<Result<Issuer, 'not_found' | 'unavailable'>> {
  const id = c.req.param('rp') ?? ''
  const { oidc, baseUrl } = loadConfig(c.env)
  if (oidc === null) return err('not_found')
  const settings = await loadSettings(c.env, id, Date.now())
  if (!settings.ok) return settings
  return ok({ url: writeIssuer(baseUrl, id), settings: settings.value, keys: oidc.keys })
}

/** Sends the problem of a request for an unknown issuer. */
export function noIssuer(c: AppContext, error: 'not_found' | 'unavailable'): Response {
  return problem(c, error === 'unavailable' ? 'temporarily_unavailable' : 'not_found')
}

/** Sends the metadata. */
export async function sendDiscovery(c: AppContext): Promise<Response> {
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok) return noIssuer(c, issuer.error)
  const members = await readTable<object>(c.env.ASSETS, 'oidc-metadata.json')
  return c.json({ ...buildEndpoints(issuer.value.url), ...members }, 200, CACHED)
}

/** Sends the public keys. */
export async function sendKeys(c: AppContext): Promise<Response> {
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok) return noIssuer(c, issuer.error)
  return c.json({ keys: issuer.value.keys.map(publicKey) }, 200, CACHED)
}

const CACHED = { 'Cache-Control': 'public, max-age=300' }

/** Returns the addresses of an issuer's endpoints, under their names in the metadata. */
export function buildEndpoints(issuer: string) {
  const at = (path: string) => `${issuer}/${path}`
  return {
    issuer,
    authorization_endpoint: at('authorize'),
    pushed_authorization_request_endpoint: at('par'),
    token_endpoint: at('token'),
    userinfo_endpoint: at('userinfo'),
    jwks_uri: at('jwks'),
  }
}
