// `client_metadata` of a request (OpenID4VP 1.0 §5.1, §11.1): the formats of the query and, for an encrypted
// response, one key and the content encryptions. Members that do not fit the response mode are left out,
// because wallets reject such members.

import type { JsonObject } from '../../codec/json.ts'
import type { CredentialFormat } from '../../formats/verification/format.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import { CONTENT_ENCRYPTIONS, KEY_AGREEMENT } from '../response/response-encryption.ts'
import type { ResponseMode } from '../response/response-mode.ts'
import type { Generation } from './generation.ts'

/** Data of one request, from which `client_metadata` is built. */
export type ClientMetadataInput = {
  readonly query: DcqlQuery
  readonly formats: Readonly<Record<string, Pick<CredentialFormat, 'metadata'>>>
  readonly responseMode: ResponseMode
  readonly generation: Pick<Generation, 'kid' | 'encryptionPublicJwk'>
}

/** Builds `client_metadata`. Throws for an unregistered format. No policy has such a format. */
export function buildClientMetadata(input: ClientMetadataInput): JsonObject {
  const vp_formats_supported = buildFormats(input)
  if (input.responseMode === 'direct_post') return { vp_formats_supported }
  return {
    vp_formats_supported,
    jwks: { keys: [encryptionKey(input.generation)] },
    // HAIP 1.0 §5: both content encryptions are listed.
    encrypted_response_enc_values_supported: CONTENT_ENCRYPTIONS,
  }
}

/**
 * Returns the public encryption key of one request. §8.3: `alg` is required, and the JWE must repeat `kid`.
 */
export function encryptionKey({
  kid,
  encryptionPublicJwk,
}: Pick<Generation, 'kid' | 'encryptionPublicJwk'>): JsonObject {
  const { kty, crv, x, y = '' } = encryptionPublicJwk
  return { kty, crv, x, y, kid, use: 'enc', alg: KEY_AGREEMENT }
}

function buildFormats({ query, formats }: ClientMetadataInput): JsonObject {
  const ids = [...new Set(query.credentials.map(({ format }) => format))]
  return Object.fromEntries(
    ids.map((id) => {
      const format = Object.hasOwn(formats, id) ? formats[id] : undefined
      if (format === undefined) throw new Error(`the query requests ${id}, which is not a registered format`)
      return [id, format.metadata]
    }),
  )
}
