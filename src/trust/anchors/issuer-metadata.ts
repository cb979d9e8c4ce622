// JWT VC Issuer Metadata (SD-JWT VC §4): the keys of an issuer that a trust anchor names by its URL. Nothing a
// wallet wrote is fetched: the URL is the anchor's, and `jwks_uri` is what that issuer's own document says.

import { decodeUtf8 } from '../../codec/bytes.ts'
import { isJsonObject, type Json, type JsonObject, member, parseJsonObject } from '../../codec/json.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { ISSUER_METADATA } from '../../limits.ts'
import { createFetchCache } from '../../net/cache.ts'
import type { FetchResource } from '../../net/guarded-fetch.ts'
import type { FetchSource } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustRefusal } from '../refusal.ts'
import { type KeySetKey, parseSigningKey, selectKeys } from './key-set.ts'

/**
 * The keys of `issuerUrl` that a signature may have been made with. Documents are kept for 5 minutes; a signature that
 * none of the kept keys fits causes one new reading (an issuer may have added a key), though not within 30 seconds.
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

/** Where an issuer's metadata stands (§4.1); `undefined` for what is no issuer URL: https, no query, no fragment. */
export function issuerMetadataUrl(issuerUrl: string): string | undefined {
  const url = httpsUrl(issuerUrl)
  if (url === undefined || issuerUrl.includes('?') || issuerUrl.includes('#')) return undefined
  return `${url.origin}/.well-known/jwt-vc-issuer${url.pathname.replace(/\/$/, '')}`
}

const KEPT_SECONDS = 300
const REREAD_SECONDS = 30
const URL_LENGTH = 2048

type Keys = Result<readonly KeySetKey[], TrustRefusal>

const readKeys = createFetchCache({
  read: (issuerUrl, { fetchResource }) => fetchKeys(issuerUrl, fetchResource),
})

async function fetchKeys(issuerUrl: string, fetchResource: FetchResource): Promise<Keys> {
  const url = issuerMetadataUrl(issuerUrl)
  if (url === undefined) return err({ reason: 'issuer_metadata_invalid' })
  const metadata = await fetchObject(url, fetchResource)
  if (!metadata.ok) return metadata
  const jwks = member(metadata.value, 'jwks')
  const jwksUri = member(metadata.value, 'jwks_uri')
  // §4.3: the document speaks for this issuer only; §4.2: it has one of `jwks` and `jwks_uri`, not both.
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
  const fetched = await fetchResource({ url, accept: 'application/json', limit: ISSUER_METADATA.bytes })
  if (!fetched.ok) {
    // Only what another try may change is "unavailable".
    return err({
      reason: fetched.error === 'unavailable' ? 'issuer_metadata_unavailable' : 'issuer_metadata_invalid',
    })
  }
  const text = fetched.value.body.length <= ISSUER_METADATA.bytes ? decodeUtf8(fetched.value.body) : undefined
  const parsed =
    text === undefined
      ? undefined
      : parseJsonObject(text, { length: ISSUER_METADATA.bytes, depth: ISSUER_METADATA.depth })
  return parsed?.ok ? parsed : err({ reason: 'issuer_metadata_invalid' })
}

/** A JWK Set (RFC 7517 §5): keys of kinds we do not know are passed over, as are those not meant for signatures. */
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
