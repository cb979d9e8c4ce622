// Metadata that a wallet posts when it fetches a request (OpenID4VP 1.0 §5.10, §10). The metadata decides if
// this wallet receives the request, and if the request is encrypted. The metadata never changes the content
// of the request. So one wallet cannot change what other wallets are asked for.

import * as z from 'zod/mini'
import { parseJsonObject } from '../../codec/json.ts'
import { list, text } from '../../codec/schema.ts'
import { WALLET_METADATA } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import type { ResponseMode } from '../response/response-mode.ts'
import type { ClientIdPrefix } from './client-identifier.ts'
import { chooseRequestEncryption, type RequestEncryption } from './request-encryption.ts'
import { REQUEST_OBJECT_ALGORITHM } from './request-object.ts'

/** Capabilities of the wallet. Undefined: not stated. */
export type WalletMetadata = {
  readonly formats: readonly string[] | undefined
  readonly clientIdPrefixes: readonly string[] | undefined
  readonly signingAlgorithms: readonly string[] | undefined
  readonly responseModes: readonly string[] | undefined
  /** Encryption of the request; `undefined`: not requested, `unsupported`: no posted key can be used. */
  readonly encryption: RequestEncryption | 'unsupported' | undefined
}

/** Reason why this wallet cannot use a request. */
export type WalletMetadataRefusal =
  | 'client_id_prefix_not_supported'
  | 'signing_algorithm_not_supported'
  | 'response_mode_not_supported'
  | 'no_format_in_common'
  | 'request_encryption_not_possible'

/** Parses the posted text. Ignores unknown members (§5.10). Known members must have the form of §10. */
export function parseWalletMetadata(text: string): Result<WalletMetadata, 'invalid'> {
  const { characters, depth } = WALLET_METADATA
  const json = parseJsonObject(text, { length: characters, depth })
  const parsed = json.ok ? SCHEMA.safeParse(json.value) : undefined
  if (!parsed?.success) return err('invalid')
  const { data } = parsed
  return ok({
    formats: data.vp_formats_supported && Object.keys(data.vp_formats_supported),
    clientIdPrefixes: data.client_id_prefixes_supported,
    signingAlgorithms: data.request_object_signing_alg_values_supported,
    responseModes: data.response_modes_supported,
    encryption: chooseRequestEncryption({
      keys: data.jwks?.keys,
      algorithms: data.request_object_encryption_alg_values_supported,
      contentEncryptions: data.request_object_encryption_enc_values_supported,
    }),
  })
}

/**
 * Returns the reason why the wallet cannot use a request; `undefined` if the wallet can use the request. One
 * common format is enough, because the wallet decides which part of the query it can satisfy.
 */
export function checkWalletMetadata(
  wallet: WalletMetadata,
  request: {
    readonly clientIdPrefix: ClientIdPrefix
    readonly responseMode: ResponseMode
    readonly query: DcqlQuery
  },
): WalletMetadataRefusal | undefined {
  const formats = request.query.credentials.map(({ format }) => format)
  if (excludes(wallet.clientIdPrefixes, [request.clientIdPrefix])) return 'client_id_prefix_not_supported'
  if (excludes(wallet.signingAlgorithms, [REQUEST_OBJECT_ALGORITHM])) return 'signing_algorithm_not_supported'
  if (excludes(wallet.responseModes, [request.responseMode])) return 'response_mode_not_supported'
  if (excludes(wallet.formats, formats)) return 'no_format_in_common'
  return wallet.encryption === 'unsupported' ? 'request_encryption_not_possible' : undefined
}

function excludes(supported: readonly string[] | undefined, requested: readonly string[]): boolean {
  return supported !== undefined && !requested.some((one) => supported.includes(one))
}

const name = text(WALLET_METADATA.nameCharacters)
const names = z.optional(list(name, WALLET_METADATA.names))

const SCHEMA = z.object({
  vp_formats_supported: z.optional(z.record(name, z.unknown())),
  client_id_prefixes_supported: names,
  response_modes_supported: names,
  request_object_signing_alg_values_supported: names,
  request_object_encryption_alg_values_supported: names,
  request_object_encryption_enc_values_supported: names,
  jwks: z.optional(z.object({ keys: z.array(z.unknown()).check(z.maxLength(WALLET_METADATA.keys)) })),
})
