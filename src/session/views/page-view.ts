// The content of the hosted page (api/page): who requests what, the chosen wallet, and the wallets that can
// answer.

import { mapPageTexts } from '../../api/page-texts.ts'
import { DC_API_PROTOCOLS, type DcApiProtocol, ISO_MDOC } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { detailsOf } from '../../openid4vp/transaction-data/transaction-data.ts'
import { requestedClaims } from '../../policy/requested-claims.ts'
import { ok } from '../../result.ts'
import { lowerRequest } from '../../wallets/lower.ts'
import { WALLET_PROFILES } from '../../wallets/profiles/index.ts'
import { type SessionDocument, stageOf } from '../document/document.ts'
import { withDefaults } from '../document/stored-request.ts'
import { activityView } from '../document/wallet-activity.ts'
import { requestedDocuments } from '../request/annex-c.ts'
import { chooseWallet } from '../request/chosen-wallet.ts'
import { loadOriginal, type Requester, type RequestingSession } from '../request/lowered-wallet.ts'
import { type RequestTerms, sessionTerms, walletTerms } from '../request/terms.ts'
import type { SessionContext } from '../store/context.ts'

/** A wallet that can answer the request, or for which public sources leave this open. */
export type OfferedWallet = {
  readonly id: string
  readonly isKnown: boolean
  /** False if only the browser's API reaches it, by one of `exchanges`. */
  readonly hasLink: boolean
  readonly exchanges: readonly DcApiProtocol[]
}

/**
 * The requested page. `named`: the id of a wallet, `any`, or null for the wallet of the creation. A wallet
 * that cannot answer is ignored. `mayLower`: false if the render limit is reached. Then a newly chosen wallet
 * is ignored, too.
 */
export type PageRequest = { readonly named: string | null; readonly mayLower: boolean }

/** Reads the page. `now` in Unix milliseconds. */
export async function readPage(
  context: SessionContext,
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

/** Returns the wallets of an open page. They depend on the settings, which the caller has. */
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
  const { locale, required_session_binding, return_url } = request
  const { login } = document
  const state = { status, stage: stageOf(document), version, expires_at, relying_party_id, livemode }
  const exchanges = listExchanges(terms)
  return {
    ...state,
    login: login === undefined ? null : { client: login.client_name, redirect_uri: login.redirect_uri },
    requested_claims: requestedClaims(document.policy),
    transactions: detailsOf(request.transaction_data),
    wallet_activity: activityView(document),
    locale,
    ...mapPageTexts((name) => request[name]),
    required_session_binding,
    return_url,
    /** Id of the chosen wallet; null for any wallet. */
    wallet: terms.wallet?.id ?? null,
    /** JSON text of what `offeredWallets` reads; null after the end. */
    requesting: status === 'pending' ? requestingText(document) : null,
    offers_dc_api: exchanges.length > 0,
    /** Exchange protocols of one call on this device. */
    dc_api_exchanges: exchanges,
    dc_api_protocols: nearbyFamilies(terms, exchanges),
    offers_redirect: PROTOCOLS[terms.request.protocol].supportsRedirect && terms.wallet?.link !== null,
  }
}

function requestingText({ policy, livemode, request }: SessionDocument): string {
  const { protocol, request_options, transaction_data, preset } = request
  const { required_assurance_level, required_session_binding } = request
  const limits = { preset, required_assurance_level, required_session_binding }
  const session = { policy, livemode, request: { protocol, request_options, transaction_data, ...limits } }
  return JSON.stringify(session)
}

export type PageView = Awaited<ReturnType<typeof readPage>>

function listExchanges(terms: RequestTerms): readonly DcApiProtocol[] {
  const { supportsDcApi, supportsRedirect } = PROTOCOLS[terms.request.protocol]
  if (!supportsDcApi) return []
  const hasDocuments = requestedDocuments(terms) !== undefined
  return DC_API_PROTOCOLS.filter((id) => (id === ISO_MDOC ? hasDocuments : supportsRedirect)).filter(
    (id) => terms.wallet?.dc_api_protocols.includes(id) ?? true,
  )
}

/**
 * Returns the families of exchange protocols for a phone nearby. One call can use one family only. If only
 * documents are requested, `org-iso-mdoc` alone reaches every phone.
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
