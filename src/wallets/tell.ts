// Says for each wallet if it can answer a request, before a person tries.

import { lowerRequest } from './lower.ts'
import type { Finding, OriginalRequest } from './lowering.ts'
import type { WalletProfile } from './profile.ts'

/** The result of one wallet. */
export type WalletResult = {
  readonly id: string
  readonly name: string
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  /** Members that the request for this wallet lacks or has changed. */
  readonly left_out?: readonly Finding[]
  /** Why it cannot answer, or what nothing public says. */
  readonly reasons?: readonly Finding[]
}

/** Returns the result of each wallet, in the order of the profiles. */
export function tellWallets(
  original: OriginalRequest,
  profiles: readonly WalletProfile[],
): readonly WalletResult[] {
  return profiles.map((profile) => {
    const { id, name } = profile
    const lowering = lowerRequest(profile, original)
    const { outcome: result } = lowering
    if (lowering.outcome === 'cannot') return { id, name, result, reasons: lowering.reasons }
    const { left_out, unknown } = lowering
    return {
      id,
      name,
      result,
      ...(left_out.length > 0 && { left_out }),
      ...(unknown.length > 0 && { reasons: unknown }),
    }
  })
}
