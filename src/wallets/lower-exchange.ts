// Chooses how the request reaches one wallet: link, Client Identifier, response mode, and exchange protocols
// of the Digital Credentials API.

import { REQUEST_BY_VALUE } from '../limits.ts'
import { ISO_MDOC } from '../openid4vp/dc-api.ts'
import { documentQuery } from '../openid4vp/dcql/document-query.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import { PROTOCOLS } from '../openid4vp/protocols/index.ts'
import type { ClientIdPrefix } from '../openid4vp/request/client-identifier.ts'
import type { ResponseMode } from '../openid4vp/response/response-mode.ts'
import { err, ok, type Result } from '../result.ts'
import type { Finding, Lowered, LoweredRequest, OriginalRequest } from './lowering.ts'
import type { WalletProfile } from './profiles/profile.ts'

/**
 * Scheme of QR codes and links that are not made for one wallet. Every OpenID4VP wallet should support this
 * scheme (§13.1.2).
 */
export const DEFAULT_SCHEME = 'openid4vp'

type Exchange = Omit<LoweredRequest, 'protocol' | 'query'>

/**
 * Chooses the exchange for the lowered query. Returns the reasons if the wallet cannot be reached, or cannot
 * confirm the transactions.
 */
export function lowerExchange(
  profile: WalletProfile,
  base: OriginalRequest,
  query: DcqlQuery,
): Result<Lowered<Exchange>, readonly Finding[]> {
  const original = withValue(profile, base)
  const transactions = original.transaction_data === undefined ? 'yes' : profile.transaction_data
  if (transactions === 'no') return err([{ member: '/transaction_data', why: 'not_supported' }])
  const unknown = unknownMembers(profile, original, transactions)
  const [link] = buildLinks(profile, original)
  const mode = original.response_modes.find((one) => profile.response_modes.includes(one))
  const refusal = valueRefusal(profile, original, { query, link, mode })
  const passed = original.client_id_prefixes.find((one) => {
    const passing = choosePassing(profile, one)
    return passing === 'value' ? refusal === undefined : passing !== undefined
  })
  const prefix = passed ?? signedPrefix(profile, original)
  const method = original.request_uri_methods.find((one) => profile.request_uri_methods.includes(one))
  const passing = passed && choosePassing(profile, passed)
  const dc_api_protocols = exchangeProtocols(profile, original, {
    query,
    prefix,
    hasMode: mode !== undefined,
  })
  const used = link === undefined ? prefix : passed
  const reasons = redirectErrors(profile, original, { link, prefix: used, mode, method, passing, refusal })
  if (reasons.length > 0 && dc_api_protocols.length === 0) return err(reasons)
  const redirect = reasons.length > 0 ? null : { link, passing, method: passing === 'value' ? null : method }
  const include_root = needsRoot(profile, prefix) && original.has_root === true
  const names_issuer = profile.names_issuer === true && redirect?.passing === 'reference'
  return ok({
    value: {
      link: redirect?.link ?? null,
      dc_api_protocols,
      client_id_prefix: prefix ?? null,
      response_mode: mode ?? null,
      passing: redirect?.passing ?? null,
      request_uri_method: redirect?.method ?? null,
      include_root,
      names_issuer,
    },
    left_out: [
      ...(redirect === null
        ? [...browserOnly(original), ...reasons.filter((reason) => reason === refusal)]
        : changes(profile, original, { prefix, mode, method: redirect.method })),
      ...(include_root ? [{ member: '/client_id', why: 'root_needed' } as const] : []),
      ...(names_issuer ? [{ member: '/client_id', why: 'issuer_named' } as const] : []),
    ],
    unknown,
  })
}

function unknownMembers(
  { unknown_protocols = [] }: WalletProfile,
  { protocol }: OriginalRequest,
  transactions: WalletProfile['transaction_data'],
): readonly Finding[] {
  const members = [
    ...(unknown_protocols.includes(protocol) ? ['/protocol'] : []),
    ...(transactions === 'unknown' ? ['/transaction_data'] : []),
  ]
  return members.map((member) => ({ member, why: 'support_unknown' }))
}

/**
 * Adds the prefix `redirect_uri` and the response mode `direct_post` for a wallet in `by_value_for`. Returns
 * the original request unchanged for other wallets.
 */
function withValue({ id }: WalletProfile, original: OriginalRequest): OriginalRequest {
  if (original.by_value_for?.includes(id) !== true) return original
  const { client_id_prefixes: prefixes, response_modes: modes } = original
  return {
    ...original,
    client_id_prefixes: [...new Set([...prefixes, 'redirect_uri'] as const)],
    response_modes: [...new Set([...modes, 'direct_post'] as const)],
  }
}

/** Returns the links that open a wallet, the preferred link first. */
export function buildLinks(
  { links }: Pick<WalletProfile, 'links'>,
  { livemode }: { readonly livemode: boolean },
): readonly string[] {
  return (livemode ? links.live : (links.test ?? links.live)) ?? []
}

/**
 * Returns a list with one finding: no link and no QR code reaches the wallet. The list is empty if the
 * protocol has no links and QR codes.
 */
function browserOnly({ protocol }: OriginalRequest): readonly Finding[] {
  return PROTOCOLS[protocol].supportsRedirect ? [{ member: '/uri', why: 'browser_only' }] : []
}

/**
 * Returns how a request with this prefix is passed to the wallet: an unsigned request by value, a signed
 * request by reference. Returns `undefined` if the wallet does not support that.
 */
export function choosePassing(
  profile: WalletProfile,
  prefix: ClientIdPrefix,
): 'reference' | 'value' | undefined {
  const passing = prefix === 'redirect_uri' ? 'value' : 'reference'
  const isPossible = profile.client_id_prefixes.includes(prefix) && profile.passing.includes(passing)
  return isPossible ? passing : undefined
}

/**
 * Returns why a possible request by value is not used: the relying party does not accept the assurance level
 * `low`, or the URI is too long. Returns `undefined` in all other cases.
 */
function valueRefusal(
  profile: WalletProfile,
  original: OriginalRequest,
  { query, link, mode }: { query: DcqlQuery; link: string | undefined; mode: ResponseMode | undefined },
): Finding | undefined {
  const isPossible = original.client_id_prefixes.some((one) => choosePassing(profile, one) === 'value')
  if (!isPossible || link === undefined || mode === undefined || original.qr === undefined) return undefined
  const { accepts_low, valueBytes } = original.qr
  if (!accepts_low) return { member: '/client_id', why: 'low_level_only' }
  const isLong = valueBytes({ query, link, response_mode: mode }) > REQUEST_BY_VALUE.bytes
  return isLong ? { member: '/uri', why: 'too_long' } : undefined
}

/**
 * Returns the first prefix of signed requests that the wallet supports; `undefined` if there is none. Links
 * do not matter here: a wallet without links gets the signed request through the Digital Credentials API.
 */
function signedPrefix(profile: WalletProfile, original: OriginalRequest): ClientIdPrefix | undefined {
  return original.client_id_prefixes.find(
    (prefix) => prefix !== 'redirect_uri' && profile.client_id_prefixes.includes(prefix),
  )
}

/**
 * Returns true if `x5c` must contain the root certificate for this wallet. Only the `x509_` prefixes have a
 * certificate chain.
 */
function needsRoot({ chain }: WalletProfile, prefix: ClientIdPrefix | undefined): boolean {
  return chain === 'with_root' && prefix?.startsWith('x509_') === true
}

/**
 * Returns why no link and no QR code reaches the wallet. Returns an empty list if a link reaches the wallet.
 */
function redirectErrors(
  profile: WalletProfile,
  original: OriginalRequest,
  found: {
    readonly prefix: ClientIdPrefix | undefined
    readonly refusal: Finding | undefined
  } & Readonly<Record<'link' | 'mode' | 'method' | 'passing', string | undefined>>,
): readonly Finding[] {
  if (!profile.protocols.includes(original.protocol)) return [{ member: '/protocol', why: 'not_in_protocol' }]
  const hasRoot = !needsRoot(profile, found.prefix) || original.has_root === true
  const { refusal = { member: '/client_id', why: 'not_available' } } = found
  const members: readonly (readonly [Finding, boolean])[] = [
    [{ member: '/wallet_links', why: 'not_in_this_mode' }, found.link !== undefined],
    [refusal, found.prefix !== undefined],
    [{ member: '/client_id', why: 'root_needed' }, hasRoot],
    [{ member: '/response_mode', why: 'not_available' }, found.mode !== undefined],
    [
      { member: '/request_uri_method', why: 'not_available' },
      found.passing === 'value' || found.method !== undefined || found.prefix === undefined,
    ],
  ]
  return members.flatMap(([finding, isFound]) => (isFound ? [] : [finding]))
}

/**
 * Returns a finding for each part that differs from the original request: link, Client Identifier, response
 * mode and request URI method.
 */
function changes(
  profile: WalletProfile,
  original: OriginalRequest,
  used: {
    readonly prefix?: string | undefined
    readonly mode?: string | undefined
    readonly method?: string | null | undefined
  },
): readonly Finding[] {
  const opensByDefault = buildLinks(profile, original).includes(DEFAULT_SCHEME)
  const members: readonly (readonly [string, boolean, Finding['why']])[] = [
    ['/uri', !opensByDefault, 'own_link'],
    ['/client_id', used.prefix !== original.client_id_prefixes[0], 'replaced'],
    ['/response_mode', used.mode !== original.response_modes[0], 'replaced'],
    [
      '/request_uri_method',
      typeof used.method === 'string' && used.method !== original.request_uri_methods[0],
      'replaced',
    ],
  ]
  return members.flatMap(([member, isChanged, why]) => (isChanged ? [{ member, why }] : []))
}

function exchangeProtocols(
  profile: WalletProfile,
  original: OriginalRequest,
  { query, prefix, hasMode }: { query: DcqlQuery; prefix: ClientIdPrefix | undefined; hasMode: boolean },
): LoweredRequest['dc_api_protocols'] {
  const canAnswer = profile.dc_api_single !== true || isSingle(query)
  const canAskQuery = hasMode && canAnswer
  const canAsk = {
    'openid4vp-v1-multisigned': canAskQuery && prefix !== undefined && prefix !== 'redirect_uri',
    'openid4vp-v1-signed': canAskQuery && prefix !== undefined && prefix !== 'redirect_uri',
    'openid4vp-v1-unsigned': canAskQuery,
    // No supported document type defines how an mdoc confirms a transaction (OpenID4VP 1.0 B.2). So
    // `org-iso-mdoc` cannot be used with transactions.
    [ISO_MDOC]: canAnswer && original.transaction_data === undefined && documentQuery(query) !== undefined,
  }
  return original.dc_api_protocols.filter(
    (protocol) => profile.dc_api_protocols.includes(protocol) && canAsk[protocol],
  )
}

/** Returns true if each response to the query has exactly one credential. */
function isSingle({ credentials, credential_sets: [set, ...others] = [] }: DcqlQuery): boolean {
  if (set === undefined) return credentials.length === 1
  return others.length === 0 && set.options.every((option) => option.length === 1)
}
