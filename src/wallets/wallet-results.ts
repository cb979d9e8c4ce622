// Computes the expected result of every wallet for a request, before a person uses a wallet.

import { ISO_MDOC } from '../openid4vp/dc-api.ts'
import { encodeQueryValue } from '../openid4vp/request/authorization-request.ts'
import { decodeTransactionData } from '../openid4vp/transaction-data/transaction-data.ts'
import { lowerRequest } from './lower.ts'
import type { Finding, Lowering, OriginalRequest } from './lowering.ts'
import { WALLET_PROFILES } from './profiles/index.ts'
import type { WalletProfile } from './profiles/profile.ts'

/** Expected result of one wallet. */
export type WalletResult = {
  /** Id of the wallet profile. */
  readonly id: string
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  /**
   * Calls of the browser's API that the wallet answers. `any`: the wallet answers the call that is made for
   * any wallet, in each browser that passes the call on. `if_chosen`: it is certain only that the wallet
   * answers a call for this wallet. `no`: only a link reaches the wallet. Absent if `result` is `cannot`.
   */
  readonly browser?: 'any' | 'if_chosen' | 'no'
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
    browser: browserOf(profile, original, lowering),
    ...(left_out.length > 0 && { left_out: summary(left_out) }),
    ...(unknown.length > 0 && { reasons: summary(unknown) }),
  }
}

/**
 * Returns the calls that the wallet answers through the browser. If only mdocs are requested, one call has
 * the requests of OpenID4VP and of `org-iso-mdoc`. Some browsers then pass only `org-iso-mdoc` to wallets.
 */
function browserOf(
  { dc_api_call }: WalletProfile,
  { dc_api_protocols: offered, policy }: OriginalRequest,
  { request, left_out, outcome }: Exclude<Lowering, { readonly outcome: 'cannot' }>,
): NonNullable<WalletResult['browser']> {
  const { dc_api_protocols: own } = request
  if (own.length === 0) return 'no'
  const isOther = outcome === 'unknown' || left_out.some(({ member }) => member !== '/uri')
  const isOneCall =
    offered.length > 1 &&
    offered.includes(ISO_MDOC) &&
    policy.query.credentials.every(({ format }) => format === 'mso_mdoc')
  const isHidden = isOneCall && (!own.includes(ISO_MDOC) || dc_api_call === 'first')
  const isEnded = dc_api_call === 'no_multisigned' && offered.includes('openid4vp-v1-multisigned')
  return isOther || isHidden || isEnded ? 'if_chosen' : 'any'
}

/**
 * If several findings differ only in the index of the claim, keeps only the first of them. Returns ten
 * findings at most.
 */
function summary(findings: readonly Finding[]): readonly Finding[] {
  const places = findings.map(({ member, why }) => `${member.replace(/\/claims\/\d+/, '/claims')} ${why}`)
  return findings.filter((_, i) => places.indexOf(places[i] ?? '') === i).slice(0, MAXIMUM_FINDINGS)
}
