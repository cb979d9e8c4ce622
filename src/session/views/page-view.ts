// Content of the hosted page (api/page): the requested claims, the chosen wallet, and the wallets that can
// answer.

import { mapPageTexts } from '../../api/page-texts.ts'
import type { Env } from '../../env.ts'
import { type DcApiProtocol, ISO_MDOC } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { decodeDetails } from '../../openid4vp/transaction-data/transaction-data.ts'
import { requestedClaims } from '../../policy/requested-claims.ts'
import { ok } from '../../result.ts'
import { lowerRequest } from '../../wallets/lower.ts'
import { WALLET_PROFILES } from '../../wallets/profiles/index.ts'
import { type SessionDocument, toStage } from '../document/document.ts'
import { endFamily } from '../document/refusal-family.ts'
import { withDefaults } from '../document/stored-request.ts'
import { activityView } from '../document/wallet-activity.ts'
import { returnAddresses } from '../end/return-address.ts'
import { chooseWallet } from '../request/chosen-wallet.ts'
import { type CreateInput, emptySession } from '../request/creation.ts'
import { loadOriginal, type Requester, type RequestingSession } from '../request/lowered-wallet.ts'
import { type RequestTerms, sessionTerms, walletTerms } from '../request/terms.ts'
import { listExchanges } from '../response/exchanges.ts'
import type { SessionContext } from '../store/context.ts'

/** Wallet that the page offers. `isKnown`: false if no public source says if the wallet can answer. */
export type OfferedWallet = {
  readonly id: string
  readonly isKnown: boolean
  /**
   * False if the wallet has no link. Then only the Digital Credentials API reaches the wallet, by one of
   * `exchanges`.
   */
  readonly hasLink: boolean
  readonly exchanges: readonly DcApiProtocol[]
}

/**
 * Request for the page. `named`: the id of a wallet, `any`, or null for the wallet that the create request
 * chose. A wallet that cannot answer is ignored. `mayLower`: true if the request may be adapted (lowered) to
 * a new wallet. False if the limit of new requests is reached: then only wallets that were chosen before are
 * used.
 */
export type PageRequest = { readonly named: string | null; readonly mayLower: boolean }

/** Returns the content of the page. `now` in Unix milliseconds. */
export async function readPage(
  context: Pick<SessionContext, 'env'>,
  document: SessionDocument,
  { named, mayLower }: PageRequest,
  now: number,
) {
  if (document.status !== 'pending') return pageView(document, sessionTerms(document))
  const chosen = mayLower
    ? await chooseWallet(context, document, named, now)
    : ok(document.wallets?.find(({ id }) => id === (named ?? document.request.wallet)) ?? null)
  const wallet = chosen.ok ? chosen.value : null
  const terms = wallet === null ? sessionTerms(document) : walletTerms(document, wallet)
  return pageView(document, terms)
}

/** Returns the content of the page of a login that has no session yet. */
export function previewPage(
  env: Env,
  creation: CreateInput,
  verificationId: string,
  page: PageRequest,
  now: number,
): Promise<PageView> {
  return readPage({ env }, emptySession(creation, verificationId, now), page, now)
}

/**
 * Returns the wallets that a page offers; none after the end of the session. `requester` has the settings of
 * the relying party.
 */
export async function offeredWallets(
  { requesting }: Pick<PageView, 'requesting'>,
  requester: Requester,
): Promise<readonly OfferedWallet[]> {
  if (requesting === null) return []
  const session = JSON.parse(requesting) as RequestingSession // written below
  const original = await loadOriginal(session, requester)
  return WALLET_PROFILES.flatMap((profile) => {
    const lowering = lowerRequest(profile, original)
    if (lowering.outcome === 'cannot') return []
    const { link, dc_api_protocols: exchanges } = lowering.request
    return [{ id: profile.id, isKnown: lowering.outcome !== 'unknown', hasLink: link !== null, exchanges }]
  })
}

/** Returns the content of the page. Times are Unix milliseconds. */
function pageView(document: SessionDocument, terms: RequestTerms) {
  const { status, version, expires_at, relying_party_id, livemode } = document
  const request = withDefaults(document.request)
  const { locale, required_session_binding, return_automatically } = request
  const { login } = document
  const keepsEvidence = document.request.evidence === true
  const state = { status, stage: toStage(document), version, expires_at, relying_party_id, livemode }
  const exchanges = listExchanges(terms)
  return {
    ...state,
    login: login === undefined ? null : { client: login.client_name, redirect_uri: login.redirect_uri },
    requested_claims: requestedClaims(document.policy),
    transactions: decodeDetails(request.transaction_data),
    wallet_activity: activityView(document),
    locale,
    ...mapPageTexts((name) => request[name]),
    required_session_binding,
    intended_use: request.intended_use,
    /** Return addresses, by the status in which the session ends; null without a `return_url`. */
    return_addresses: returnAddresses(document),
    return_automatically,
    family: endFamily(document),
    retention_ms: document.retention_ms,
    /** True if the relying party keeps the response as evidence. Evidence has every value of the response. */
    keeps_evidence: keepsEvidence,
    /** True if the relying party gets claim values other than `true` and `false`. */
    gives_values:
      keepsEvidence ||
      (request.claims_encryption_jwk !== null && !document.policy.descriptors.every(isBoolean)),
    /** True if the service stores values, encrypted to their receiver. */
    keeps_values: keepsEvidence || request.claims_encryption_jwk !== null || login !== undefined,
    /** True if the relying party declared that it does not intend to store the values. */
    states_no_storage: document.request.intent_to_retain === false,
    /** True if signed requests of the session contain the registration of the relying party. */
    sends_registration: REGISTERED_PROTOCOLS.includes(terms.request.protocol),
    /** Id of the chosen wallet; null for any wallet. */
    wallet: terms.wallet?.id ?? null,
    /** JSON text of the input of `offeredWallets`; null after the end. */
    requesting: status === 'pending' ? requestingText(document) : null,
    offers_dc_api: exchanges.length > 0,
    /** Exchange protocols that one call of the Digital Credentials API on this device can use. */
    dc_api_exchanges: exchanges,
    dc_api_protocols: nearbyFamilies(terms, exchanges),
    offers_redirect: PROTOCOLS[terms.request.protocol].supportsRedirect && terms.wallet?.link !== null,
  }
}

/** Protocols whose signed requests have `verifier_info` (api/verifier). */
const REGISTERED_PROTOCOLS: readonly string[] = ['openid4vp-1.0', 'haip-1.0']

/** Returns true if every claim of a credential has the value `true` or `false`. */
function isBoolean({ scopes }: SessionDocument['policy']['descriptors'][number]): boolean {
  return scopes.length > 0 && scopes.every(({ boolean }) => boolean)
}

function requestingText({ policy, livemode, request }: SessionDocument): string {
  const { protocol, request_options, transaction_data, preset } = request
  const { required_assurance_level, required_session_binding } = request
  const limits = { preset, required_assurance_level, required_session_binding }
  const session = { policy, livemode, request: { protocol, request_options, transaction_data, ...limits } }
  return JSON.stringify(session)
}

export type PageView = Awaited<ReturnType<typeof readPage>>

/**
 * Returns the families of exchange protocols for a phone nearby. One call can use only one family. If only
 * mdocs are requested and `org-iso-mdoc` is offered, only `org-iso-mdoc` is used: it reaches every phone.
 */
function nearbyFamilies(
  { query }: RequestTerms,
  exchanges: readonly DcApiProtocol[],
): readonly ('openid4vp' | 'org-iso-mdoc')[] {
  const others = exchanges.filter((id) => id !== ISO_MDOC)
  if (!exchanges.includes(ISO_MDOC)) return others.length === 0 ? [] : ['openid4vp']
  const isMdocOnly = query.credentials.every(({ format }) => format === 'mso_mdoc')
  return isMdocOnly || others.length === 0 ? ['org-iso-mdoc'] : ['openid4vp', 'org-iso-mdoc']
}
