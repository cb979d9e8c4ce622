// Seals a container for the relying party: a JWE in general JSON serialisation (RFC 7516 §7.2.1). Each key
// is a recipient, and each key alone can open the container.

import { GeneralEncrypt } from 'jose'
import type { JsonObject } from '../../codec/json.ts'

/** A public key to which evidence is sealed: EC P-256 or P-384, or RSA of 2048 bits and more. */
export type SealingKey = { readonly kid: string } & (
  | { readonly kty: 'EC'; readonly crv: 'P-256' | 'P-384'; readonly x: string; readonly y: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
)

/** A sealed container: the member `sealed` of the envelope. */
export type SealedContainer = {
  readonly protected: string
  readonly iv: string
  readonly ciphertext: string
  readonly tag: string
  readonly recipients: readonly { readonly header: JsonObject; readonly encrypted_key: string }[]
}

const ALGORITHMS = { EC: 'ECDH-ES+A256KW', RSA: 'RSA-OAEP-256' } as const

/**
 * Seals a container for one, two or three keys (`enc` A256GCM). Rejects if WebCrypto does not accept a key:
 * evidence that cannot be sealed must not be stored.
 */
export async function sealContainer(zip: Uint8Array, keys: readonly SealingKey[]): Promise<SealedContainer> {
  const jwe = new GeneralEncrypt(zip).setProtectedHeader({ enc: 'A256GCM', cty: 'application/zip' })
  for (const { kid, ...key } of keys) {
    const recipient = jwe.addRecipient(await importKey(key))
    recipient.setUnprotectedHeader({ alg: ALGORITHMS[key.kty], kid })
  }
  const { protected: header, iv, ciphertext, tag, recipients } = await jwe.encrypt()
  if (header === undefined || iv === undefined || tag === undefined) throw new Error('the JWE is incomplete')
  return {
    protected: header,
    iv,
    ciphertext,
    tag,
    recipients: recipients.map(({ header = {}, encrypted_key }) => {
      if (encrypted_key === undefined) throw new Error('a recipient of the JWE has no encrypted key')
      return { header: JSON.parse(JSON.stringify(header)) as JsonObject, encrypted_key }
    }),
  }
}

function importKey(key: Omit<SealingKey, 'kid'> & { readonly kty: 'EC' | 'RSA' }): Promise<CryptoKey> {
  const jwk = { ...key } as JsonWebKey
  return jwk.kty === 'RSA'
    ? crypto.subtle.importKey('jwk', jwk, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['encrypt'])
    : crypto.subtle.importKey('jwk', jwk, { name: 'ECDH', namedCurve: jwk.crv ?? '' }, false, [])
}
