// EMacKey (ISO/IEC 18013-5 §9.1.3.5): the MAC key, derived from our private key, the device's public key and
// the session transcript.

import { utf8 } from '../../codec/bytes.ts'
import { embedCbor } from '../../codec/cbor-encode.ts'
import { sha256 } from '../../crypto/digest.ts'
import { importAgreementKey, type PrivateJwk, type PublicJwk } from '../../crypto/jwk.ts'

const ECDH = { name: 'ECDH', namedCurve: 'P-256' } as const

/** Derives the 32 bytes of EMacKey; `undefined` if one of the keys is not on P-256. */
export async function deriveMacKey(
  privateKey: PrivateJwk,
  deviceKey: PublicJwk,
  transcript: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (deviceKey.crv !== ECDH.namedCurve || privateKey.crv !== ECDH.namedCurve) return undefined
  const ownKey = await crypto.subtle.importKey('jwk', agreementKey(privateKey), ECDH, false, ['deriveBits'])
  const device = await importAgreementKey(deviceKey)
  if (device === undefined) return undefined
  // The standard and the runtime call this member `public`. The TypeScript types of Workers call it
  // `$public`.
  const agreement = { name: 'ECDH', public: device }
  const agreed = await crypto.subtle.deriveBits(agreement, ownKey, 256)
  const material = await crypto.subtle.importKey('raw', agreed, 'HKDF', false, ['deriveBits'])
  const salt = await sha256(embedCbor(transcript))
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt, info: utf8('EMacKey') }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, 256))
}

/** Returns the key parameters only, because WebCrypto would also apply `use`, `alg` and `key_ops`. */
function agreementKey({ kty, crv, x, y, d }: PrivateJwk): JsonWebKey {
  return { kty, crv, x, y, d } as JsonWebKey // absent members stay absent for WebCrypto
}
