// Generations in their stored, sealed form and in their open form (api/request, OpenID4VP 1.0 §5.2, §8.3).

import { decodeBase64url } from '../../codec/base64url.ts'
import { encodeHex } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import type { PrivateJwk, PublicJwk } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import { openRecentKeys } from '../../crypto/recent-keys.ts'
import { type Sealing, seal, unseal } from '../../crypto/seal.ts'
import { redirectUriClientId } from '../../openid4vp/request/client-identifier.ts'
import type { Generation, VerifierIdentity } from '../../openid4vp/request/generation.ts'
import { createEncryptionKey } from '../../openid4vp/response/response-encryption.ts'
import type { SessionDocument } from '../document/document.ts'
import type { Channel, StoredAnnexC, StoredGeneration } from '../document/generations.ts'
import type { StoredVerifier } from '../document/stored-verifier.ts'
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
  const sealed = await sealSigningKey(config, verificationId, identity.signingJwk)
  const { proof, clientId, verifierInfo, googleMetadata } = identity
  const pinned = {
    ...proof,
    client_id: clientId,
    sealed_signing_jwk: sealed,
    ...(verifierInfo && { verifier_info: verifierInfo }),
    ...(googleMetadata && { google_metadata: googleMetadata }),
  }
  opened.set(pinned, identity.signingJwk) // so that the first fetch need not open it
  return pinned
}

/** Seals the key that signs the requests of a session. */
function sealSigningKey(config: Config, verificationId: string, jwk: PrivateJwk): Promise<string> {
  return sealSecret(config, { verificationId, place: SIGNING_KEY_PLACE }, JSON.stringify(jwk))
}

/** The place of a sealed value in one session. */
type Place = { readonly verificationId: string; readonly place: string }

/** Seals a value for its place. */
export async function sealSecret(config: Config, place: Place, text: string): Promise<string> {
  const sealing = await deriveSealing(config, place)
  return seal(sealing, text, randomBytes(12))
}

/**
 * Returns the text of a sealed value. Throws if the value cannot be opened. Earlier versions sealed all
 * values under one key.
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
  const { client_id, sealed_signing_jwk, verifier_info, google_metadata, ...proof } = verifier
  const signingJwk =
    opened.get(verifier) ?? (await openSigningKey(config, verification_id, sealed_signing_jwk))
  opened.set(verifier, signingJwk)
  return { clientId: client_id, proof, signingJwk }
}

/** Cache of opened signing keys. The end of a session replaces the verifier, so its key is dropped. */
const opened = new WeakMap<StoredVerifier, PrivateJwk>()

async function openSigningKey(config: Config, verificationId: string, sealed: string): Promise<PrivateJwk> {
  const place = { verificationId, place: SIGNING_KEY_PLACE }
  return JSON.parse(await openSecret(config, place, sealed)) as PrivateJwk
}

/** Limit of cached handle keys. */
const HANDLE_KEYS = 1_000
const handleKeys = openRecentKeys<Uint8Array<ArrayBuffer>>(HANDLE_KEYS)

/**
 * Returns the key of a session's handles. The same object is returned each time, so that the key is imported
 * once.
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
const responseKeyPlace = (number: number) => `response-key/${number}`

/** Returns the sealing key of a session, and the additional authenticated data (AAD) of one value. */
async function deriveSealing(config: Config, { verificationId, place }: Place): Promise<Sealing> {
  return { key: await derivedKey(config, `session/${verificationId}`), aad: `${verificationId}/${place}` }
}

// Wallet test suites estimate the entropy of a nonce from its characters. One random nonce in ten thousand
// has so few different digits that the estimate is too low. Such a nonce is replaced by another nonce.
const LEAST_ESTIMATED_BITS = 96

function drawNonce(): string {
  const nonce = encodeHex(randomBytes(16))
  return estimatedBits(nonce) >= LEAST_ESTIMATED_BITS ? nonce : drawNonce()
}

function estimatedBits(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / text.length), 0)
}
