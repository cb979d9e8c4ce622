// Builds the SessionTranscript of OpenID4VP 1.0 B.2.6 and of ISO/IEC TS 18013-7 B.4.4 and Annex C. The
// transcript covers values of our request. The device signs the transcript, or authenticates it with a MAC.
// Only this proof binds the response to our nonce, audience, response URI and encryption key.

import { type CborValue, encodeCbor } from '../../codec/cbor-encode.ts'
import { sha256 } from '../../crypto/digest.ts'
import { jwkThumbprint } from '../../crypto/jwk.ts'
import type { Handover, RequestBinding } from '../verification/format.ts'

/**
 * Builds the encoded SessionTranscript of our request. Returns `undefined` if the protocol needs a nonce of
 * the wallet (B.4.4), and this nonce is missing.
 */
export async function buildSessionTranscript({
  audience,
  nonce,
  handover,
}: Pick<RequestBinding, 'audience' | 'nonce' | 'handover'>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const key = handover.encryptionKey
  const thumbprint = key === null ? null : await jwkThumbprint(key)
  switch (handover.kind) {
    case 'redirect':
      return encodeTranscript('OpenID4VPHandover', [audience, nonce, thumbprint, handover.responseUri])
    case 'iso_18013_7':
      return isoTranscript(audience, nonce, handover)
    case 'dc_api':
      return encodeTranscript('OpenID4VPDCAPIHandover', [handover.origin, nonce, thumbprint])
    case 'iso_dc_api':
      return buildDcApiTranscript(handover)
  }
}

/**
 * Builds the SessionTranscript of Annex C. The transcript has a hash over the origin and the sent encryption
 * information, which contains the nonce and the key.
 */
export function buildDcApiTranscript({
  encryptionInfo,
  origin,
}: {
  readonly encryptionInfo: string
  readonly origin: string
}): Promise<Uint8Array<ArrayBuffer>> {
  return encodeTranscript('dcapi', [encryptionInfo, origin])
}

/**
 * Builds the SessionTranscript of B.4.4. The wallet's nonce is the salt of both hashes. Returns `undefined`
 * if that nonce is missing.
 */
async function isoTranscript(
  clientId: string,
  nonce: string,
  { responseUri, mdocGeneratedNonce: salt }: Handover & { kind: 'iso_18013_7' },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (salt === null) return undefined
  const clientIdHash = await sha256(encodeCbor([clientId, salt]))
  const responseUriHash = await sha256(encodeCbor([responseUri, salt]))
  return encodeCbor([null, null, [clientIdHash, responseUriHash, nonce]])
}

async function encodeTranscript(name: string, info: readonly CborValue[]): Promise<Uint8Array<ArrayBuffer>> {
  return encodeCbor([null, null, [name, await sha256(encodeCbor(info))]])
}
