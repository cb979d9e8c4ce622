// For a page of the relying party: asks the browser's Digital Credentials API. It has no secret and calls no
// service; the page's server sends the response.

import { err, ok, type Result } from './result.ts'
import type { DcApiRequests, DcApiResponse } from './wire.ts'

/** Where the wallet is. `here`: on this device. `nearby`: on a phone, which one protocol family reaches. */
export type WalletPlace = 'here' | 'nearby'

/** Families of protocols. An iPhone supports only `org-iso-mdoc`. */
export type ProtocolFamily = 'openid4vp' | 'org-iso-mdoc'

export type BrowserChoices = {
  /** Default: `here` if the device has a touch screen only, else `nearby`. */
  readonly place?: WalletPlace
  /** The family, as the person chose it. Default: see `digitalRequests`. */
  readonly family?: ProtocolFamily
  readonly signal?: AbortSignal
}

export type BrowserError =
  /** The browser supports none of the requests. */
  | 'unsupported'
  /** The person closed the dialogue, or no wallet responded. */
  | 'no_response'

/**
 * Chooses among the requests of `dcApiRequest`, calls the browser, and returns what to pass to
 * `dcApiResponse`. Call it in the handler of a press: browsers require that.
 */
export async function askBrowser(
  { digital }: Pick<DcApiRequests, 'digital'>,
  choices: BrowserChoices = {},
): Promise<Result<DcApiResponse, BrowserError>> {
  const requests = digitalRequests(digital.requests, choices)
  if (requests.length === 0) return err('unsupported')
  const { signal } = choices
  const options = { mediation: 'required', digital: { requests }, ...(signal && { signal }) }
  try {
    const found = await page().navigator.credentials.get(options)
    const { protocol, data } = (found ?? {}) as Partial<DcApiResponse>
    return protocol === undefined || data === undefined ? err('no_response') : ok({ protocol, data })
  } catch {
    return err('no_response')
  }
}

/**
 * Returns the families for which a page shows a button each, best first. One family: one call is enough.
 * Two buttons are needed for a phone nearby, and on this device if the browser reports both families: some
 * browsers pass a call with both to wallets for mdocs only, so other wallets would never be asked.
 *
 * @example
 * for (const family of browserFamilies(requests)) addButton(family, () => askBrowser(asked, { family }))
 */
export function browserFamilies(
  requests: Requests,
  { place = placeOfWallet() }: Pick<BrowserChoices, 'place'> = {},
): readonly ProtocolFamily[] {
  const families = [...new Set(requests.filter(({ protocol }) => allowsProtocol(protocol)).map(familyOf))]
  const isOneCall = isForDocumentsOnly(requests) || (place === 'here' && !canReport())
  if (families.length < 2 || !isOneCall) return families
  return place === 'here' ? ['openid4vp'] : ['org-iso-mdoc']
}

/**
 * Returns the requests for one call. On this device they are of every family, unless `family` is given and
 * `browserFamilies` returns two. For a phone nearby they are of one family, because a call with both families
 * never ends on an iPhone. By default the family is `org-iso-mdoc` if only documents are requested, because
 * every phone supports it. Otherwise it is OpenID4VP.
 */
export function digitalRequests(
  requests: Requests,
  { place = placeOfWallet(), family }: BrowserChoices = {},
): Requests {
  const allowed = requests.filter(({ protocol }) => allowsProtocol(protocol))
  const isApart = browserFamilies(requests, { place }).length > 1 && family !== undefined
  if (place === 'here' && !isApart) return allowed
  const families = Map.groupBy(allowed, familyOf)
  const usual = isForDocumentsOnly(requests) ? 'org-iso-mdoc' : 'openid4vp'
  const [first = []] = families.values()
  return families.get(family ?? usual) ?? (family === undefined ? first : [])
}

/** Returns true if the browser passes this protocol to wallets. An older browser filters by itself. */
export function allowsProtocol(protocol: string): boolean {
  const { DigitalCredential: api } = page()
  return api !== undefined && (api.userAgentAllowsProtocol?.(protocol) ?? true)
}

/** Older browsers cannot report which protocols they allow. */
function canReport(): boolean {
  return page().DigitalCredential?.userAgentAllowsProtocol !== undefined
}

type Requests = DcApiRequests['digital']['requests']

/** Members of a page's global object that are used here. They need no types of browsers. */
type Page = {
  readonly navigator: { readonly credentials: { readonly get: (options: object) => Promise<unknown> } }
  readonly matchMedia: (query: string) => { readonly matches: boolean }
  readonly DigitalCredential?: { readonly userAgentAllowsProtocol?: (protocol: string) => boolean }
}

function page(): Page {
  return globalThis as unknown as Page
}

function familyOf({ protocol }: Requests[number]): ProtocolFamily {
  return protocol === 'org-iso-mdoc' ? 'org-iso-mdoc' : 'openid4vp'
}

function placeOfWallet(): WalletPlace {
  return page().matchMedia('(pointer: coarse)').matches ? 'here' : 'nearby'
}

/**
 * The query can be read in the unsigned request. If there is no request of OpenID4VP, only documents are
 * requested.
 */
function isForDocumentsOnly(requests: Requests): boolean {
  const unsigned = requests.find(({ protocol }) => protocol === 'openid4vp-v1-unsigned')
  if (unsigned === undefined) return true
  const { dcql_query } = unsigned.data as {
    readonly dcql_query?: { readonly credentials?: readonly object[] }
  }
  const credentials = dcql_query?.credentials ?? []
  return credentials.every((query) => 'format' in query && query.format === 'mso_mdoc')
}
