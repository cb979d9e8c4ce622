// DCQL support of two kinds of wallets. Most profiles copy one of the two, and override members that differ.

import type { WalletProfile } from './profile.ts'

/** DCQL support of a wallet that no public source describes. */
export const UNKNOWN = makeDcql('unknown', 'unknown')
/** DCQL support of a wallet that supports every member. */
export const SUPPORTED = makeDcql('yes', 'none')

function makeDcql(support: 'yes' | 'unknown', without_claims: 'none' | 'unknown'): WalletProfile['dcql'] {
  return {
    several_queries: support,
    credential_sets: support,
    claim_sets: support,
    values: support,
    null_path: support,
    index_path: support,
    intent_to_retain: support,
    multiple: support,
    trusted_authorities: support,
    require_cryptographic_holder_binding: support,
    without_claims,
  }
}
