// Transaction data of a create request (api/transactions): builds the texts for wallets from the objects in
// the body.

import type { CreateRequest } from '../../../api/requests.ts'
import type { JsonObject } from '../../../codec/json.ts'
import { requestError } from '../../../exchange/requested-policy.ts'
import { FORMATS } from '../../../formats/index.ts'
import type { Protocol } from '../../../openid4vp/protocols/protocol.ts'
import { encodeTransactionData } from '../../../openid4vp/transaction-data/transaction-data.ts'
import {
  type AddedTransactionDataType,
  findTransactionDataType,
} from '../../../openid4vp/transaction-data/transaction-data-types.ts'
import {
  placeTransactionData,
  type RequestedTransaction,
  TRANSACTION_ERRORS,
} from '../../../policy/place-transaction-data.ts'
import type { Policy } from '../../../policy/policy.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type FieldError, type RequestError, unsatisfiable } from '../../edge/problems.ts'
import { partErrors } from '../../edge/validate.ts'

/** Builds the transaction data as texts for wallets; undefined if the body has no transaction data. */
export function requestedTransactions(
  { transaction_data: sent }: CreateRequest,
  { transaction_data_types: addedTypes }: Settings,
  { policy, protocol }: { readonly policy: Policy; readonly protocol: Protocol },
): Result<readonly string[] | undefined, RequestError> {
  if (sent === undefined) return ok(undefined)
  if (!protocol.supportsTransactionData) {
    const message = 'must be absent: this protocol has no transaction data'
    return err(unsatisfiable({ pointer: '/transaction_data', code: 'not_in_protocol', message }))
  }
  const requested: RequestedTransaction[] = []
  const errors: FieldError[] = []
  for (const [i, object] of sent.entries()) {
    const read = readObject(object, ['transaction_data', String(i)], addedTypes)
    if (read.ok) requested.push(read.value)
    else errors.push(...read.error)
  }
  if (errors.length > 0) return err({ code: 'invalid_request', errors })
  const placed = placeTransactionData(requested, policy.query, FORMATS)
  if (placed.ok) return ok(placed.value.map(encodeTransactionData))
  return err(requestError(placed.error, TRANSACTION_ERRORS, '/transaction_data'))
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
    const message = 'must be a built-in type of transaction data, or a type that your settings define'
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
