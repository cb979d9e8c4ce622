// JWT VC Issuer Metadata (SD-JWT VC §4): the keys of an issuer that a trust anchor names by its URL. A URL
// from a wallet is never fetched. The issuer URL comes from the anchor, and `jwks_uri` from the issuer's
// metadata.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { ISSUER_METADATA } from '../../limits.ts'
import { createFetchCache } from '../../net/cache.ts'
import { fetchJson } from '../../net/fetch-json.ts'
import type { FetchResource } from '../../net/guarded-fetch.ts'
import type { FetchSource } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { type KeySetKey, parseSigningKey, selectKeys } from '../key-set.ts'
import type { TrustRefusal } from '../refusal.ts'

/**
 * Returns the keys of `issuerUrl` that may have made a signature. The metadata is cached for 5 minutes.
 * During this time the issuer may add a key. So if no cached key fits, metadata older than 30 seconds is
 * fetched again.
 */
export async function resolveMetadataKeys(
  issuerUrl: string,
  signature: { readonly kid: string | undefined; readonly algorithm: string },
  source: FetchSource,
): Promise<Result<readonly PublicJwk[], TrustRefusal>> {
  const kept = await readKeys(issuerUrl, source, KEPT_SECONDS)
  if (!kept.ok) return kept
  const selected = selectKeys(kept.value, signature)
  if (selected.length > 0) return ok(selected)
  const fresh = await readKeys(issuerUrl, source, REREAD_SECONDS)
  return fresh.ok ? ok(selectKeys(fresh.value, signature)) : fresh
}

/**
 * Returns the URL of an issuer's metadata (§4.1). An issuer URL must be https, without query and fragment.
 * Returns `undefined` for any other text.
 *
 * @example
 * issuerMetadataUrl('https://issuer.example/tenant')
 * // 'https://issuer.example/.well-known/jwt-vc-issuer/tenant'
 */
export function issuerMetadataUrl(issuerUrl: string): string | undefined {
  const url = httpsUrl(issuerUrl)
  if (url === undefined || issuerUrl.includes('?') || issuerUrl.includes('#')) return undefined
  return `${url.origin}/.well-known/jwt-vc-issuer${url.pathname.replace(/\/$/, '')}`
}

const KEPT_SECONDS = 300
const REREAD_SECONDS = 30
const URL_LENGTH = 2048

type Keys = Result<readonly KeySetKey[], TrustRefusal>

const readKeys = createFetchCache<Keys>({
  read: (issuerUrl, { fetchResource }) => fetchKeys(issuerUrl, fetchResource),
  late: err({ reason: 'issuer_metadata_unavailable' }),
})

async function fetchKeys(issuerUrl: string, fetchResource: FetchResource): Promise<Keys> {
  const url = issuerMetadataUrl(issuerUrl)
  if (url === undefined) return err({ reason: 'issuer_metadata_invalid' })
  const metadata = await fetchObject(url, fetchResource)
  if (!metadata.ok) return metadata
  const jwks = member(metadata.value, 'jwks')
  const jwksUri = member(metadata.value, 'jwks_uri')
  // §4.3: the metadata must be for this issuer. §4.2: the metadata must have either `jwks` or `jwks_uri`.
  if (member(metadata.value, 'issuer') !== issuerUrl || (jwks === undefined) === (jwksUri === undefined)) {
    return err({ reason: 'issuer_metadata_invalid' })
  }
  if (jwksUri === undefined) return parseKeySet(jwks)
  if (typeof jwksUri !== 'string' || httpsUrl(jwksUri) === undefined) {
    return err({ reason: 'issuer_metadata_invalid' })
  }
  const fetched = await fetchObject(jwksUri, fetchResource)
  return fetched.ok ? parseKeySet(fetched.value) : fetched
}

async function fetchObject(
  url: string,
  fetchResource: FetchResource,
): Promise<Result<JsonObject, TrustRefusal>> {
  const fetched = await fetchJson(fetchResource, { url, accept: 'application/json' }, ISSUER_METADATA)
  return fetched.ok ? fetched : err({ reason: `issuer_metadata_${fetched.error}` })
}

/** Parses a JWK Set (RFC 7517 §5). Keys of unknown kinds, and keys not meant for signatures, are skipped. */
function parseKeySet(value: Json | undefined): Keys {
  const keys = isJsonObject(value) ? member(value, 'keys') : undefined
  if (!Array.isArray(keys)) return err({ reason: 'issuer_metadata_invalid' })
  return ok(keys.map(parseSigningKey).filter((key) => key !== undefined))
}

function httpsUrl(text: string): URL | undefined {
  if (text.length > URL_LENGTH || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.protocol === 'https:' && url.username + url.password + url.hash === '' ? url : undefined
}
