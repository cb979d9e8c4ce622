// Keys of a Decentralized Identifier (DID Core 1.0). did:jwk and did:key contain their key. The document of a
// did:web is fetched. Callers resolve only the DID of an anchor, or a DID in a verified credential.

import { decodeBase64url } from '../../codec/base64url.ts'
import { parseJson } from '../../codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { parseMultikey } from '../../crypto/multikey.ts'
import { DID } from '../../limits.ts'
import type { FetchSource } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { type KeySetKey, parseSigningKey, selectNamedKeys } from '../key-set.ts'
import type { DidKey, DidRelationship } from './did-document.ts'
import { type DidError, didWebUrl, readDidWeb } from './did-web.ts'

/**
 * Returns the keys of a DID that may have made a signature. The list is empty if no key fits. `kid` is a DID
 * URL, or `#` and its fragment. Without a `kid` every key of the relationship with the right algorithm is
 * returned. If no key in the cached document of a did:web fits, the document is fetched again.
 */
export async function resolveDidKeys(
  did: string,
  relationship: DidRelationship,
  signature: { readonly kid: string | undefined; readonly algorithm: string },
  source: FetchSource,
): Promise<Result<readonly PublicJwk[], DidError>> {
  const { kid, algorithm } = signature
  // A did:key has one verification method. A `kid` may name this method by the DID alone.
  const isWhole = kid === did && did.startsWith(KEY)
  const name = isWhole ? undefined : kid?.startsWith('#') ? did + kid : kid
  const select = (found: readonly DidKey[]) => {
    const keys = found.map(({ id, key }) => ({ ...key, kid: id }))
    return selectNamedKeys(keys, { kid: name, algorithm })
  }
  const kept = await readKeys(did, relationship, source, KEPT_SECONDS)
  if (!kept.ok) return kept
  const selected = select(kept.value)
  if (selected.length > 0 || !did.startsWith(WEB)) return ok(selected)
  const fresh = await readKeys(did, relationship, source, REREAD_SECONDS)
  return fresh.ok ? ok(select(fresh.value)) : fresh
}

/** Returns whether a text is a DID of a known method and form. Nothing is resolved. */
export function isKnownDid(text: string): boolean {
  if (text.length > DID.characters) return false
  if (text.startsWith(KEY)) return parseMultikey(text.slice(KEY.length)) !== undefined
  return text.startsWith(JWK) ? decodeDidJwk(text) !== undefined : didWebUrl(text) !== undefined
}

/** Returns the key that a did:jwk or a did:key contains; `undefined` for other DIDs. */
export function didKey(did: string): PublicJwk | undefined {
  return readContained(did)?.key
}

/**
 * Returns the key in a did:jwk or did:key. `url` is the DID, or the DID URL of its only verification method.
 * Returns `undefined` for any other text. Nothing is fetched.
 */
export function readKeyInDid(url: string): PublicJwk | undefined {
  const [did = ''] = url.split('#', 1)
  const method = url.length > DID.characters ? undefined : readContained(did)
  return method !== undefined && (url === did || url === method.id) ? parsePublicJwk(method.key) : undefined
}

const [JWK, KEY, WEB] = ['did:jwk:', 'did:key:', 'did:web:'] as const

const KEPT_SECONDS = 300
const REREAD_SECONDS = 30

async function readKeys(
  did: string,
  relationship: DidRelationship,
  source: FetchSource,
  maximumAge: number,
): Promise<Result<readonly DidKey[], DidError>> {
  if (did.length > DID.characters) return err('invalid')
  if (did.startsWith(WEB)) {
    const keySets = await readDidWeb(did, source, maximumAge)
    return keySets.ok ? ok(keySets.value[relationship]) : keySets
  }
  // A did:jwk or did:key has one verification method, which is used for both relationships.
  const method = readContained(did)
  return method === undefined ? err('invalid') : ok([method])
}

function readContained(did: string): DidKey | undefined {
  return did.startsWith(JWK) ? readDidJwk(did) : readDidKey(did)
}

/**
 * Reads a did:jwk, which is a JWK in base64url. A key with `use: enc` is rejected, because such a key
 * verifies no signature.
 */
function readDidJwk(did: string): DidKey | undefined {
  const key = decodeDidJwk(did)
  return key && { id: `${did}#0`, key }
}

function decodeDidJwk(did: string): KeySetKey | undefined {
  const jwk = parseJson(decodeBase64url(did.slice(JWK.length)), { length: DID.characters, depth: 4 })
  return jwk.ok ? parseSigningKey(jwk.value) : undefined
}

/**
 * Reads a did:key, which is a key in multibase. The multibase text is also the fragment in the DID URL of the
 * only verification method.
 */
function readDidKey(did: string): DidKey | undefined {
  if (!did.startsWith(KEY)) return undefined
  const name = did.slice(KEY.length)
  const key = parseMultikey(name)
  return key && { id: `${did}#${name}`, key }
}
