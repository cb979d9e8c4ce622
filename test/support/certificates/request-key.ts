// A wallet's key to which the service encrypts a Request Object (OpenID4VP 1.0 §5.10). Each fetch has another
// key.

import { isDeepStrictEqual } from 'node:util'
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose'

export type RequestKey = {
  /** Members of `wallet_metadata` that request it. */
  readonly metadata: {
    readonly jwks: object
    readonly request_object_encryption_alg_values_supported: readonly string[]
    readonly request_object_encryption_enc_values_supported: readonly string[]
  }
  /**
   * Returns the signed Request Object inside the encrypted one. Throws if it is not encrypted as requested.
   */
  readonly open: (jwe: string) => Promise<string>
}

export async function makeRequestKey(enc: string): Promise<RequestKey> {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'request-key', use: 'enc', alg: 'ECDH-ES' }
  const open = async (jwe: string) => {
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey)
    const { epk: _, ...told } = protectedHeader
    const asked = { alg: 'ECDH-ES', enc, kid: 'request-key', cty: 'JWT', typ: 'oauth-authz-req+jwt' }
    if (!isDeepStrictEqual(told, asked)) throw new Error(`encrypted under ${JSON.stringify(told)}`)
    return new TextDecoder().decode(plaintext)
  }
  return {
    metadata: {
      jwks: { keys: [jwk] },
      request_object_encryption_alg_values_supported: ['ECDH-ES'],
      request_object_encryption_enc_values_supported: [enc],
    },
    open,
  }
}
