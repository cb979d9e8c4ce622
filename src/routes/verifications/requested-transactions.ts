// Transaction data of a creation (CONTRACT 2): from the objects of its body to the texts that wallets
// receive.

import type { JsonObject } from '../../codec/json.ts'
import { FORMATS } from '../../formats/index.ts'
import type { Protocol } from '../../openid4vp/protocols/protocol.ts'
import { encodeTransactionData } from '../../openid4vp/transaction-data/transaction-data.ts'
import {
  type AddedTransactionDataType,
  findTransactionDataType,
} from '../../openid4vp/transaction-data/transaction-data-types.ts'
import {
  placeTransactionData,
  type RequestedTransaction,
  TRANSACTION_ERRORS,
  type TransactionErrorCode,
} from '../../policy/place-transaction-data.ts'
import type { Policy } from '../../policy/policy.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../edge/problems.ts'
import { partErrors } from '../edge/validate.ts'
import type { PolicyProblem } from './requested-policy.ts'
import type { CreateRequest } from './schemas.ts'

/** Other parts of the session's request. */
export type AskedBy = {
  readonly policy: Policy
  readonly protocol: Protocol
  readonly addedTypes: readonly AddedTransactionDataType[]
}

/** Builds the texts; undefined where there is no transaction data. */
export function requestedTransactions(
  { transaction_data: sent }: CreateRequest,
  { policy, protocol, addedTypes }: AskedBy,
): Result<readonly string[] | undefined, PolicyProblem> {
  if (sent === undefined) return ok(undefined)
  if (!protocol.supportsTransactionData) {
    const error = {
      pointer: '/transaction_data',
      code: 'not_in_protocol',
      message: 'is not in this protocol',
    }
    return err({ code: 'policy_unsatisfiable', errors: [error] })
  }
  const asked: RequestedTransaction[] = []
  const errors: FieldError[] = []
  for (const [i, object] of sent.entries()) {
    const read = readObject(object, ['transaction_data', String(i)], addedTypes)
    if (read.ok) asked.push(read.value)
    else errors.push(...read.error)
  }
  if (errors.length > 0) return err({ code: 'invalid_request', errors })
  const placed = placeTransactionData(asked, policy.query, FORMATS)
  if (placed.ok) return ok(placed.value.map(encodeTransactionData))
  const [first] = placed.error
  return err({
    code: first === undefined ? 'invalid_request' : TRANSACTION_ERRORS[first.cause],
    errors: placed.error.map(({ cause, pointer }) => ({
      pointer: `/transaction_data${pointer}`,
      code: cause,
      message: MESSAGES[cause],
    })),
  })
}

type SentObject = NonNullable<CreateRequest['transaction_data']>[number]

/** Parses one object with the schema of its type. */
function readObject(
  object: SentObject,
  at: readonly string[],
  addedTypes: readonly AddedTransactionDataType[],
): Result<RequestedTransaction, readonly FieldError[]> {
  const { type: name, credential_ids, transaction_data_hashes_alg, ...members } = object
  const type = findTransactionDataType(name, addedTypes)
  if (type === undefined) {
    const message = 'is a type of transaction data that is neither built in nor added'
    return err([{ pointer: `/${at.join('/')}/type`, code: 'unknown_transaction_data_type', message }])
  }
  const errors = partErrors(type.schema, members as JsonObject, at) // the rest of a JSON object
  if (errors.length > 0) return err(errors)
  const hashes = transaction_data_hashes_alg ?? type.hashAlgorithms
  return ok({
    type: name,
    ...(credential_ids === undefined ? {} : { credential_ids }),
    ...(hashes === undefined ? {} : { transaction_data_hashes_alg: hashes }),
    members: members as JsonObject,
  })
}

const MESSAGES: Readonly<Record<TransactionErrorCode, string>> = {
  unknown_credential_query: 'is the id of no credential query, or stands there twice',
  repeated_transaction: 'is the same as another one',
  format_confirms_nothing: 'asks for a format that has no profile for transaction data: dc+sd-jwt has',
  holder_binding_waived: 'asks for a credential without holder binding',
  several_credentials: 'asks for several credentials, and one must confirm',
  nothing_confirms: 'can be confirmed by nothing that is asked for: dc+sd-jwt can',
  confirmation_avoidable: 'need not be confirmed to answer the query: ask for formats that can confirm',
  no_common_hash: 'have no transaction_data_hashes_alg in common',
}
