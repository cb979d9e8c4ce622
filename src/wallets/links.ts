// Links that open wallets, by environment. A link is a scheme or the start of an address.

import type { ClientIdPrefix } from '../openid4vp/request/client-identifier.ts'
import type { ProtocolId } from '../openid4vp/request/generation.ts'
import { DEFAULT_SCHEME, linksOf, passingOf } from './lower-exchange.ts'
import { WALLET_PROFILES } from './profiles/index.ts'
import type { WalletProfile } from './profiles/profile.ts'

/** Links by their name in `wallet_links`: the scheme, or the id of the wallet that an address opens. */
export type NamedLinks = Readonly<Record<string, string>>

/** The environment of a session. */
type Environment = { readonly livemode: boolean }

/** Returns the links of one wallet. */
export function linksOfWallet(profile: WalletProfile, environment: Environment): NamedLinks {
  return Object.fromEntries(
    linksOf(profile, environment).map((link) => [link.includes(':') ? profile.id : link, link]),
  )
}

/**
 * Returns the links of every wallet that supports a protocol and a Client Identifier Prefix. The default
 * scheme is the first.
 */
export function linksOfProtocol(
  { protocol, prefix }: { readonly protocol: ProtocolId; readonly prefix: ClientIdPrefix | null },
  environment: Environment,
): NamedLinks {
  const profiles = WALLET_PROFILES.filter(
    (one) => one.protocols.includes(protocol) && (prefix === null || passingOf(one, prefix) !== undefined),
  )
  return Object.assign(
    { [DEFAULT_SCHEME]: DEFAULT_SCHEME },
    ...profiles.map((profile) => linksOfWallet(profile, environment)),
  )
}
