// Creates and opens the generations of a session (its authorization requests), whose keys are stored sealed.
// Also seals and opens the verifier's identity and other secrets (api/request, OpenID4VP 1.0 §5.2, §8.3).

import { decodeBase64url } from '../../codec/base64url.ts'
import type { Config } from '../../config.ts'
import type { PrivateJwk, PublicJwk } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import { openRecentKeys } from '../../crypto/recent-keys.ts'
import { type Sealing, seal, unseal } from '../../crypto/seal.ts'
import { redirectUriClientId } from '../../openid4vp/request/client-identifier.ts'
import type { FurtherIdentity, Generation, VerifierIdentity } from '../../openid4vp/request/generation.ts'
import { drawNonce } from '../../openid4vp/request/nonce.ts'
import type { MultiSignedRequest } from '../../openid4vp/request/request-object.ts'
import { createEncryptionKey } from '../../openid4vp/response/response-encryption.ts'
import type { SessionDocument } from '../document/document.ts'
import type { Channel, StoredAnnexC, StoredGeneration } from '../document/generations.ts'
import type { StoredFurther, StoredVerifier } from '../document/stored-verifier.ts'
import { derivedKey } from '../store/keys.ts'
import { makeHandle } from './handles.ts'
import { callbackUrl } from './requests.ts'

/**
 * Input of a new generation. `browser`: the mark of the only browser that may respond; null for any device.
 */
export type NewGeneration = {
  readonly verificationId: string
  readonly number: number
  readonly channel: Channel
  readonly browser: string | null
  /** Id of the chosen wallet. */
  readonly wallet?: string | undefined
  readonly origin?: string
  readonly annex_c?: StoredAnnexC
}

/** Creates generation `number` of a session. `now` in Unix milliseconds. */
export async function newGeneration(
  config: Config,
  { verificationId, number, channel, browser, wallet, origin, annex_c }: NewGeneration,
  now: number,
): Promise<StoredGeneration> {
  const { publicJwk, privateJwk } = await createEncryptionKey()
  const place = responseKeyPlace(number)
  return {
    number,
    nonce: drawNonce(),
    x: publicJwk.x,
    y: publicJwk.y ?? '',
    sealed_key: await sealSecret(config, { verificationId, place }, privateJwk.d),
    channel,
    browser,
    ...(wallet === undefined ? {} : { wallet }),
    ...(origin === undefined ? {} : { origin }),
    ...(annex_c && { annex_c }),
    created_at: now,
    superseded_at: null,
    handed_out_at: null,
    fetched: false,
    viewed: false,
    used_at: now,
  }
}

/** Returns the open form of a generation, with its handles and its public key. */
export async function openGeneration(
  document: SessionDocument,
  stored: StoredGeneration,
): Promise<Generation> {
  const key = requireHandleKey(document)
  const [requestId, state, kid] = await Promise.all([
    makeHandle(key, 'request', stored.number),
    makeHandle(key, 'state', stored.number),
    makeHandle(key, 'kid', stored.number),
  ])
  return {
    requestId,
    state,
    kid,
    nonce: stored.nonce,
    encryptionPublicJwk: toPublicJwk(stored),
    createdAt: Math.floor(stored.created_at / 1000),
  }
}

/** Returns the private response-encryption key of a generation. */
export async function openEncryptionKey(
  config: Config,
  { verification_id }: SessionDocument,
  stored: StoredGeneration,
): Promise<PrivateJwk> {
  const place = responseKeyPlace(stored.number)
  const d = await openSecret(config, { verificationId: verification_id, place }, stored.sealed_key)
  return { ...toPublicJwk(stored), d }
}

/**
 * Returns the verifier identity of a session, with a sealed signing key. `identity`: null for unsigned
 * requests. OpenID4VP 1.0 §5.9.3: without a signature, the Response URI identifies the verifier.
 */
export async function pinIdentity(
  config: Config,
  verificationId: string,
  identity: VerifierIdentity | null,
): Promise<StoredVerifier> {
  if (identity === null) {
    const responseUri = callbackUrl({ verification_id: verificationId }, config.baseUrl)
    return { client_id: redirectUriClientId(responseUri), sealed_signing_jwk: null }
  }
  const { further = [], ...first } = identity
  const pinned = {
    ...(await pinOne(config, { verificationId, place: SIGNING_KEY_PLACE }, first)),
    ...(further.length > 0 && {
      further: await Promise.all(
        further.map((one, i) => pinOne(config, { verificationId, place: furtherKeyPlace(i) }, one)),
      ),
    }),
  }
  opened.set(pinned, identity.signingJwk) // so that the first fetch need not open it
  return pinned
}

/** Returns one identity with its sealed signing key. */
async function pinOne(
  config: Config,
  place: Place,
  { proof, clientId, signingJwk, verifierInfo, googleMetadata }: FurtherIdentity,
): Promise<StoredFurther> {
  return {
    ...proof,
    client_id: clientId,
    sealed_signing_jwk: await sealSecret(config, place, JSON.stringify(signingJwk)),
    ...(verifierInfo && { verifier_info: verifierInfo }),
    ...(googleMetadata && { google_metadata: googleMetadata }),
  }
}

/**
 * Requests of a generation as they were sent. `jwt`: the last Request Object. `multi_signed`: the request
 * with several signatures. `annex_c`: both texts of `org-iso-mdoc`, base64url.
 */
export type SentRequests = {
  readonly jwt?: string
  readonly multi_signed?: MultiSignedRequest
  readonly annex_c?: { readonly deviceRequest: string; readonly encryptionInfo: string }
}

/** Seals the sent requests of a generation for its stored form. Only evidence needs them. */
export function sealRequests(
  config: Config,
  { verification_id: verificationId }: SessionDocument,
  { number }: StoredGeneration,
  sent: SentRequests,
): Promise<string> {
  return sealSecret(config, { verificationId, place: sentPlace(number) }, JSON.stringify(sent))
}

/** Returns the generation with the requests that were sent last. Adds one to `fetches`. */
export function withSentRequests(generation: StoredGeneration, sealed_requests: string): StoredGeneration {
  return { ...generation, sealed_requests, fetches: (generation.fetches ?? 0) + 1 }
}

/** Returns the sent requests of a generation; an empty object if none is stored. */
export async function openRequests(
  config: Config,
  { verification_id: verificationId }: SessionDocument,
  { number, sealed_requests }: StoredGeneration,
): Promise<SentRequests> {
  if (sealed_requests === undefined) return {}
  const text = await openSecret(config, { verificationId, place: sentPlace(number) }, sealed_requests)
  return JSON.parse(text) as SentRequests // sealed above
}

/** Session of a sealed value, and name of the value in this session. */
type Place = { readonly verificationId: string; readonly place: string }

/** Seals a value. The value can be opened only for the same `place`. */
export async function sealSecret(config: Config, place: Place, text: string): Promise<string> {
  const sealing = await deriveSealing(config, place)
  return seal(sealing, text, randomBytes(12))
}

/**
 * Returns the text of a sealed value. Throws if the value cannot be opened. Also opens values of earlier
 * versions, which sealed all values under one key.
 */
export async function openSecret(config: Config, place: Place, sealed: string): Promise<string> {
  const sealing = await deriveSealing(config, place)
  const text =
    (await unseal(sealing, sealed)) ??
    (await unseal({ ...sealing, key: await derivedKey(config, 'session') }, sealed))
  if (text === undefined)
    throw new Error(`${place.place} does not open: SERVER_SECRET is not that of its creation`)
  return text
}

/** Returns the verifier identity for a request; null if the request is not signed. */
export async function openVerifier(
  config: Config,
  { verification_id, verifier }: Pick<SessionDocument, 'verification_id' | 'verifier'>,
): Promise<VerifierIdentity | null> {
  if (verifier.sealed_signing_jwk === null) return null
  const { further, ...first } = verifier
  const placeOf = (place: string) => ({ verificationId: verification_id, place })
  const signingJwk = opened.get(verifier) ?? (await openSigningKey(config, placeOf(SIGNING_KEY_PLACE), first))
  opened.set(verifier, signingJwk)
  const identity = openOne(first, signingJwk)
  if (further === undefined) return identity
  const others = further.map(async (one, i) =>
    openOne(one, await openSigningKey(config, placeOf(furtherKeyPlace(i)), one)),
  )
  return { ...identity, further: await Promise.all(others) }
}

function openOne(
  { client_id, sealed_signing_jwk, verifier_info, google_metadata, ...proof }: StoredFurther,
  signingJwk: PrivateJwk,
): FurtherIdentity {
  return {
    clientId: client_id,
    proof,
    signingJwk,
    ...(verifier_info && { verifierInfo: verifier_info }),
    ...(google_metadata && { googleMetadata: google_metadata }),
  }
}

/**
 * Cache of opened signing keys. The end of a session replaces the stored verifier, so the cache drops the key
 * of that verifier.
 */
const opened = new WeakMap<StoredVerifier, PrivateJwk>()

async function openSigningKey(
  config: Config,
  place: Place,
  { sealed_signing_jwk }: Pick<StoredFurther, 'sealed_signing_jwk'>,
): Promise<PrivateJwk> {
  return JSON.parse(await openSecret(config, place, sealed_signing_jwk)) as PrivateJwk
}

/** Limit of cached handle keys. */
const HANDLE_KEYS = 1_000
const handleKeys = openRecentKeys<Uint8Array<ArrayBuffer>>(HANDLE_KEYS)

/**
 * Returns the key of a session's handles. While the key is cached, the same object is returned. `hmacSha256`
 * imports each key object only once.
 */
export function requireHandleKey({ handle_key }: SessionDocument): Uint8Array<ArrayBuffer> {
  const key = handleKeys.get(handle_key) ?? decodeBase64url(handle_key)
  if (key === undefined) throw new Error('the handle key is not base64url')
  handleKeys.set(handle_key, key)
  return key
}

function toPublicJwk(stored: StoredGeneration): PublicJwk {
  return { kty: 'EC', crv: 'P-256', x: stored.x, y: stored.y }
}

const SIGNING_KEY_PLACE = 'signing-key'
const sentPlace = (number: number) => `sent-requests/${number}`
const furtherKeyPlace = (i: number) => `further-signing-key/${i}`
const responseKeyPlace = (number: number) => `response-key/${number}`

/** Returns the sealing key of a session, and the additional authenticated data (AAD) of one value. */
async function deriveSealing(config: Config, { verificationId, place }: Place): Promise<Sealing> {
  return { key: await derivedKey(config, `session/${verificationId}`), aad: `${verificationId}/${place}` }
}
