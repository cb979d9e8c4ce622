// Which credentials of a query may confirm each transaction (OpenID4VP 1.0 §5.1), and whether every answer to the query must
// confirm it: what could be left out would be confirmed by whoever likes to.

import type { JsonObject } from '../codec/json.ts'
import type { CredentialFormat } from '../formats/format.ts'
import type { CredentialQuery, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type {
  TransactionDataObject,
  TransactionDataParameters,
} from '../openid4vp/transaction-data/transaction-data.ts'
import { err, ok, type Result } from '../result.ts'

/** A transaction as it was asked for. */
export type RequestedTransaction = Omit<TransactionDataParameters, 'credential_ids'> & {
  /** Absent: every credential query whose credentials can confirm. */
  readonly credential_ids?: readonly string[]
  /** Those of its type. */
  readonly members: JsonObject
}

/** Why a transaction cannot be asked for. `pointer` (RFC 6901) is relative to the list. */
export type TransactionError = { readonly cause: TransactionErrorCode; readonly pointer: string }

/** Each cause, and the problem it is (CONTRACT 9). */
export const TRANSACTION_ERRORS = {
  unknown_credential_query: 'invalid_request',
  repeated_transaction: 'invalid_request',
  format_confirms_nothing: 'policy_unsatisfiable',
  holder_binding_waived: 'policy_unsatisfiable',
  several_credentials: 'policy_unsatisfiable',
  nothing_confirms: 'policy_unsatisfiable',
  confirmation_avoidable: 'policy_unsatisfiable',
  no_common_hash: 'policy_unsatisfiable',
} as const satisfies Readonly<Record<string, 'invalid_request' | 'policy_unsatisfiable'>>
export type TransactionErrorCode = keyof typeof TRANSACTION_ERRORS

type Formats = Readonly<Record<string, Pick<CredentialFormat, 'confirmsTransactionData'>>>

/** The transactions with the credentials that may confirm each. All faults of a refused list have the same status. */
export function placeTransactionData(
  asked: readonly RequestedTransaction[],
  query: DcqlQuery,
  formats: Formats,
): Result<readonly TransactionDataObject[], readonly TransactionError[]> {
  const placed = asked.map(({ members, ...parameters }): TransactionDataObject => {
    const credential_ids = parameters.credential_ids ?? eligible(query, formats)
    return { ...parameters, credential_ids, ...members }
  })
  const faults = [
    ...placed.flatMap((one, i) => [
      ...idFaults(one.credential_ids, query, formats).map((fault) => at(i, fault)),
      ...(isRepeated(placed, i) ? [at(i, { cause: 'repeated_transaction', pointer: '' })] : []),
    ]),
    ...(commonHash(asked) ? [] : [{ cause: 'no_common_hash' as const, pointer: '' }]),
  ]
  const names = faults.filter(({ cause }) => TRANSACTION_ERRORS[cause] === 'invalid_request')
  if (names.length > 0) return err(names)
  return faults.length > 0 ? err(faults) : ok(placed)
}

function at(index: number, { cause, pointer }: TransactionError): TransactionError {
  return { cause, pointer: `/${index}${pointer}` }
}

function eligible({ credentials }: DcqlQuery, formats: Formats): readonly string[] {
  return credentials.filter((query) => obstacle(query, formats) === undefined).map(({ id }) => id)
}

/** Why a credential query cannot bring a confirmation. */
function obstacle(query: CredentialQuery, formats: Formats): TransactionErrorCode | undefined {
  const format = Object.hasOwn(formats, query.format) ? formats[query.format] : undefined
  if (format?.confirmsTransactionData !== true) return 'format_confirms_nothing'
  if (query.require_cryptographic_holder_binding === false) return 'holder_binding_waived' // B.3.3
  // §5.1: one credential confirms, and here nobody could say which.
  return query.multiple === true ? 'several_credentials' : undefined
}

function idFaults(ids: readonly string[], query: DcqlQuery, formats: Formats): readonly TransactionError[] {
  if (ids.length === 0) return [{ cause: 'nothing_confirms', pointer: '' }]
  const faults = ids.flatMap((id, j): readonly TransactionError[] => {
    const credential = query.credentials.find((one) => one.id === id)
    const cause =
      credential === undefined || ids.indexOf(id) < j
        ? 'unknown_credential_query'
        : obstacle(credential, formats)
    return cause === undefined ? [] : [{ cause, pointer: `/credential_ids/${j}` }]
  })
  if (faults.length > 0 || isUnavoidable(ids, query)) return faults
  return [{ cause: 'confirmation_avoidable', pointer: '' }]
}

/** Some credential set that is required has one of these in each of its options; without sets every query is required (§6.4.2). */
function isUnavoidable(ids: readonly string[], { credential_sets }: DcqlQuery): boolean {
  if (credential_sets === undefined) return true
  return credential_sets.some(
    ({ options, required }) =>
      required !== false && options.every((option) => option.some((id) => ids.includes(id))),
  )
}

/** One hash must map to one transaction (B.3.3.1). */
function isRepeated(all: readonly TransactionDataObject[], index: number): boolean {
  const texts = all.map((one) => JSON.stringify(one))
  return texts.indexOf(texts[index] ?? '') < index
}

/** A KB-JWT names one hash for all that it confirms (B.3.3.1), and one credential may be the only one to confirm. */
function commonHash(asked: readonly RequestedTransaction[]): boolean {
  const lists: readonly (readonly string[])[] = asked.map(
    ({ transaction_data_hashes_alg }) => transaction_data_hashes_alg ?? DEFAULT,
  )
  return lists[0]?.some((name) => lists.every((list) => list.includes(name))) ?? true
}

const DEFAULT: readonly string[] = ['sha-256']
