// The `org-iso-mdoc` part of a generation (ISO/IEC TS 18013-7 Annex C). The code calls this part the half.
// The half has its own nonce and key. OpenID4VP uses another nonce and another key. The encryption info and
// the session transcript are built from the nonce and the public key of the half.

import { encodeBase64url } from '../../codec/base64url.ts'
import type { Config } from '../../config.ts'
import type { PrivateJwk } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import { buildDcApiTranscript } from '../../formats/mdoc/session-transcript.ts'
import { buildDeviceRequest, deviceRequestHash } from '../../iso18013-7/device-request.ts'
import { buildEncryptionInfo, NONCE_BYTES } from '../../iso18013-7/encryption-info.ts'
import type { Reader } from '../../iso18013-7/reader-auth.ts'
import { ISO_MDOC } from '../../openid4vp/dc-api.ts'
import { type DocumentQuery, documentQuery } from '../../openid4vp/dcql/document-query.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { createEncryptionKey } from '../../openid4vp/response/response-encryption.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredAnnexC, StoredGeneration } from '../document/generations.ts'
import { openSecret, sealSecret } from './generation-keys.ts'
import { type RequestTerms, termsOf } from './terms.ts'

/** Protocol identifier of a response over `org-iso-mdoc`. */
export const ANNEX_C_PROTOCOL = 'iso-18013-7-c'

/** A generation that has this half. Such a generation is always for one origin. */
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
  // No profile defines how an mdoc confirms a transaction.
  return request.transaction_data === undefined ? documentQuery(query) : undefined
}

/** Creates the nonce and the key of the half for generation `number`. */
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
  readers: readonly Reader[],
) {
  const encryptionInfo = buildEncryptionInfo(generation.annex_c)
  const deviceRequest = await buildDeviceRequest(query, await transcriptOf(generation), readers)
  return { protocol: ISO_MDOC, data: { deviceRequest, encryptionInfo } } as const
}

/** Returns the session transcript of a generation. */
export function transcriptOf({ origin, annex_c }: AnnexCGeneration): Promise<Uint8Array<ArrayBuffer>> {
  return buildDcApiTranscript({ origin, encryptionInfo: buildEncryptionInfo(annex_c) })
}

/** Returns the hash of a generation's request for the receipt. */
export async function annexCHash(document: SessionDocument, generation: StoredGeneration): Promise<string> {
  const query = requestedDocuments(termsOf(document, generation))
  if (query === undefined || !hasAnnexC(generation)) throw new Error('the request has no org-iso-mdoc half')
  return deviceRequestHash(query, await transcriptOf(generation))
}

/** Returns the private key of the half. */
export async function openAnnexCKey(
  config: Config,
  { verification_id }: SessionDocument,
  { number, annex_c: { x, y, sealed_key } }: AnnexCGeneration,
): Promise<PrivateJwk> {
  const d = await openSecret(config, { verificationId: verification_id, place: keyPlace(number) }, sealed_key)
  return { kty: 'EC', crv: 'P-256', x, y, d }
}

/** Returns true if the generation has this half. */
export function hasAnnexC(generation: StoredGeneration): generation is AnnexCGeneration {
  return generation.annex_c !== undefined && generation.origin !== undefined
}

const keyPlace = (number: number) => `annex-c-key/${number}`
