// The request that is lowered for one wallet (CONTRACT 3), and the identity that signs it.

import type { Config } from '../../config.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import type { VerifierIdentity } from '../../openid4vp/request/generation.ts'
import type { Settings } from '../../relying-party/settings/settings.ts'
import { usablePrefixes } from '../../relying-party/verifier/usable-prefixes.ts'
import { verifierIdentity } from '../../relying-party/verifier/verifier-identity.ts'
import { lackingRequirements } from '../../relying-party/verifier/wallet-requirements.ts'
import { err, ok, type Result } from '../../result.ts'
import { linksOfWallet } from '../../wallets/links.ts'
import { lowerRequest } from '../../wallets/lower.ts'
import type { Finding, LoweredRequest, OriginalRequest } from '../../wallets/lowering.ts'
import { originalRequest } from '../../wallets/original-request.ts'
import type { WalletProfile } from '../../wallets/profile.ts'
import type { SessionDocument, StoredRequest, StoredWallet } from '../document.ts'
import { pinIdentity } from './generation-keys.ts'

/** The session that a request is lowered for. */
export type RequestingSession = Pick<SessionDocument, 'policy' | 'livemode'> & {
  readonly request: Pick<
    StoredRequest,
    'protocol' | 'request_options' | 'transaction_data' | 'preset' | 'required_assurance_level'
  >
}

/** The relying party, and the life of the session in Unix seconds. */
export type Requester = {
  readonly config: Config
  readonly settings: Settings
  readonly now: number
  readonly expiresAt: number
}

/** A wallet with its lowered request. `identity`: absent where the request has that of the session. */
export type ChosenWallet = Omit<StoredWallet, 'verifier'> & { readonly identity?: VerifierIdentity | null }

/** Lowers the request for a wallet. The error has what the wallet cannot answer, by member. */
export async function lowerFor(
  profile: WalletProfile,
  session: RequestingSession,
  requester: Requester,
): Promise<Result<ChosenWallet, readonly Finding[]>> {
  const lowering = lowerRequest(profile, originalOf(session, requester))
  if (lowering.outcome === 'cannot') return err(lowering.reasons)
  const { query, transaction_data, link, dc_api_protocols, ...lowered } = lowering.request
  const { client_id_prefix, response_mode, request_uri_method } = lowered
  const wallet = {
    id: profile.id,
    query,
    ...(transaction_data && { transaction_data }),
    request_options: { client_id_prefix, response_mode, request_uri_method },
    link,
    links: link === null ? {} : linksOfWallet(profile, session),
    dc_api_protocols,
  }
  if (isSessionIdentity(session, lowering.request)) return ok(wallet)
  const identity = await identityOf(session, lowering.request, requester)
  return identity === undefined ? err([NOT_AVAILABLE]) : ok({ ...wallet, identity })
}

/** The identity cannot be used any more since the request was lowered. */
const NOT_AVAILABLE: Finding = { member: '/client_id', why: 'not_available' }

/** Seals the identity of a chosen wallet's requests for its session. */
export async function pinWallet(
  config: Config,
  verificationId: string,
  { identity, ...wallet }: ChosenWallet,
): Promise<StoredWallet> {
  if (identity === undefined) return wallet
  return { ...wallet, verifier: await pinIdentity(config, verificationId, identity) }
}

/** Returns the request as lowering needs it: what is asked, and what the relying party can use beside it. */
export function originalOf(
  { policy, request, livemode }: RequestingSession,
  requester: Requester,
): OriginalRequest {
  const { config, settings } = requester
  return originalRequest(
    { policy, livemode, ...request },
    {
      prefixes: usablePrefixes(config, settings, requester),
      by_value: settings.by_value,
      eu_age_verification: settings.eu_age_verification === true,
      has_root: settings.verifier?.root_certificate_pem !== undefined,
      lacking: lackingRequirements(
        settings,
        settings.verifier?.certificate_chain_pem ?? config.verifier.certificateChainPem,
      ),
    },
  )
}

function isSessionIdentity({ request }: RequestingSession, lowered: LoweredRequest): boolean {
  const { client_id_prefix } = lowered
  const isSame = client_id_prefix === request.request_options.client_id_prefix
  return client_id_prefix === null || (isSame && !lowered.include_root)
}

/** Returns the identity for the lowered request, null for an unsigned one; `undefined` if there is none. */
async function identityOf(
  { request }: RequestingSession,
  { client_id_prefix: prefix, include_root: includeRoot }: LoweredRequest,
  { config, settings, now, expiresAt }: Requester,
): Promise<VerifierIdentity | null | undefined> {
  if (prefix === null) return undefined
  const identity = await verifierIdentity(config, settings, { prefix, now, expiresAt, includeRoot })
  if (!identity.ok) return undefined
  const { writeClientId } = PROTOCOLS[request.protocol]
  return identity.value && { ...identity.value, clientId: writeClientId(identity.value.clientId) }
}
