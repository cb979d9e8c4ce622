// The results of all wallets for a request, before a person tries one of them.

import { encodeQueryValue } from '../openid4vp/request/authorization-request.ts'
import { decodeTransactionData } from '../openid4vp/transaction-data/transaction-data.ts'
import { lowerRequest } from './lower.ts'
import type { Finding, OriginalRequest } from './lowering.ts'
import { WALLET_PROFILES } from './profiles/index.ts'
import type { WalletProfile } from './profiles/profile.ts'

/** The result of one wallet. */
export type WalletResult = {
  /** Id of its profile. */
  readonly id: string
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  /** Members that the request for this wallet lacks or has changed, or that it ignores. Absent: none. */
  readonly left_out?: readonly Finding[]
  /** Why the wallet cannot answer, or the members that no public source is about. Absent: none. */
  readonly reasons?: readonly Finding[]
}

/**
 * Returns the result of each wallet, in the order of the profiles. Relying parties repeat few requests, so
 * the last results are cached.
 */
export function walletResults(original: OriginalRequest): readonly WalletResult[] {
  const key = JSON.stringify(original, withoutContents)
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const results = WALLET_PROFILES.map((profile) => toResult(profile, original))
  const [oldest] = cache.keys()
  if (oldest !== undefined && cache.size >= MAXIMUM_RESULTS) cache.delete(oldest)
  cache.set(key, results)
  return results
}

/** Results by request. They depend on nothing else. */
const cache = new Map<string, readonly WalletResult[]>()
const MAXIMUM_RESULTS = 64

/**
 * Leaves out what can be about a person: transactions, and `values` of a query. Their lengths in
 * a URI, and the ids in transactions, can change a result.
 */
function withoutContents(name: string, value: unknown): unknown {
  if (name === 'values') return encodeQueryValue(JSON.stringify(value)).length
  if (name !== 'transaction_data') return value
  const texts = value as OriginalRequest['transaction_data']
  return texts?.map((text) => [text.length, decodeTransactionData(text).credential_ids])
}

/** Limit of findings of one wallet. A relying party's own query may cause hundreds of findings. */
const MAXIMUM_FINDINGS = 10

function toResult(profile: WalletProfile, original: OriginalRequest): WalletResult {
  const { id } = profile
  const lowering = lowerRequest(profile, original)
  const { outcome: result } = lowering
  if (lowering.outcome === 'cannot') return { id, result, reasons: summary(lowering.reasons) }
  const { left_out, unknown } = lowering
  return {
    id,
    result,
    ...(left_out.length > 0 && { left_out: summary(left_out) }),
    ...(unknown.length > 0 && { reasons: summary(unknown) }),
  }
}

/** Returns the first of findings that differ in the number of the claim only, ten at most. */
function summary(findings: readonly Finding[]): readonly Finding[] {
  const places = findings.map(({ member, why }) => `${member.replace(/\/claims\/\d+/, '/claims')} ${why}`)
  return findings.filter((_, i) => places.indexOf(places[i] ?? '') === i).slice(0, MAXIMUM_FINDINGS)
}
