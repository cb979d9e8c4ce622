// Path of one browser through a session (api/binding). The browser gets a link, and returns from the wallet
// with a response code. Then the browser brings a return code to the relying party, whose server redeems the
// code. All awaits come before the synchronous step that reads and writes the document.

import type { SessionBinding } from '../../api/values.ts'
import { encodeBase64url } from '../../codec/base64url.ts'
import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import type { LoginFailure } from '../document/login.ts'
import type { Held, Returned } from '../document/outcome.ts'
import { reaches } from '../document/outcome.ts'
import type { AttemptReason } from '../document/refusal-family.ts'
import type { Link, SessionError } from '../document/results.ts'
import { addStep } from '../document/timeline.ts'
import {
  BROWSER_SECRET_BYTES,
  browserMark,
  deriveResponseCode,
  deriveReturnCode,
  discardHeld,
  HOLD_MS,
  returnHeld,
} from '../end/binding.ts'
import { type EventInput, endSession, expiredEnd, type SessionEnd } from '../end/end-session.ts'
import { returnAddresses } from '../end/return-address.ts'
import { applyTimeouts } from '../end/timeouts.ts'
import { sendEntry } from '../listing/indexing.ts'
import type { RequestedWallet } from '../request/chosen-wallet.ts'
import { addRequest } from '../request/new-request.ts'
import { walletRequest } from '../request/requests.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { loadWebhook } from '../store/webhook.ts'

/** Input of a browser's return. `secret`: the secret in the browser's cookie; null if there is no cookie. */
export type BrowserReturnRequest = { readonly responseCode: string; readonly secret: string | null }

/**
 * Next address of the browser: the relying party's address for the end of the session, with a return code if
 * the browser gets one. Null if the session has no `return_url`.
 */
export type BrowserReturnResult = { readonly returnUrl: string | null }

/** Reason for which a code is refused. */
export type ReturnCodeError =
  | 'not_found'
  /** The code is unknown or expired. Nothing changed. */
  | 'invalid_code'
  /**
   * The response code is correct, but another browser than the browser of the link sent it. The held success
   * was discarded.
   */
  | 'other_browser'

/**
 * Creates a request of a pending session for one browser. `knownSecret`: secret in the browser's cookie, or
 * null.
 */
export async function createLink(
  context: SessionContext,
  { document: pending, wallet, knownSecret }: RequestedWallet & { readonly knownSecret: string | null },
  now: number,
): Promise<Result<Link, SessionError>> {
  const { supportsRedirect } = PROTOCOLS[pending.request.protocol]
  if (!supportsRedirect || wallet?.link === null) return err('redirect_not_offered')
  const secret = knownSecret ?? encodeBase64url(randomBytes(BROWSER_SECRET_BYTES))
  const browser = await browserMark(pending, secret)
  const added = await addRequest(context, { channel: 'link', browser, wallet }, now)
  if (!added.ok) return added
  const { terms, generation } = added.value
  const { uri, wallet_links, expires_at } = walletRequest(terms, generation, loadConfig(context.env).baseUrl)
  return ok({ secret, json: JSON.stringify({ uri, wallet_links, expires_at }) })
}

/**
 * Processes the return of a browser with a response code. A repeated call of the same browser gets the same
 * result.
 */
export async function completeReturn(
  context: SessionContext,
  { responseCode, secret }: BrowserReturnRequest,
  now: number,
): Promise<Result<BrowserReturnResult, ReturnCodeError>> {
  await applyTimeouts(context, now)
  const codes = await deriveCodes(context, secret, now)
  if (!codes.ok) return codes
  const { digest, browser, returnCode, webhook } = codes.value
  if (!timingSafeEqualText(codes.value.responseCode, responseCode)) return err('invalid_code')
  const current = sessionWith(context, digest)
  if (!current.ok) return current
  const document = current.value
  const { held, request } = document
  if (held === null) return ok({ returnUrl: endedReturnUrl(document, browser, returnCode, now) })
  if (!timingSafeEqualText(held.browser, browser)) return refuseBrowser(context, document, held, now)
  if (reaches('page', request.required_session_binding)) {
    const returned = { browser, until: now + HOLD_MS, redeemed: false }
    if (!endSession(context, boundEnd(held, 'page', returned), { webhook, now })) return err('invalid_code')
  } else if (held.login && held.login.failure !== null) {
    return endFailedLogin(context, document, { winner: held.winner, login: held.login, webhook, now })
  } else if (!held.returned) {
    context.store.commit({ ...document, held: returnHeld(held) })
  }
  return ok({ returnUrl: successUrl(document, returnCode) })
}

/**
 * Ends a session whose login failed, if the session requires the binding `relying_party`. A failed login has
 * no code that the client can redeem. The presentation is stored as an attempt, and the session expires with
 * the reason of that attempt.
 */
function endFailedLogin(
  context: SessionContext,
  document: SessionDocument,
  { winner, login, ...input }: EventInput & { readonly winner: string; readonly login: LoginFailure },
): Result<BrowserReturnResult, ReturnCodeError> {
  const failed = discardHeld(document, input.now, LOGIN_FAILURES[login.failure])
  const isEnded = endSession(context, { ...expiredEnd(failed), winner, login }, input, failed)
  return isEnded ? ok({ returnUrl: document.request.return_url }) : err('invalid_code')
}

const LOGIN_FAILURES: Readonly<Record<LoginFailure['failure'], AttemptReason>> = {
  subject_claim_missing: 'query_not_satisfied',
  subject_mismatch: 'value_mismatch',
  claims_too_large: 'limit_exceeded',
  assurance_level_too_low: 'assurance_level_too_low',
}

/**
 * Redeems a return code for the relying party's server. The same code gets the same result again until the
 * code expires, because a response may be lost. Only the first call changes the session.
 */
export async function redeemReturn(
  context: SessionContext,
  relyingPartyId: string,
  code: string,
  now: number,
): Promise<Result<null, ReturnCodeError>> {
  await applyTimeouts(context, now)
  if (context.store.session()?.relying_party_id !== relyingPartyId) return err('not_found')
  const codes = await deriveCodes(context, null, now)
  if (!codes.ok) return codes
  const { digest, returnCode, webhook } = codes.value
  if (!timingSafeEqualText(returnCode, code)) return err('invalid_code')
  const current = sessionWith(context, digest)
  if (!current.ok) return current
  const document = current.value
  const { held, returned } = document
  if (held?.returned) {
    const redeemed = { browser: held.browser, until: held.until, redeemed: true }
    const end = boundEnd(held, 'relying_party', redeemed)
    const changed = addStep(document, { type: 'redeemed' }, now)
    return endSession(context, end, { webhook, now }, changed) ? ok(null) : err('invalid_code')
  }
  if (returned === null || returned.until <= now) return err('invalid_code')
  if (returned.redeemed) return ok(null)
  // `outcome` keeps the binding that the session had at its end. The event of the end may be built again from
  // `outcome` for the event log, and must then be the same event.
  const redeemed = { ...returned, redeemed: true }
  const step = addStep({ ...document, returned: redeemed }, { type: 'redeemed' }, now)
  context.store.commit({ ...step, version: document.version + 1 })
  return ok(null)
}

/**
 * Returns the response code and the return code of a session, and the mark of the browser (empty without a
 * secret). The codes are derived from `digest`: the digest of the response that is held, or that ended the
 * session.
 */
async function deriveCodes(context: SessionContext, secret: string | null, now: number) {
  const document = context.store.session()
  if (document === undefined) return err('not_found')
  const digest = findWinner(document)
  if (digest === undefined) return err('invalid_code')
  const [responseCode, returnCode, browser, webhook] = await Promise.all([
    deriveResponseCode(document, digest),
    deriveReturnCode(document, digest),
    secret === null ? '' : browserMark(document, secret),
    loadWebhook(context, now),
  ])
  return ok({ digest, responseCode, returnCode, browser, webhook })
}

/**
 * Returns the current session. `digest` must still be the digest of the response that is held, or that ended
 * the session.
 */
function sessionWith({ store }: SessionContext, digest: string): Result<SessionDocument, ReturnCodeError> {
  const document = store.session()
  if (document === undefined) return err('not_found')
  return findWinner(document) === digest ? ok(document) : err('invalid_code')
}

function findWinner(document: SessionDocument): string | undefined {
  return document.held?.winner ?? document.winner ?? undefined
}

/**
 * Refuses the return of another browser than the browser of the link, and discards the held success. If the
 * right browser has already returned, nothing is discarded.
 */
function refuseBrowser(
  context: SessionContext,
  document: SessionDocument,
  held: Held,
  now: number,
): Result<never, ReturnCodeError> {
  if (held.returned) return err('invalid_code')
  context.store.commit(discardHeld(document, now))
  void inBackground(() => sendEntry(context))
  return err('other_browser')
}

/**
 * Returns the next address after the session has ended. The browser that returned gets the same result again.
 * Any other browser with the response code gets the address without a return code.
 */
function endedReturnUrl(
  document: SessionDocument,
  browser: string,
  returnCode: string,
  now: number,
): string | null {
  const { returned, status } = document
  const isSame = returned !== null && timingSafeEqualText(returned.browser, browser)
  if (isSame && now < returned.until) return successUrl(document, returnCode)
  return status === 'pending' ? null : (returnAddresses(document)?.[status] ?? null)
}

/** Builds the end of a session whose held success becomes final. `returned`: the browser that returned. */
export function boundEnd(held: Held, session_binding: SessionBinding, returned: Returned): SessionEnd {
  const { winner, login, evidence } = held
  const outcome = { ...held.outcome, session_binding }
  const end = { status: 'verified', outcome, winner, returned, login } as const
  return evidence === undefined ? end : { ...end, evidence: { stored: evidence } }
}

/** Adds the return code to the address after a success, as a parameter. That address never has a fragment. */
function successUrl(document: SessionDocument, code: string): string | null {
  const returnUrl = returnAddresses(document)?.verified
  if (returnUrl === undefined) return null
  const separator = !returnUrl.includes('?') ? '?' : /[?&]$/.test(returnUrl) ? '' : '&'
  return `${returnUrl}${separator}return_code=${code}`
}
