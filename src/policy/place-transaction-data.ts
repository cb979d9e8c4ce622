// Assigns to each transaction the credential queries that may confirm it (OpenID4VP 1.0 §5.1). Rejects a
// transaction that a response could leave unconfirmed, because then confirmation would be optional.

import type { JsonObject } from '../codec/json.ts'
import type { CredentialFormat } from '../formats/verification/format.ts'
import type { CredentialQuery, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type {
  TransactionDataObject,
  TransactionDataParameters,
} from '../openid4vp/transaction-data/transaction-data.ts'
import { err, ok, type Result } from '../result.ts'

/** A transaction as the relying party requests it. */
export type RequestedTransaction = Omit<TransactionDataParameters, 'credential_ids'> & {
  /**
   * Ids of the credential queries that may confirm the transaction. Absent: every query whose credentials can
   * confirm it.
   */
  readonly credential_ids?: readonly string[]
  /** Members that the type of the transaction defines. */
  readonly members: JsonObject
}

/**
 * Error codes of transactions, each with the code of the problem that the caller receives (api/errors).
 * request-messages.ts has the messages.
 */
export const TRANSACTION_ERRORS = {
  unknown_credential_query: 'invalid_request',
  repeated_transaction: 'invalid_request',
  format_confirms_nothing: 'policy_unsatisfiable',
  holder_binding_waived: 'policy_unsatisfiable',
  several_credentials: 'policy_unsatisfiable',
  nothing_confirms: 'policy_unsatisfiable',
  confirmation_avoidable: 'policy_unsatisfiable',
  no_common_hash: 'policy_unsatisfiable',
} as const
type TransactionErrorCode = keyof typeof TRANSACTION_ERRORS

/**
 * Reason why a transaction cannot be requested. `pointer` (RFC 6901) is relative to the list of transactions.
 */
type TransactionError = { readonly code: TransactionErrorCode; readonly pointer: string }

type Formats = Readonly<Record<string, Pick<CredentialFormat, 'confirmsTransactionData'>>>

/**
 * Returns each transaction with the ids of the credential queries that may confirm it. All returned errors
 * have the same problem code (`TRANSACTION_ERRORS`): if there are errors with `invalid_request`, only these
 * errors are returned.
 */
export function placeTransactionData(
  requested: readonly RequestedTransaction[],
  query: DcqlQuery,
  formats: Formats,
): Result<readonly TransactionDataObject[], readonly TransactionError[]> {
  const placed = requested.map(({ members, ...parameters }): TransactionDataObject => {
    const credential_ids = parameters.credential_ids ?? eligible(query, formats)
    return { ...parameters, credential_ids, ...members }
  })
  const errors = [
    ...placed.flatMap((one, i) => [
      ...idErrors(one.credential_ids, query, formats).map(({ code, pointer }) => ({
        code,
        pointer: `/${i}${pointer}`,
      })),
      ...(isRepeated(placed, i) ? [{ code: 'repeated_transaction' as const, pointer: `/${i}` }] : []),
    ]),
    ...(commonHash(requested) ? [] : [{ code: 'no_common_hash' as const, pointer: '' }]),
  ]
  const names = errors.filter(({ code }) => TRANSACTION_ERRORS[code] === 'invalid_request')
  if (names.length > 0) return err(names)
  return errors.length > 0 ? err(errors) : ok(placed)
}

function eligible({ credentials }: DcqlQuery, formats: Formats): readonly string[] {
  return credentials.filter((query) => obstacle(query, formats) === undefined).map(({ id }) => id)
}

/** Returns why a credential query cannot confirm a transaction; `undefined` if the query can confirm it. */
function obstacle(query: CredentialQuery, formats: Formats): TransactionErrorCode | undefined {
  const format = Object.hasOwn(formats, query.format) ? formats[query.format] : undefined
  if (format?.confirmsTransactionData !== true) return 'format_confirms_nothing'
  if (query.require_cryptographic_holder_binding === false) return 'holder_binding_waived' // B.3.3
  // §5.1: exactly one credential confirms. If the query allows several credentials, it is unclear which one
  // confirms.
  return query.multiple === true ? 'several_credentials' : undefined
}

function idErrors(ids: readonly string[], query: DcqlQuery, formats: Formats): readonly TransactionError[] {
  if (ids.length === 0) return [{ code: 'nothing_confirms', pointer: '' }]
  const errors = ids.flatMap((id, j): readonly TransactionError[] => {
    const credential = query.credentials.find((one) => one.id === id)
    const code =
      credential === undefined || ids.indexOf(id) < j
        ? 'unknown_credential_query'
        : obstacle(credential, formats)
    return code === undefined ? [] : [{ code, pointer: `/credential_ids/${j}` }]
  })
  if (errors.length > 0 || isUnavoidable(ids, query)) return errors
  return [{ code: 'confirmation_avoidable', pointer: '' }]
}

/**
 * Returns true if every response must have a presentation for one of these queries. Without credential sets,
 * every query is required (§6.4.2). With sets, one required set must have one of the ids in each option.
 */
function isUnavoidable(ids: readonly string[], { credential_sets }: DcqlQuery): boolean {
  if (credential_sets === undefined) return true
  return credential_sets.some(
    ({ options, required }) =>
      required !== false && options.every((option) => option.some((id) => ids.includes(id))),
  )
}

/** Returns true if an earlier transaction is equal. A hash must identify one transaction (B.3.3.1). */
function isRepeated(all: readonly TransactionDataObject[], index: number): boolean {
  const texts = all.map((one) => JSON.stringify(one))
  return texts.indexOf(texts[index] ?? '') < index
}

/**
 * Returns true if all transactions allow a common hash algorithm. A KB-JWT names one algorithm for all its
 * hashes (B.3.3.1), and one credential may have to confirm every transaction.
 */
function commonHash(requested: readonly RequestedTransaction[]): boolean {
  const lists: readonly (readonly string[])[] = requested.map(
    ({ transaction_data_hashes_alg }) => transaction_data_hashes_alg ?? DEFAULT,
  )
  return lists[0]?.some((name) => lists.every((list) => list.includes(name))) ?? true
}

const DEFAULT: readonly string[] = ['sha-256']
