// The SessionTranscript of OpenID4VP 1.0 B.2.6: our own request, hashed into what the device signs. Nonce, audience, response
// URI and the key the answer was encrypted to are all compared by this and by nothing else.

import { encodeCbor } from '../../codec/cbor-encode.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { Expected } from '../format.ts'

/**
 * Builds the encoded SessionTranscript of our request. An audience `origin:…` is the Digital Credentials API's: that prefix is
 * reserved, no Client Identifier of ours has it (§5.9.3). Throws where our own caller left out what the request said.
 */
export async function buildSessionTranscript(expected: Expected): Promise<Uint8Array<ArrayBuffer>> {
  const { audience, nonce, responseUri, encryptionKeyThumbprint: thumbprint } = expected
  if (thumbprint === undefined) throw new Error('an mdoc needs to know whether its answer was encrypted')
  if (audience.startsWith(ORIGIN)) {
    const origin = audience.slice(ORIGIN.length)
    return handover('OpenID4VPDCAPIHandover', encodeCbor([origin, nonce, thumbprint]))
  }
  if (responseUri === undefined) throw new Error('an mdoc needs the response URI of its request')
  return handover('OpenID4VPHandover', encodeCbor([audience, nonce, thumbprint, responseUri]))
}

const ORIGIN = 'origin:'

async function handover(name: string, info: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return encodeCbor([null, null, [name, await sha256(info)]])
}
