// `transaction_data` (OpenID4VP 1.0 §5.1, §8.4): what a person is asked to confirm, as objects and as the texts that wallets are
// sent. A wallet signs the text, so it is made once and kept.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { decodeUtf8, utf8 } from '../../codec/bytes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../codec/json.ts'
import type { HashName } from '../../crypto/digest.ts'
import type { ConfirmedTransactionData, TransactionData } from '../../formats/format.ts'

/** What every type has. */
export type TransactionDataParameters = {
  readonly type: string
  readonly credential_ids: readonly string[]
  readonly transaction_data_hashes_alg?: readonly HashName[]
}

/** What is in one text: these, and the members of its type. */
export type TransactionDataObject = TransactionDataParameters & JsonObject

/** One text, and the credential queries whose credentials may confirm it. */
export type RequestedTransactionData = TransactionData & { readonly credentialIds: readonly string[] }

/** The text of one object. */
export function encodeTransactionData(object: TransactionDataObject): string {
  return encodeBase64url(utf8(JSON.stringify(object)))
}

/** The object of a text that `encodeTransactionData` made. Throws for any other. */
export function decodeTransactionData(encoded: string): TransactionDataObject {
  const bytes = decodeBase64url(encoded)
  return JSON.parse((bytes && decodeUtf8(bytes)) ?? '') as TransactionDataObject // written by this module alone
}

/** The texts of a request, as its answer is verified against them. */
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

/** Everything that one text says, for those who put it into words: nothing is signed that is not in here. */
export type TransactionDetails = {
  readonly type: string
  readonly details: readonly {
    /** Names on the way; elements of a list have that of the list. */
    readonly path: readonly string[]
    readonly value: string | number | boolean
  }[]
}

/** The details of the texts of a request. */
export function detailsOf(texts: readonly string[] = []): readonly TransactionDetails[] {
  return texts.map((encoded) => {
    const { type, credential_ids, transaction_data_hashes_alg, ...members } = decodeTransactionData(encoded)
    return { type, details: leavesOf(members as JsonObject, []) } // what is left of a JSON object
  })
}

function leavesOf(value: Json, path: readonly string[]): TransactionDetails['details'] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => leavesOf(item, path))
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...path, name]))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [{ path, value }]
    : []
}

/** The request parameter, where there is something to confirm. */
export function transactionDataParameter(input: {
  readonly transactionData?: readonly string[] | undefined
}): JsonObject {
  return input.transactionData === undefined ? {} : { transaction_data: input.transactionData }
}

/** §5.1: each is confirmed by one credential and by no second one. */
export function confirmationRefusal(
  asked: readonly TransactionData[],
  credentials: readonly { readonly transaction_data?: readonly ConfirmedTransactionData[] }[],
): 'transaction_data_missing' | 'transaction_data_mismatch' | undefined {
  const confirmed = credentials.flatMap(({ transaction_data = [] }) => transaction_data)
  const counts = asked.map(({ index }) => confirmed.filter((one) => one.index === index).length)
  if (counts.includes(0)) return 'transaction_data_missing'
  return counts.some((count) => count > 1) ? 'transaction_data_mismatch' : undefined
}
