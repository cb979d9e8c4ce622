// Requests and responses of the Digital Credentials API (api/dc-api). Each request is bound to one origin.
// The page that made the request must post the response. Our page is identified by the cookie of its browser.
// A page of the relying party posts through the relying party's server.

import { encodeBase64url } from '../../codec/base64url.ts'
import { isoTime } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { RequestSender } from '../../iso18013-7/device-request.ts'
import { buildDcApiRequests, type DcApiProtocol } from '../../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { registrationBytes } from '../../openid4vp/request/verifier-info.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { readersFor } from '../../relying-party/verifier/reader-certificate.ts'
import { registrationFor } from '../../relying-party/verifier/verifier-registration.ts'
import { err, ok, type Result } from '../../result.ts'
import type { StoredGeneration } from '../document/generations.ts'
import type { RefusalCode, SessionError } from '../document/results.ts'
import { BROWSER_SECRET_BYTES, browserMark, deriveResponseCode } from '../end/binding.ts'
import { annexCRequest, hasAnnexC, requestedDocuments } from '../request/annex-c.ts'
import type { RequestedWallet } from '../request/chosen-wallet.ts'
import {
  openVerifier,
  type SentRequests,
  sealRequests,
  withSentRequests,
} from '../request/generation-keys.ts'
import { type AddedRequest, addRequest } from '../request/new-request.ts'
import { dcApiRequestInput } from '../request/requests.ts'
import type { RequestTerms } from '../request/terms.ts'
import { completeReturn } from '../return/same-device.ts'
import type { SessionContext } from '../store/context.ts'
import { processResponse } from './process-response.ts'

/**
 * Page that calls the Digital Credentials API: a page of the relying party, or our page. `secret`: the secret
 * in the cookie of our page's browser; null if the browser has no cookie.
 */
export type DcApiPage = 'relying_party' | { readonly secret: string | null }

/**
 * Page and origin of a request. `wallet`: the id of a profile, `any`, or null for the wallet that the create
 * request chose.
 */
export type DcApiRequestOptions = {
  readonly page: DcApiPage
  readonly origin: string
  readonly wallet: string | null
}

/**
 * JSON text of the requests. `secret`: secret for the browser of our page; null for the relying party's page.
 */
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

/**
 * Next address of the page, or the refusal of the response. `returnUrl` is null if there is no next address.
 */
export type DcApiResult = Result<{ readonly returnUrl: string | null }, RefusalCode>

/** Creates a request of a pending session. `now` in Unix milliseconds. */
export async function createDcApiRequest(
  context: SessionContext,
  { document: pending, page, origin, wallet }: RequestedWallet & Omit<DcApiRequestOptions, 'wallet'>,
  now: number,
): Promise<Result<DcApiRequest, SessionError>> {
  const { supportsDcApi } = PROTOCOLS[pending.request.protocol]
  if (!supportsDcApi || wallet?.dc_api_protocols.length === 0) return err('dc_api_not_offered')
  // A login must end in the browser that began it. A request for the relying party's page is bound to no
  // browser.
  if (pending.login !== undefined && page === 'relying_party') return err('dc_api_not_offered')
  const settings = await loadSettings(context.env, pending.relying_party_id, now)
  if (!settings.ok) return err(settings.error)
  const secret =
    page === 'relying_party' ? null : (page.secret ?? encodeBase64url(randomBytes(BROWSER_SECRET_BYTES)))
  const browser = secret === null ? null : await deriveMark(context, secret)
  const readers = readersFor(settings.value.reader_certificates ?? [], origin, now)
  // Without reader authentication (`readers` is empty) nothing binds a registration to the verifier. The
  // request then contains no registration.
  const { verifier } = settings.value
  const registered =
    readers.length > 0 && verifier ? registrationFor(verifier, pending.request.intended_use) : undefined
  const registration = registered && registrationBytes(registered)
  const added = await addRequest(context, { channel: 'dc_api', browser, origin, wallet, registration }, now)
  if (!added.ok) return added
  const { terms, stored } = added.value
  const openid4vp = await openid4vpRequests(context, added.value, origin, now)
  const annexC = await annexCRequests(terms, stored, { readers, registration })
  if (added.value.document.evidence_terms !== undefined) {
    const [ofIso] = annexC
    const requested = { ...signedRequests(openid4vp), ...(ofIso && { annex_c: ofIso.data }) }
    if (!(await keepRequests(context, added.value, requested))) return err('ended')
  }
  const requests = [...openid4vp, ...annexC]
  const json = JSON.stringify({ digital: { requests }, expires_at: isoTime(terms.expires_at) })
  return ok({ secret, json })
}

/** Returns the signed requests among the requests of OpenID4VP. */
function signedRequests(requests: Awaited<ReturnType<typeof openid4vpRequests>>): SentRequests {
  const signed = requests.find((one) => one.protocol === 'openid4vp-v1-signed')
  const multi = requests.find((one) => one.protocol === 'openid4vp-v1-multisigned')
  return { ...(signed && { jwt: signed.data.request }), ...(multi && { multi_signed: multi.data }) }
}

/** Stores the sent requests for evidence. Returns false if the request or the session has ended meanwhile. */
async function keepRequests(
  { store, env }: SessionContext,
  { document, stored }: AddedRequest,
  sent: SentRequests,
): Promise<boolean> {
  if (Object.keys(sent).length === 0) return true
  const sealed = await sealRequests(loadConfig(env), document, stored, sent)
  const current = store.session()
  const isAlive = current?.generations.some(({ number }) => number === stored.number) ?? false
  if (current?.status !== 'pending' || !isAlive) return false
  const generations = current.generations.map((one) =>
    one.number === stored.number ? withSentRequests(one, sealed) : one,
  )
  store.commit({ ...current, generations })
  return true
}

/**
 * Processes a response. A response from our page also completes the return from the wallet, because the same
 * browser made the request.
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
  // An error of the wallet other than `access_denied` leaves the session pending. `completeReturn` then
  // fails, and there is no next address.
  return ok({ returnUrl: came.ok ? came.value.returnUrl : null })
}

/**
 * Builds the requests of OpenID4VP. Returns an empty list if the protocol or the chosen wallet supports only
 * `org-iso-mdoc`.
 */
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

/**
 * Builds the request of `org-iso-mdoc`. Returns an empty list if mdocs alone cannot satisfy the request, or
 * if the chosen wallet does not support `org-iso-mdoc`.
 */
async function annexCRequests(terms: RequestTerms, generation: StoredGeneration, sender: RequestSender) {
  const query = requestedDocuments(terms)
  if (query === undefined || !hasAnnexC(generation)) return []
  return [await annexCRequest(query, generation, sender)]
}

/** Returns the mark of a browser in this session, or an empty text if the session is gone. */
async function deriveMark({ store }: SessionContext, secret: string): Promise<string> {
  const document = store.session()
  return document === undefined ? '' : browserMark(document, secret)
}
