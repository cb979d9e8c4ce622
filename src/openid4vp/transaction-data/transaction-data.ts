// `transaction_data` (OpenID4VP 1.0 §5.1, §8.4): transactions that a person confirms, as objects and as the
// texts for wallets. A wallet signs a hash of the text, so each text is built once and stored.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { decodeUtf8, utf8 } from '../../codec/bytes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../codec/json.ts'
import type { HashName } from '../../crypto/digest.ts'
import type { ConfirmedTransactionData, TransactionData } from '../../formats/verification/format.ts'

/** Members of every type. */
export type TransactionDataParameters = {
  readonly type: string
  readonly credential_ids: readonly string[]
  readonly transaction_data_hashes_alg?: readonly HashName[]
}

/** A transaction as an object, before it is encoded: common members, and the members of its type. */
export type TransactionDataObject = TransactionDataParameters & JsonObject

/** One transaction data text and the credential queries whose credentials may confirm it. */
export type RequestedTransactionData = TransactionData & { readonly credentialIds: readonly string[] }

/** Encodes a transaction as the text for the wallet. */
export function encodeTransactionData(object: TransactionDataObject): string {
  return encodeBase64url(utf8(JSON.stringify(object)))
}

/** Decodes a text of `encodeTransactionData`. Throws for a text that is not JSON in base64url. */
export function decodeTransactionData(encoded: string): TransactionDataObject {
  const bytes = decodeBase64url(encoded)
  // The shape is known, because only `encodeTransactionData` writes these texts.
  return JSON.parse((bytes && decodeUtf8(bytes)) ?? '') as TransactionDataObject
}

/** Decodes the texts of a request, for the verification of its response. */
export function decodeRequestedTransactions(
  texts: readonly string[] = [],
): readonly RequestedTransactionData[] {
  return texts.map((encoded, index) => {
    const { credential_ids, transaction_data_hashes_alg: hashAlgorithms } = decodeTransactionData(encoded)
    return {
      index,
      encoded,
      credentialIds: credential_ids,
      ...(hashAlgorithms === undefined ? {} : { hashAlgorithms }),
    }
  })
}

/** Details of one transaction, for display. A wallet signs them together with the common members. */
export type TransactionDetails = {
  readonly type: string
  readonly details: readonly {
    /** Names of the members that lead to the value. Each element of a list has the path of the list. */
    readonly path: readonly string[]
    readonly value: string | number | boolean
  }[]
}

/** Returns the details of each transaction in a request. `texts`: `transaction_data` of the request. */
export function decodeDetails(texts: readonly string[] = []): readonly TransactionDetails[] {
  return texts.map((encoded) => {
    const { type, credential_ids, transaction_data_hashes_alg, ...members } = decodeTransactionData(encoded)
    return { type, details: collectLeaves(members as JsonObject, []) } // the rest of a JSON object
  })
}

function collectLeaves(value: Json, path: readonly string[]): TransactionDetails['details'] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => collectLeaves(item, path))
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, item]) => collectLeaves(item, [...path, name]))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [{ path, value }]
    : []
}

/** Returns a refusal unless exactly one credential confirms each transaction (§5.1). */
export function confirmationRefusal(
  requested: readonly TransactionData[],
  credentials: readonly { readonly transaction_data?: readonly ConfirmedTransactionData[] }[],
): 'transaction_data_missing' | 'transaction_data_mismatch' | undefined {
  const confirmed = credentials.flatMap(({ transaction_data = [] }) => transaction_data)
  const counts = requested.map(({ index }) => confirmed.filter((one) => one.index === index).length)
  if (counts.includes(0)) return 'transaction_data_missing'
  return counts.some((count) => count > 1) ? 'transaction_data_mismatch' : undefined
}
