// Reader authentication (ISO/IEC 18013-5 §9.1.4). The signatures cover the requested items and the session,
// and tell a wallet who makes the request. The session transcript covers the origin, so a page of another
// origin cannot use the signatures.

import { embedCbor, encodeCbor } from '../codec/cbor-encode.ts'
import { signCoseSign1 } from '../crypto/cose.ts'
import type { PrivateJwk } from '../crypto/jwk.ts'

/** A reader certificate and its key. `chain`: DER, leaf first, without the root. */
export type Reader = {
  readonly signingJwk: Required<PrivateJwk>
  readonly chain: readonly [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]]
}

/** The encoded parts of a request that are covered by a signature over the whole request. */
type RequestParts = {
  readonly items: readonly Uint8Array<ArrayBuffer>[]
  readonly info: Uint8Array<ArrayBuffer> | null
}

/** Signs `readerAuth` of one document request. */
export function signReaderAuth(
  { signingJwk, chain }: Reader,
  transcript: Uint8Array<ArrayBuffer>,
  itemsRequest: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const payload = ['ReaderAuthentication', { encoded: transcript }, { encoded: itemsRequest }]
  return signCoseSign1(embedCbor(encodeCbor(payload)), signingJwk, chain)
}

/** Signs one entry of `readerAuthAll`. */
export function signReaderAuthAll(
  { signingJwk, chain }: Reader,
  transcript: Uint8Array<ArrayBuffer>,
  parts: RequestParts,
): Promise<Uint8Array<ArrayBuffer>> {
  return signCoseSign1(readerAuthenticationAll(transcript, parts), signingJwk, chain)
}

/** Returns ReaderAuthenticationAllBytes. */
export function readerAuthenticationAll(
  transcript: Uint8Array<ArrayBuffer>,
  { items, info }: RequestParts,
): Uint8Array<ArrayBuffer> {
  return embedCbor(
    encodeCbor([
      'ReaderAuthenticationAll',
      { encoded: transcript },
      items.map((encoded) => ({ encoded })),
      info && { encoded: info },
    ]),
  )
}
