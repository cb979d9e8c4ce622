// Computes the expected result of every wallet for a request, before a person uses a wallet.

import { encodeQueryValue } from '../openid4vp/request/authorization-request.ts'
import { decodeTransactionData } from '../openid4vp/transaction-data/transaction-data.ts'
import { lowerRequest } from './lower.ts'
import type { Finding, OriginalRequest } from './lowering.ts'
import { WALLET_PROFILES } from './profiles/index.ts'
import type { WalletProfile } from './profiles/profile.ts'

/** Expected result of one wallet. */
export type WalletResult = {
  /** Id of the wallet profile. */
  readonly id: string
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  /**
   * Members of the original request that are absent or different in the request for this wallet, or that
   * the wallet ignores. Absent: none.
   */
  readonly left_out?: readonly Finding[]
  /**
   * Reasons why the wallet cannot answer. For `unknown`: the members whose support no public source states.
   * Absent: none.
   */
  readonly reasons?: readonly Finding[]
}

/**
 * Returns the result of each wallet, in the order of the profiles. The newest results are cached, because
 * relying parties repeat the same few requests.
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

/** Cache of results by request. The results depend on the request only. */
const cache = new Map<string, readonly WalletResult[]>()
const MAXIMUM_RESULTS = 64

/**
 * Replaces contents of the cache key that can be about a person: transactions, and `values` of a query. Keeps
 * their lengths, and the `credential_ids` of transactions, because these can change a result.
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

/**
 * If several findings differ only in the index of the claim, keeps only the first of them. Returns ten
 * findings at most.
 */
function summary(findings: readonly Finding[]): readonly Finding[] {
  const places = findings.map(({ member, why }) => `${member.replace(/\/claims\/\d+/, '/claims')} ${why}`)
  return findings.filter((_, i) => places.indexOf(places[i] ?? '') === i).slice(0, MAXIMUM_FINDINGS)
}
