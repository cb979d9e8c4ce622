// The SessionTranscript of OpenID4VP 1.0 B.2.6, and of ISO/IEC TS 18013-7 B.4.4 before it: our own request, hashed into what the
// device signs. Nonce, audience, response URI and the key the answer was encrypted to are all compared by this and by nothing else.

import { type CborValue, encodeCbor } from '../../codec/cbor-encode.ts'
import { sha256 } from '../../crypto/digest.ts'
import { jwkThumbprint } from '../../crypto/jwk.ts'
import type { Handover, RequestBinding } from '../format.ts'

/** Builds the encoded SessionTranscript of our request; `undefined` where the wallet left out its part of it. */
export async function buildSessionTranscript({
  audience,
  nonce,
  handover,
}: Pick<RequestBinding, 'audience' | 'nonce' | 'handover'>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const key = handover.encryptionKey
  const thumbprint = key === null ? null : await jwkThumbprint(key)
  switch (handover.kind) {
    case 'redirect':
      return transcriptOf('OpenID4VPHandover', [audience, nonce, thumbprint, handover.responseUri])
    case 'iso_18013_7':
      return isoTranscript(audience, nonce, handover)
    case 'dc_api':
      return transcriptOf('OpenID4VPDCAPIHandover', [handover.origin, nonce, thumbprint])
  }
}

/** B.4.4: each of the two hashes is salted with the nonce that the wallet made. */
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

async function transcriptOf(name: string, info: readonly CborValue[]): Promise<Uint8Array<ArrayBuffer>> {
  return encodeCbor([null, null, [name, await sha256(encodeCbor(info))]])
}
