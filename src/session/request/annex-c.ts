// The `org-iso-mdoc` part of an authorization request (generation), as in ISO/IEC TS 18013-7 Annex C. This
// part has its own nonce and key. OpenID4VP uses another nonce and another key. The encryption info and the
// session transcript are built from the nonce and the public key of this part.

import { encodeBase64url } from '../../codec/base64url.ts'
import type { Config } from '../../config.ts'
import type { PrivateJwk } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import { transcriptFor } from '../../exchange/annex-c.ts'
import { buildDeviceRequest, deviceRequestHash, type RequestSender } from '../../iso18013-7/device-request.ts'
import { buildEncryptionInfo, NONCE_BYTES } from '../../iso18013-7/encryption-info.ts'
import { ISO_MDOC } from '../../openid4vp/dc-api.ts'
import { type DocumentQuery, documentQuery } from '../../openid4vp/dcql/document-query.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { createEncryptionKey } from '../../openid4vp/response/response-encryption.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredAnnexC, StoredGeneration } from '../document/generations.ts'
import { openSecret, sealSecret } from './generation-keys.ts'
import { buildTerms, type RequestTerms } from './terms.ts'

/** Protocol identifier of a response over `org-iso-mdoc`. */
export const ANNEX_C_PROTOCOL = 'iso-18013-7-c'

/** A generation that has the `org-iso-mdoc` part. Such a generation is always for one origin. */
export type AnnexCGeneration = StoredGeneration & {
  readonly origin: string
  readonly annex_c: StoredAnnexC
}

/**
 * Returns the requested documents. Returns `undefined` if documents alone cannot satisfy the request, or if
 * the protocol or the wallet does not support `org-iso-mdoc`.
 */
export function requestedDocuments({ request, query, wallet }: RequestTerms): DocumentQuery | undefined {
  if (!PROTOCOLS[request.protocol].supportsDcApi) return undefined
  if (wallet !== null && !wallet.dc_api_protocols.includes(ISO_MDOC)) return undefined
  // No supported document type defines how an mdoc confirms a transaction (OpenID4VP 1.0 B.2).
  return request.transaction_data === undefined ? documentQuery(query) : undefined
}

/** Creates the nonce and the key for `org-iso-mdoc` of generation `number`. */
export async function newAnnexC(
  config: Config,
  { verificationId, number }: { readonly verificationId: string; readonly number: number },
): Promise<StoredAnnexC> {
  const { publicJwk, privateJwk } = await createEncryptionKey()
  return {
    nonce: encodeBase64url(randomBytes(NONCE_BYTES)),
    x: publicJwk.x,
    y: publicJwk.y ?? '',
    sealed_key: await sealSecret(config, { verificationId, place: keyPlace(number) }, privateJwk.d),
  }
}

/** Builds the entry of `requests` for `navigator.credentials.get({digital})`. */
export async function annexCRequest(
  query: DocumentQuery,
  generation: AnnexCGeneration,
  sender: RequestSender,
) {
  const encryptionInfo = buildEncryptionInfo(generation.annex_c)
  const deviceRequest = await buildDeviceRequest(query, await computeTranscript(generation), sender)
  return { protocol: ISO_MDOC, data: { deviceRequest, encryptionInfo } } as const
}

/** Returns the session transcript of a generation. */
export function computeTranscript({ origin, annex_c }: AnnexCGeneration): Promise<Uint8Array<ArrayBuffer>> {
  return transcriptFor(origin, annex_c)
}

/**
 * Adds the hash of the request to a generation, for a request with a registration certificate. The session
 * does not store this certificate, so the hash cannot be computed later.
 */
export async function withRequestHash(
  generation: StoredGeneration,
  terms: RequestTerms,
  registration: Uint8Array<ArrayBuffer>,
): Promise<StoredGeneration> {
  const query = requestedDocuments(terms)
  if (query === undefined || !hasAnnexC(generation)) return generation
  const request_hash = await deviceRequestHash(query, await computeTranscript(generation), registration)
  return { ...generation, annex_c: { ...generation.annex_c, request_hash } }
}

/** Returns the hash of a generation's request for the receipt. */
export async function annexCHash(document: SessionDocument, generation: StoredGeneration): Promise<string> {
  const query = requestedDocuments(buildTerms(document, generation))
  if (query === undefined || !hasAnnexC(generation)) throw new Error('the request has no org-iso-mdoc half')
  if (generation.annex_c.request_hash !== undefined) return generation.annex_c.request_hash
  return deviceRequestHash(query, await computeTranscript(generation))
}

/** Returns the private key for `org-iso-mdoc` of a generation. */
export async function openAnnexCKey(
  config: Config,
  { verification_id }: SessionDocument,
  { number, annex_c: { x, y, sealed_key } }: AnnexCGeneration,
): Promise<PrivateJwk> {
  const d = await openSecret(config, { verificationId: verification_id, place: keyPlace(number) }, sealed_key)
  return { kty: 'EC', crv: 'P-256', x, y, d }
}

/** Returns true if the generation has the `org-iso-mdoc` part. */
export function hasAnnexC(generation: StoredGeneration): generation is AnnexCGeneration {
  return generation.annex_c !== undefined && generation.origin !== undefined
}

const keyPlace = (number: number) => `annex-c-key/${number}`
