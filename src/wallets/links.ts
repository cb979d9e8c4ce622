// Links that open wallets, in live mode or in test mode. A link is a scheme or the start of an address.

import type { ClientIdPrefix } from '../openid4vp/request/client-identifier.ts'
import type { ProtocolId } from '../openid4vp/request/generation.ts'
import { buildLinks, choosePassing, DEFAULT_SCHEME } from './lower-exchange.ts'
import { WALLET_PROFILES } from './profiles/index.ts'
import type { WalletProfile } from './profiles/profile.ts'

/**
 * Links by their name in `wallet_links`. If the link is a scheme, the name is the scheme. If the link is an
 * address, the name is the id of the wallet that the address opens.
 */
export type NamedLinks = Readonly<Record<string, string>>

/** Mode of a session: live or test. */
type Environment = { readonly livemode: boolean }

/** Returns the links of one wallet. */
export function linksOfWallet(profile: WalletProfile, environment: Environment): NamedLinks {
  return Object.fromEntries(
    buildLinks(profile, environment).map((link) => [link.includes(':') ? profile.id : link, link]),
  )
}

/**
 * Returns the links of every wallet that supports the protocol and the Client Identifier Prefix. If the
 * prefix is null, the wallet needs to support only the protocol. A wallet that needs `iss` in the request has
 * no link. The default scheme comes first.
 */
export function linksOfProtocol(
  { protocol, prefix }: { readonly protocol: ProtocolId; readonly prefix: ClientIdPrefix | null },
  environment: Environment,
): NamedLinks {
  const profiles = WALLET_PROFILES.filter(
    (one) =>
      one.protocols.includes(protocol) &&
      one.names_issuer !== true && // such a wallet refuses a request that is not made for it
      (prefix === null || choosePassing(one, prefix) !== undefined),
  )
  return Object.assign(
    { [DEFAULT_SCHEME]: DEFAULT_SCHEME },
    ...profiles.map((profile) => linksOfWallet(profile, environment)),
  )
}
