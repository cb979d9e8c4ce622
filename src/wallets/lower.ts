// Lowering: makes the request that one wallet can answer from a request for any wallet. A response that
// satisfies the lowered request satisfies the original one. The lowered request asks for nothing more.

import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import {
  decodeTransactionData,
  encodeTransactionData,
} from '../openid4vp/transaction-data/transaction-data.ts'
import { lowerExchange } from './lower-exchange.ts'
import { lowerQuery } from './lower-query.ts'
import type { Finding, Lowering, OriginalRequest } from './lowering.ts'
import type { WalletProfile } from './profile.ts'

/** Lowers a request for a wallet. Pure, and defined for every profile and request. */
export function lowerRequest(profile: WalletProfile, original: OriginalRequest): Lowering {
  const query = lowerQuery(profile, original.policy)
  const exchange = lowerExchange(profile, original, query.ok ? query.value.value : original.policy.query)
  const missing = missingRequirements(profile, original)
  if (!query.ok || !exchange.ok || missing.length > 0) {
    const errors = [query, exchange].flatMap((result) => (result.ok ? [] : result.error))
    return { outcome: 'cannot', reasons: [...errors, ...missing] }
  }
  const left_out = [...query.value.left_out, ...exchange.value.left_out]
  const unknown = [...query.value.unknown, ...exchange.value.unknown]
  const transaction_data = lowerTransactions(query.value.value, original.transaction_data)
  const changed = left_out.length > 0 ? 'lowered' : 'works'
  return {
    outcome: unknown.length > 0 ? 'unknown' : changed,
    request: {
      protocol: original.protocol,
      query: query.value.value,
      ...(transaction_data && { transaction_data }),
      ...exchange.value.value,
    },
    left_out,
    unknown,
  }
}

/** They concern who asks, so the findings point to the Client Identifier. */
function missingRequirements(
  { requires = [] }: WalletProfile,
  { lacking }: OriginalRequest,
): readonly Finding[] {
  return requires
    .filter((one) => lacking?.includes(one))
    .map((one) => ({ member: '/client_id', why: `${one}_needed` }))
}

/** §5.1: a transaction names credential queries of its request only. Other texts stay as they are. */
function lowerTransactions(
  { credentials }: DcqlQuery,
  texts: readonly string[] | undefined,
): readonly string[] | undefined {
  return texts?.map((text) => {
    const object = decodeTransactionData(text)
    const credential_ids = object.credential_ids.filter((id) => credentials.some((query) => query.id === id))
    if (credential_ids.length === object.credential_ids.length) return text
    return encodeTransactionData({ ...object, credential_ids })
  })
}
