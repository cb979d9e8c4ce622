// Lowering: makes the request that one wallet can answer from a request for any wallet. A response that
// satisfies the lowered request satisfies the original one. The lowered request asks for nothing more.

import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import { decodeTransactionData } from '../openid4vp/transaction-data/transaction-data.ts'
import { lowerExchange } from './lower-exchange.ts'
import { lowerQuery } from './lower-query.ts'
import type { Finding, Lowering, OriginalRequest } from './lowering.ts'
import type { WalletProfile } from './profiles/profile.ts'

/** Lowers a request for a wallet. Pure, and defined for every profile and request. */
export function lowerRequest(profile: WalletProfile, original: OriginalRequest): Lowering {
  const query = lowerQuery(profile, original.policy)
  const exchange = lowerExchange(profile, original, query.ok ? query.value.value : original.policy.query)
  const others = [
    ...missingRequirements(profile, original),
    ...(query.ok ? changedTransactions(query.value.value, original) : []),
  ]
  if (!query.ok || !exchange.ok || others.length > 0) {
    const errors = [query, exchange].flatMap((result) => (result.ok ? [] : result.error))
    return { outcome: 'cannot', reasons: [...errors, ...others] }
  }
  const left_out = [...query.value.left_out, ...exchange.value.left_out]
  const unknown = [...query.value.unknown, ...exchange.value.unknown]
  const changed = left_out.length > 0 ? 'lowered' : 'works'
  return {
    outcome: unknown.length > 0 ? 'unknown' : changed,
    request: { protocol: original.protocol, query: query.value.value, ...exchange.value.value },
    left_out,
    unknown,
  }
}

/** These requirements concern the verifier, so the findings point to the Client Identifier. */
function missingRequirements(
  { requires = [] }: WalletProfile,
  { lacking }: OriginalRequest,
): readonly Finding[] {
  return requires
    .filter((one) => lacking?.includes(one))
    .map((one) => ({ member: '/client_id', why: `${one}_needed` }))
}

/**
 * §5.1: a transaction names credential queries of its request only. Another text would have to be made for a
 * request without one of these queries, and the person would approve what the relying party did not send.
 */
function changedTransactions(
  { credentials }: DcqlQuery,
  { transaction_data = [] }: OriginalRequest,
): readonly Finding[] {
  return transaction_data.flatMap((text, i): readonly Finding[] => {
    const { credential_ids } = decodeTransactionData(text)
    const isWhole = credential_ids.every((id) => credentials.some((query) => query.id === id))
    return isWhole ? [] : [{ member: `/transaction_data/${i}`, why: 'credential_not_asked' }]
  })
}
