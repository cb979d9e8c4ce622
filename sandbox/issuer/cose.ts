// COSE_Sign1 with ES256 (RFC 9052 §4.4), as the sandbox issuer and its holders sign.

import { decodeBase64 } from '../../src/codec/base64url.ts'
import { type Cbor, cbor } from './cbor.ts'
import type { PrivateKey } from './identities.ts'
import { signBytes } from './sign.ts'

type Header = ReadonlyMap<number, Cbor>

export type CoseOptions = {
  /** Protected members. They may replace the algorithm. */
  readonly header?: Header
  readonly unprotected?: Header
  /** Signs the payload without sending it. */
  readonly detached?: boolean
}

const ALG = 1
const ES256 = -7

/** Signs a payload. */
export async function signCose(
  payload: Uint8Array<ArrayBuffer>,
  key: PrivateKey,
  { header = new Map(), unprotected = new Map(), detached = false }: CoseOptions,
): Promise<Cbor> {
  const protectedHeader = cbor(new Map<number, Cbor>([[ALG, ES256], ...header]))
  const signed = cbor(['Signature1', protectedHeader, new Uint8Array(), payload])
  return [protectedHeader, unprotected, detached ? null : payload, await signBytes(signed, key)]
}

/** DER of a certificate. Empty for malformed base64. */
export function certificateBytes(certificate: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(certificate) ?? new Uint8Array()
}
