// The SessionTranscript of OpenID4VP 1.0 B.2.6: our own request, hashed into what the device signs. Nonce, audience, response
// URI and the key the answer was encrypted to are all compared by this and by nothing else.

import { type CborValue, encodeCbor } from '../../codec/cbor-encode.ts'
import { sha256 } from '../../crypto/digest.ts'
import { jwkThumbprint } from '../../crypto/jwk.ts'
import type { Expected } from '../format.ts'

/** Builds the encoded SessionTranscript of our request. */
export async function buildSessionTranscript({
  audience,
  nonce,
  handover,
}: Pick<Expected, 'audience' | 'nonce' | 'handover'>): Promise<Uint8Array<ArrayBuffer>> {
  const key = handover.encryptionKey
  const thumbprint = key === null ? null : await jwkThumbprint(key)
  switch (handover.kind) {
    case 'redirect':
      return transcriptOf('OpenID4VPHandover', [audience, nonce, thumbprint, handover.responseUri])
    case 'dc_api':
      return transcriptOf('OpenID4VPDCAPIHandover', [handover.origin, nonce, thumbprint])
  }
}

async function transcriptOf(name: string, info: readonly CborValue[]): Promise<Uint8Array<ArrayBuffer>> {
  return encodeCbor([null, null, [name, await sha256(encodeCbor(info))]])
}
