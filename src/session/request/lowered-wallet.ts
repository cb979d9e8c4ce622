// Lowering of a request for one wallet (api/wallets): the request is adapted to the wallet's abilities. The
// identity that signs the lowered request is loaded, too.

import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { queryLanguage } from '../../openid4vp/protocols/protocol.ts'
import { redirectUriClientId } from '../../openid4vp/request/client-identifier.ts'
import type { Generation, VerifierIdentity } from '../../openid4vp/request/generation.ts'
import { ID_LENGTH } from '../../relying-party/document/identifier.ts'
import type { Settings } from '../../relying-party/document/settings.ts'
import { usablePrefixes } from '../../relying-party/verifier/usable-prefixes.ts'
import { googleIdentity, verifierIdentity } from '../../relying-party/verifier/verifier-identity.ts'
import { lackingRequirements } from '../../relying-party/verifier/wallet-requirements.ts'
import { err, ok, type Result } from '../../result.ts'
import { linksOfWallet } from '../../wallets/links.ts'
import { lowerRequest } from '../../wallets/lower.ts'
import type { Finding, LoweredRequest, OriginalRequest, ValueRequest } from '../../wallets/lowering.ts'
import { originalRequest } from '../../wallets/original-request.ts'
import type { WalletProfile } from '../../wallets/profiles/profile.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredRequest } from '../document/stored-request.ts'
import type { StoredWallet } from '../document/stored-verifier.ts'
import { pinIdentity } from './generation-keys.ts'
import { HANDLE_LENGTH } from './handles.ts'
import { callbackUrl, walletRequest } from './requests.ts'

/** Members of a session that the lowering of its request needs. */
export type RequestingSession = Pick<SessionDocument, 'policy' | 'livemode'> & {
  readonly request: Pick<
    StoredRequest,
    | 'protocol'
    | 'request_options'
    | 'transaction_data'
    | 'intended_use'
    | 'preset'
    | 'required_assurance_level'
    | 'required_session_binding'
  >
}

/**
 * Configuration, settings of the relying party, current time, and end of the session. Times are Unix seconds.
 */
export type Requester = {
  readonly config: Config
  readonly settings: Settings
  readonly now: number
  readonly expiresAt: number
}

/**
 * A wallet with its lowered request. `identity`: null for an unsigned request; absent if the request has the
 * identity of the session.
 */
export type ChosenWallet = Omit<StoredWallet, 'verifier'> & { readonly identity?: VerifierIdentity | null }

/** A session, and its request before the lowering, as `loadOriginal` returns it. */
export type Lowering = {
  readonly session: RequestingSession
  readonly requester: Requester
  readonly original: OriginalRequest
}

/**
 * Lowers the request for a wallet. The error lists the members of the request that the wallet cannot answer.
 */
export async function lowerFor(
  profile: WalletProfile,
  { session, requester, original }: Lowering,
): Promise<Result<ChosenWallet, readonly Finding[]>> {
  const lowering = lowerRequest(profile, original)
  if (lowering.outcome === 'cannot') return err(lowering.reasons)
  const { query, link, dc_api_protocols, include_root, names_issuer, ...lowered } = lowering.request
  const { client_id_prefix, response_mode, request_uri_method } = lowered
  const wallet = {
    id: profile.id,
    query,
    request_options: { client_id_prefix, response_mode, request_uri_method },
    link,
    links: link === null ? {} : linksOfWallet(profile, session),
    dc_api_protocols,
    ...(include_root && { include_root }),
    ...(names_issuer && { names_issuer }),
    ...(profile.omits_kid && { omits_kid: profile.omits_kid }),
  }
  const google = profile.requires?.includes('google_wallet')
    ? await googleIdentity(requester.config, requester.settings, {
        ...requester,
        use: session.request.intended_use,
      })
    : undefined
  if (google !== undefined) return ok({ ...wallet, identity: google })
  if (isSessionIdentity(session, lowering.request)) return ok(wallet)
  const identity = await loadIdentity(session, lowering.request, requester)
  return identity === undefined ? err([NOT_AVAILABLE]) : ok({ ...wallet, identity })
}

/**
 * Finding for an identity that cannot be loaded any more. The identity was still available when the request
 * was lowered.
 */
const NOT_AVAILABLE: Finding = { member: '/client_id', why: 'not_available' }

/**
 * Returns the stored form of a chosen wallet, with the sealed identity of its requests. If an earlier wallet
 * of the session has the same identity, the id of that wallet is stored instead of the identity.
 */
export async function pinWallet(
  config: Config,
  { verification_id, wallets = [] }: Pick<SessionDocument, 'verification_id' | 'wallets'>,
  { identity, ...wallet }: ChosenWallet,
): Promise<StoredWallet> {
  if (identity === undefined) return wallet
  const same = wallets.find((other) => hasSameIdentity(other, { identity, ...wallet }))
  if (same !== undefined) return { ...wallet, verifier: { of: same.id } }
  return { ...wallet, verifier: await pinIdentity(config, verification_id, identity) }
}

/** Returns true if a stored wallet has its own copy of the identity of a chosen wallet. */
function hasSameIdentity(
  { verifier, ...stored }: StoredWallet,
  { identity, ...chosen }: ChosenWallet,
): boolean {
  if (verifier === undefined || 'of' in verifier) return false
  const isSamePrefix = stored.request_options.client_id_prefix === chosen.request_options.client_id_prefix
  const isSameId = identity === null || verifier.client_id === identity?.clientId
  const isAsMany = (verifier.further?.length ?? 0) === (identity?.further?.length ?? 0)
  return isSamePrefix && isSameId && isAsMany && stored.include_root === chosen.include_root
}

/**
 * Returns the request before it is adapted to a wallet, with data about the settings, such as the Client
 * Identifier Prefixes that the relying party can use.
 */
export async function loadOriginal(
  session: RequestingSession,
  requester: Requester,
): Promise<OriginalRequest> {
  const { config, settings } = requester
  const { policy, request, livemode } = session
  return originalRequest(
    { policy, livemode, ...request },
    {
      prefixes: usablePrefixes(config, settings, requester),
      by_value: settings.by_value,
      eu_age_verification: settings.eu_age_verification === true,
      has_root: settings.verifier?.root_certificate_pem !== undefined,
      has_further: (settings.further_verifiers ?? []).length > 0,
      valueBytes: valueBytes(session, config.baseUrl),
      lacking: await lackingRequirements(settings, {
        ...config,
        chain: config.verifier.certificateChainPem,
        now: requester.now,
      }),
    },
  )
}

/**
 * Returns a function that computes the length of a request by value in bytes. The function builds the request
 * from sample values, which have the lengths of real values.
 */
export function valueBytes({ policy, livemode, request }: RequestingSession, baseUrl: string) {
  const verification_id = `v_${'0'.repeat(ID_LENGTH)}`
  const client_id = redirectUriClientId(callbackUrl({ verification_id }, baseUrl))
  const verifier = { client_id, sealed_signing_jwk: null }
  const session = { verification_id, livemode, created_at: 0, expires_at: 0, verifier }
  const language = queryLanguage(PROTOCOLS[request.protocol], policy)
  return ({ query, link, response_mode }: ValueRequest) => {
    const request_options = {
      client_id_prefix: 'redirect_uri',
      response_mode,
      request_uri_method: null,
    } as const
    const wallet = { id: '', query, request_options, link, links: {}, dc_api_protocols: [] }
    const terms = { ...session, language, query, request: { ...request, request_options }, wallet }
    return utf8(walletRequest(terms, SAMPLE, baseUrl).uri).length
  }
}

const HANDLE = '0'.repeat(HANDLE_LENGTH)
const COORDINATE = '0'.repeat(43)
const SAMPLE: Generation = {
  requestId: HANDLE,
  state: HANDLE,
  kid: HANDLE,
  nonce: '0'.repeat(32),
  encryptionPublicJwk: { kty: 'EC', crv: 'P-256', x: COORDINATE, y: COORDINATE },
  createdAt: 0,
}

function isSessionIdentity({ request }: RequestingSession, lowered: LoweredRequest): boolean {
  const { client_id_prefix } = lowered
  const isSame = client_id_prefix === request.request_options.client_id_prefix
  return client_id_prefix === null || (isSame && !lowered.include_root)
}

/**
 * Returns the identity for the lowered request, null for an unsigned request; `undefined` if there is no
 * identity.
 */
async function loadIdentity(
  { request }: RequestingSession,
  { client_id_prefix: prefix, include_root: includeRoot, dc_api_protocols }: LoweredRequest,
  { config, settings, now, expiresAt }: Requester,
): Promise<VerifierIdentity | null | undefined> {
  if (prefix === null) return undefined
  const { intended_use: use } = request
  const identity = await verifierIdentity(config, settings, { prefix, now, expiresAt, use, includeRoot })
  if (!identity.ok) return undefined
  if (identity.value === null) return null
  const { writeClientId } = PROTOCOLS[request.protocol]
  const { further, ...first } = identity.value
  const isMultiSigned = further !== undefined && dc_api_protocols.includes('openid4vp-v1-multisigned')
  return { ...first, clientId: writeClientId(first.clientId), ...(isMultiSigned && { further }) }
}
