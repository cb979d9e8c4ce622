// Links that open wallets, by environment. A link is a scheme or the start of an address.

import type { ProtocolId } from '../openid4vp/request/generation.ts'
import { linksOf } from './lower-exchange.ts'
import type { WalletProfile } from './profile.ts'
import { WALLET_PROFILES } from './profiles/index.ts'

/** Links by their name in `wallet_links`: the scheme, or the id of the wallet that an address opens. */
export type NamedLinks = Readonly<Record<string, string>>

/** The environment of a session. */
type Environment = { readonly livemode: boolean }

/** Scheme of every QR code for any wallet. Every wallet of OpenID4VP should support it (§13.1.2). */
const DEFAULT_SCHEME = 'openid4vp'

/** Returns the links of one wallet. */
export function linksOfWallet(profile: WalletProfile, environment: Environment): NamedLinks {
  return Object.fromEntries(
    linksOf(profile, environment).map((link) => [link.includes(':') ? profile.id : link, link]),
  )
}

/** Returns the links of every wallet that supports a protocol. The default scheme is the first. */
export function linksOfProtocol(protocol: ProtocolId, environment: Environment): NamedLinks {
  const schemes = [DEFAULT_SCHEME, ...(STANDARD_SCHEMES[protocol] ?? [])]
  const profiles = WALLET_PROFILES.filter(({ protocols }) => protocols.includes(protocol))
  return Object.assign(
    Object.fromEntries(schemes.map((scheme) => [scheme, scheme])),
    ...profiles.map((profile) => linksOfWallet(profile, environment)),
  )
}

/** Schemes that a standard names beside the default one: HAIP 1.0 §5.1, ISO/IEC TS 18013-7 Annex B. */
const STANDARD_SCHEMES: Partial<Readonly<Record<ProtocolId, readonly string[]>>> = {
  'haip-1.0': ['haip-vp'],
  'openid4vp-draft18': ['mdoc-openid4vp'],
}
