// Making and opening one generation: fresh randomness in, a sealed record out, and back (CONTRACT 3, OpenID4VP 1.0 §5.2, §8.3).

import { decodeBase64url } from '../../codec/base64url.ts'
import { encodeHex } from '../../codec/bytes.ts'
import type { PrivateJwk, PublicJwk } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import { type Sealing, seal, unseal } from '../../crypto/seal.ts'
import type { Generation, VerifierIdentity } from '../../openid4vp/request/generation.ts'
import { createEncryptionKey } from '../../openid4vp/response/response-encryption.ts'
import type { SessionDocument, SigningVerifier } from '../document.ts'
import type { SealingKey } from '../random.ts'
import type { Channel, StoredGeneration } from './generations.ts'
import { makeHandle } from './handles.ts'

/** A generation to be made. `browser`: the mark of the one browser that it is for. */
export type NewGeneration = {
  readonly verificationId: string
  readonly number: number
  readonly channel: Channel
  readonly browser: string | null
  readonly origin?: string
}

/** Makes generation `number` of a session. `now` in Unix milliseconds. */
export async function newGeneration(
  sealingKey: SealingKey,
  session: NewGeneration,
  now: number,
): Promise<StoredGeneration> {
  const { publicJwk, privateJwk } = await createEncryptionKey()
  const { verificationId, number, channel, browser, origin } = session
  return {
    number,
    nonce: drawNonce(),
    x: publicJwk.x,
    y: publicJwk.y ?? '',
    sealed_key: await seal(keySealing(sealingKey, verificationId, number), privateJwk.d, randomBytes(12)),
    channel,
    browser,
    ...(origin === undefined ? {} : { origin }),
    created_at: now,
    superseded_at: null,
    handed_out_at: null,
    fetched: false,
    viewed: false,
    used_at: now,
  }
}

/** The generation with its handles, as requests are built from it. */
export async function openGeneration(
  document: SessionDocument,
  stored: StoredGeneration,
): Promise<Generation> {
  const key = handleKeyOf(document)
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
    encryptionPublicJwk: publicJwkOf(stored),
    createdAt: Math.floor(stored.created_at / 1000),
  }
}

/** The generation's private response-encryption key. */
export async function openEncryptionKey(
  sealingKey: SealingKey,
  document: SessionDocument,
  stored: StoredGeneration,
): Promise<PrivateJwk> {
  const d = await unseal(keySealing(sealingKey, document.verification_id, stored.number), stored.sealed_key)
  if (d === undefined)
    throw new Error('a response key does not open: the server secret is not the one it was sealed with')
  return { ...publicJwkOf(stored), d }
}

/** Seals the key that signs a session's requests. */
export function sealSigningKey(
  sealingKey: SealingKey,
  verificationId: string,
  jwk: PrivateJwk,
): Promise<string> {
  return seal(signingSealing(sealingKey, verificationId), JSON.stringify(jwk), randomBytes(12))
}

/** The identity pinned to a session. */
export async function openVerifier(
  sealingKey: SealingKey,
  verificationId: string,
  { client_id, sealed_signing_jwk, verifier_info, ...proof }: SigningVerifier,
): Promise<VerifierIdentity> {
  const text = await unseal(signingSealing(sealingKey, verificationId), sealed_signing_jwk)
  if (text === undefined)
    throw new Error('a signing key does not open: the server secret is not the one it was sealed with')
  return { clientId: client_id, proof, signingJwk: JSON.parse(text) as PrivateJwk }
}

/** The key of a session's handles. */
export function handleKeyOf(document: SessionDocument): Uint8Array<ArrayBuffer> {
  const key = decodeBase64url(document.handle_key)
  if (key === undefined) throw new Error('the handle key is not base64url')
  return key
}

function publicJwkOf(stored: StoredGeneration): PublicJwk {
  return { kty: 'EC', crv: 'P-256', x: stored.x, y: stored.y }
}

function keySealing(key: SealingKey, verificationId: string, number: number): Sealing {
  return { key, aad: `${verificationId}/response-key/${number}` }
}

function signingSealing(key: SealingKey, verificationId: string): Sealing {
  return { key, aad: `${verificationId}/signing-key` }
}

// Wallet test suites estimate a nonce's entropy from its characters: 32 hexadecimal digits of which very few differ, which
// chance makes once in ten thousand, would look weak. Such a draw is thrown back.
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
