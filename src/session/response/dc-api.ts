// The Digital Credentials API beside the redirect flow (api/dc-api): a request bound to one origin, and its
// response. The requester itself must respond. That is our page, identified by its browser's cookie, or the
// relying party's server for its own page.

import { encodeBase64url } from '../../codec/base64url.ts'
import { isoTime } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { Reader } from '../../iso18013-7/reader-auth.ts'
import { buildDcApiRequests, type DcApiProtocol } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { readersFor } from '../../relying-party/verifier/reader-certificate.ts'
import { err, ok, type Result } from '../../result.ts'
import type { StoredGeneration } from '../document/generations.ts'
import type { RefusalCode, SessionError } from '../document/results.ts'
import { BROWSER_SECRET_BYTES, browserMark, deriveResponseCode } from '../end/binding.ts'
import { annexCRequest, hasAnnexC, requestedDocuments } from '../request/annex-c.ts'
import type { RequestedWallet } from '../request/chosen-wallet.ts'
import { openVerifier } from '../request/generation-keys.ts'
import { type AddedRequest, addRequest } from '../request/new-request.ts'
import { dcApiRequestInput } from '../request/requests.ts'
import type { RequestTerms } from '../request/terms.ts'
import { completeReturn } from '../return/same-device.ts'
import type { SessionContext } from '../store/context.ts'
import { processResponse } from './process-response.ts'

/**
 * The page with the browser's API: our page with the secret of its cookie, or a page of the relying party.
 */
export type DcApiPage = 'relying_party' | { readonly secret: string | null }

/**
 * The page of a request, its origin, and the wallet: an id, `any`, or null for the wallet of the creation.
 */
export type DcApiRequestOptions = {
  readonly page: DcApiPage
  readonly origin: string
  readonly wallet: string | null
}

/** JSON text of the requests, and the secret for our page's browser; null for the relying party's page. */
export type DcApiRequest = { readonly secret: string | null; readonly json: string }

/**
 * A response. `data`: JSON text of the credential's `data`. `digest`: SHA-256 of the whole body (base64url).
 */
export type DcApiResponse = {
  readonly page: DcApiPage
  readonly protocol: DcApiProtocol
  readonly data: string
  readonly digest: string
}

/** Next address of the page (null: none), or the refusal of the response. */
export type DcApiResult = Result<{ readonly returnUrl: string | null }, RefusalCode>

/** Creates a request of a pending session. `now` in Unix milliseconds. */
export async function createDcApiRequest(
  context: SessionContext,
  { document: pending, page, origin, wallet }: RequestedWallet & Omit<DcApiRequestOptions, 'wallet'>,
  now: number,
): Promise<Result<DcApiRequest, SessionError>> {
  const { supportsDcApi } = PROTOCOLS[pending.request.protocol]
  if (!supportsDcApi || wallet?.dc_api_protocols.length === 0) return err('dc_api_not_offered')
  // A login ends in the browser that began it. A page of the relying party is known by its server only.
  if (pending.login !== undefined && page === 'relying_party') return err('dc_api_not_offered')
  const settings = await loadSettings(context.env, pending.relying_party_id, now)
  if (!settings.ok) return err(settings.error)
  const secret =
    page === 'relying_party' ? null : (page.secret ?? encodeBase64url(randomBytes(BROWSER_SECRET_BYTES)))
  const browser = secret === null ? null : await deriveMark(context, secret)
  const made = await addRequest(context, { channel: 'dc_api', browser, origin, wallet }, now)
  if (!made.ok) return made
  const { terms, stored } = made.value
  const readers = readersFor(settings.value.reader_certificates ?? [], origin, now)
  const requests = [
    ...(await openid4vpRequests(context, made.value, origin, now)),
    ...(await annexCRequests(terms, stored, readers)),
  ]
  const json = JSON.stringify({ digital: { requests }, expires_at: isoTime(terms.expires_at) })
  return ok({ secret, json })
}

/**
 * Processes a response. For our page's browser it is also the return from the wallet: the requester itself
 * responds.
 */
export async function processDcApiResponse(
  context: SessionContext,
  response: DcApiResponse,
  now: number,
): Promise<DcApiResult> {
  const { page, protocol, data, digest } = response
  const secret = page === 'relying_party' ? null : (page.secret ?? '')
  const browser = secret === null ? null : await deriveMark(context, secret)
  const result = await processResponse(context, { dcApi: { protocol, data, browser }, digest }, now)
  if (!result.ok) return result
  const document = context.store.session()
  if (secret === null || document === undefined) return ok({ returnUrl: null })
  const responseCode = await deriveResponseCode(document, digest)
  const came = await completeReturn(context, { responseCode, secret }, now)
  // After an error of the wallet there is nothing to return with.
  return ok({ returnUrl: came.ok ? came.value.returnUrl : null })
}

/** Builds the requests of OpenID4VP. A protocol, or a chosen wallet, that knows documents only has none. */
async function openid4vpRequests(
  { env }: SessionContext,
  { terms, generation }: AddedRequest,
  origin: string,
  now: number,
) {
  const { protocol, request_options } = terms.request
  const hasOptions = request_options.client_id_prefix !== null && request_options.response_mode !== null
  if (!PROTOCOLS[protocol].supportsRedirect || !hasOptions) return []
  const identity = await openVerifier(loadConfig(env), terms)
  const requests = await buildDcApiRequests(dcApiRequestInput(terms, generation, { origin, now }), identity)
  const { wallet } = terms
  return requests.filter((one) => wallet === null || wallet.dc_api_protocols.includes(one.protocol))
}

/** Builds the request of `org-iso-mdoc`, if documents alone can satisfy the policy. */
async function annexCRequests(terms: RequestTerms, generation: StoredGeneration, readers: readonly Reader[]) {
  const query = requestedDocuments(terms)
  if (query === undefined || !hasAnnexC(generation)) return []
  return [await annexCRequest(query, generation, readers)]
}

/** Returns a browser's mark in this session; empty if the session is gone. */
async function deriveMark({ store }: SessionContext, secret: string): Promise<string> {
  const document = store.session()
  return document === undefined ? '' : browserMark(document, secret)
}
