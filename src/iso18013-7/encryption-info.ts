// EncryptionInfo of ISO/IEC TS 18013-7 Annex C. This text has the nonce of one request, and the key that the
// response is encrypted to. The device's proof covers the text. The session stores only nonce and key, and
// the text is built again for the verification. So the same nonce and key must always give the same text.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts'
import { encodeCbor } from '../codec/cbor-encode.ts'
import { buildCoseKey } from '../crypto/cose.ts'

/** Bytes of a nonce. Annex C requires 16 or more. */
export const NONCE_BYTES = 32

/** Nonce and public key (P-256) of one request, all base64url. */
export type RequestKey = { readonly nonce: string; readonly x: string; readonly y: string }

/** Returns the text of `encryptionInfo` (base64url). */
export function buildEncryptionInfo({ nonce, x, y }: RequestKey): string {
  return encodeBase64url(
    encodeCbor([
      'dcapi',
      {
        map: [
          ['nonce', decodeBytes(nonce)],
          ['recipientPublicKey', buildCoseKey({ x: decodeBytes(x), y: decodeBytes(y) })],
        ],
      },
    ]),
  )
}

function decodeBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64url(text)
  if (bytes === undefined) throw new Error('a member of a request key is not base64url')
  return bytes
}
