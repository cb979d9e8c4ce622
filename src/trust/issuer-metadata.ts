// JWT VC Issuer Metadata (SD-JWT VC §4): the keys of an issuer that a trust anchor names by its URL. Nothing a
// wallet wrote is fetched: the URL is the anchor's, and `jwks_uri` is what that issuer's own document says.

import { decodeUtf8 } from '../codec/bytes.ts'
import { isJsonObject, type Json, type JsonObject, member, parseJsonObject } from '../codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../crypto/jwk.ts'
import { ISSUER_METADATA } from '../limits.ts'
import { err, ok, type Result } from '../result.ts'
import type { FetchResource } from './fetch-resource.ts'
import { type KeySetKey, selectKeys } from './key-set.ts'
import type { TrustRejection } from './rejection.ts'

/** What reading metadata needs of the world: Unix seconds, and a guarded fetch. */
export type MetadataSource = { readonly now: number; readonly fetchResource: FetchResource }

/**
 * The keys of `issuerUrl` that a signature may have been made with. Documents are kept for 5 minutes; a signature that
 * none of the kept keys fits causes one new reading (an issuer may have added a key), though not within 30 seconds.
 */
export async function resolveMetadataKeys(
  issuerUrl: string,
  signature: { readonly kid: string | undefined; readonly algorithm: string },
  source: MetadataSource,
): Promise<Result<readonly PublicJwk[], TrustRejection>> {
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
const FAILED_SECONDS = 3
/** A reading that has not ended by then is not waited for by newcomers: whoever began it may be gone. */
const UNDER_WAY_SECONDS = 10
const KEPT_ISSUERS = 64
const URL_LENGTH = 2048

type Keys = Result<readonly KeySetKey[], TrustRejection>
type Kept = { readonly readAt: number; readonly keys: Keys }
type UnderWay = { readonly begunAt: number; readonly keys: Promise<Keys> }
type Memory = { readonly kept: Map<string, Kept>; readonly underWay: Map<string, UnderWay> }

/** Per fetcher: what one may not reach (loopback, say) must not be had from another's memory. */
const memories = new WeakMap<FetchResource, Memory>()

/** Reads through the memory: what is at most `maximumAge` seconds old, or else one reading for all who need it. */
async function readKeys(issuerUrl: string, source: MetadataSource, maximumAge: number): Promise<Keys> {
  const memory = memories.get(source.fetchResource) ?? { kept: new Map(), underWay: new Map() }
  memories.set(source.fetchResource, memory)
  const kept = memory.kept.get(issuerUrl)
  if (kept !== undefined && Math.abs(source.now - kept.readAt) <= lifetimeOf(kept, maximumAge))
    return kept.keys
  const underWay = memory.underWay.get(issuerUrl)
  if (underWay !== undefined && Math.abs(source.now - underWay.begunAt) <= UNDER_WAY_SECONDS)
    return underWay.keys
  const begun = { begunAt: source.now, keys: fetchKeys(issuerUrl, source.fetchResource) }
  memory.underWay.set(issuerUrl, begun)
  try {
    const keys = await begun.keys
    keep(memory.kept, issuerUrl, { readAt: source.now, keys })
    return keys
  } finally {
    if (memory.underWay.get(issuerUrl) === begun) memory.underWay.delete(issuerUrl)
  }
}

/** A failure is remembered for a moment only: long enough that junk posts do not become a flood of fetches. */
function lifetimeOf({ keys }: Kept, maximumAge: number): number {
  return keys.ok ? maximumAge : Math.min(maximumAge, FAILED_SECONDS)
}

function keep(kept: Map<string, Kept>, issuerUrl: string, entry: Kept): void {
  kept.delete(issuerUrl)
  const [oldest] = kept.keys()
  if (kept.size >= KEPT_ISSUERS && oldest !== undefined) kept.delete(oldest)
  kept.set(issuerUrl, entry)
}

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
): Promise<Result<JsonObject, TrustRejection>> {
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
  return ok(keys.map(parseKey).filter((key) => key !== undefined))
}

function parseKey(value: unknown): KeySetKey | undefined {
  const key = parsePublicJwk(value)
  if (key === undefined || !isJsonObject(value)) return undefined
  const [kid, alg, use] = [member(value, 'kid'), member(value, 'alg'), member(value, 'use')]
  const operations = member(value, 'key_ops')
  // §4.2: public keys only; one whose private half is published is anybody's.
  if (Object.hasOwn(value, 'd') || (use !== undefined && use !== 'sig')) return undefined
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return undefined
  if (!isOptionalText(kid) || !isOptionalText(alg)) return undefined
  return { ...key, ...(kid !== undefined && { kid }), ...(alg !== undefined && { alg }) }
}

function isOptionalText(value: Json | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function httpsUrl(text: string): URL | undefined {
  if (text.length > URL_LENGTH || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.protocol === 'https:' && url.username + url.password + url.hash === '' ? url : undefined
}
