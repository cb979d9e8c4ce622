// Lowering turns a request for any wallet into a request that one wallet can answer. A response that
// satisfies the lowered request also satisfies the original request. The lowered request asks for nothing
// that the original request does not ask for.

import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import { decodeTransactionData } from '../openid4vp/transaction-data/transaction-data.ts'
import { lowerExchange } from './lower-exchange.ts'
import { lowerQuery } from './lower-query.ts'
import type { Finding, Lowering, OriginalRequest } from './lowering.ts'
import type { WalletProfile } from './profiles/profile.ts'

/**
 * Adapts a request to one wallet. This function is pure, and returns a result for every profile and request.
 */
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

/**
 * Returns a finding for each requirement of the wallet that the settings do not meet. The requirements
 * concern the verifier, so the findings point to the Client Identifier.
 */
function missingRequirements(
  { requires = [] }: WalletProfile,
  { lacking }: OriginalRequest,
): readonly Finding[] {
  return requires
    .filter((one) => lacking?.includes(one))
    .map((one) => ({ member: '/client_id', why: `${one}_needed` }))
}

/**
 * Returns one finding for each transaction that names a credential query which the lowered request leaves
 * out. A transaction may name only credential queries of its own request (§5.1). The id of the query cannot
 * be removed, because the person must approve the text that the relying party sent.
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
