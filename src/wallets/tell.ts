// The results of all wallets for a request, before a person tries one of them.

import { lowerRequest } from './lower.ts'
import type { Finding, OriginalRequest } from './lowering.ts'
import type { WalletProfile } from './profile.ts'
import { WALLET_PROFILES } from './profiles/index.ts'

/** The result of one wallet. */
export type WalletResult = {
  /** Id of its profile. */
  readonly id: string
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  /** Members that the request for this wallet lacks or has changed. Absent: none. */
  readonly left_out?: readonly Finding[]
  /** Why it cannot answer, or the members that no public source is about. Absent: none. */
  readonly reasons?: readonly Finding[]
}

/**
 * Returns the result of each wallet, in the order of the profiles. Relying parties repeat few requests, so
 * the last results are kept.
 */
export function tellWallets(original: OriginalRequest): readonly WalletResult[] {
  // The contents of transactions change nothing, and are not kept.
  const key = JSON.stringify({ ...original, transaction_data: original.transaction_data?.length })
  const known = results.get(key)
  if (known !== undefined) return known
  const told = WALLET_PROFILES.map((profile) => resultOf(profile, original))
  const [oldest] = results.keys()
  if (oldest !== undefined && results.size >= MAXIMUM_RESULTS) results.delete(oldest)
  results.set(key, told)
  return told
}

/** Results by request. They depend on nothing else. */
const results = new Map<string, readonly WalletResult[]>()
const MAXIMUM_RESULTS = 64

/** Findings of one wallet. An own query may cause hundreds. */
const MAXIMUM_FINDINGS = 10

function resultOf(profile: WalletProfile, original: OriginalRequest): WalletResult {
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
