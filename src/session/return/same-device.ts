// The way of one browser through a session (CONTRACT 5): it gets a link, comes back from the wallet with the response code, and
// is sent on with a return code, which the relying party's server redeems. As in process-response.ts, whatever waits comes before the one
// synchronous step that reads the document and writes it.

import { encodeBase64url } from '../../codec/base64url.ts'
import { configOf } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionContext } from '../context.ts'
import type { Held, Returned, SessionDocument } from '../document.ts'
import { addRequest } from '../request/new-request.ts'
import { walletRequest } from '../request/requests.ts'
import { endSession, type SessionEnd } from '../response/end-session.ts'
import type { Link, SessionError } from '../results.ts'
import { applyTimeouts, webhookOf } from '../timeouts.ts'
import {
  BROWSER_SECRET_BYTES,
  browserMark,
  discardHeld,
  HOLD_MS,
  responseCodeOf,
  returnCodeOf,
} from './binding.ts'
import { reaches, type SessionBinding } from './session-binding.ts'

/** What a browser posts when it comes back. `secret`: its cookie, where it has one. */
export type BrowserReturnRequest = { readonly responseCode: string; readonly secret: string | null }

/** Where the browser goes on to: an address of the relying party's, with a return code where there is one to redeem. */
export type BrowserReturnResult = { readonly returnUrl: string | null }

/** Why a code opens nothing. */
export type ReturnCodeError =
  | 'not_found'
  /** Unknown, too late, or used: nothing changed. */
  | 'invalid_code'
  /** The right response code in another browser than the link's: the presentation was discarded. */
  | 'other_browser'

/** Makes a request of a pending session for one browser; one that has no secret yet is given one. */
export async function makeLink(
  context: SessionContext,
  pending: SessionDocument,
  knownSecret: string | null,
  now: number,
): Promise<Result<Link, SessionError>> {
  const secret = knownSecret ?? encodeBase64url(randomBytes(BROWSER_SECRET_BYTES))
  const browser = await browserMark(pending, secret)
  const verificationId = pending.verification_id
  const made = await addRequest(context, { verificationId, channel: 'link', browser }, now)
  if (!made.ok) return made
  const { document, generation } = made.value
  const request = walletRequest(document, generation, configOf(context.env).baseUrl)
  const { uri, wallet_links, expires_at } = request
  return ok({ secret, json: JSON.stringify({ uri, wallet_links, expires_at }) })
}

/** A browser is back with a response code. Its repeated call is answered alike. */
export async function completeReturn(
  context: SessionContext,
  { responseCode, secret }: BrowserReturnRequest,
  now: number,
): Promise<Result<BrowserReturnResult, ReturnCodeError>> {
  await applyTimeouts(context, now)
  const found = context.store.session()
  const answer = found && answerOf(found)
  if (found === undefined) return err('not_found')
  if (answer === undefined) return err('invalid_code')
  const [expected, returnCode, browser, webhook] = await Promise.all([
    responseCodeOf(found, answer),
    returnCodeOf(found, answer),
    secret === null ? '' : browserMark(found, secret),
    webhookOf(context, now),
  ])
  if (!timingSafeEqualText(expected, responseCode)) return err('invalid_code')
  const document = context.store.session()
  if (document === undefined) return err('not_found')
  if (answerOf(document) !== answer) return err('invalid_code')
  const { held, request } = document
  if (held === null) return ok({ returnUrl: endedReturnUrl(document, browser, returnCode, now) })
  if (!timingSafeEqualText(held.browser, browser)) return refuseBrowser(context, document, held, now)
  if (reaches('page', request.required_session_binding)) {
    const returned = { browser, until: now + HOLD_MS, redeemed: false }
    if (!endSession(context, boundEnd(held, 'page', returned), { webhook, now })) return err('invalid_code')
  } else if (!held.returned) {
    context.store.commit({ ...document, held: { ...held, returned: true } })
  }
  return ok({ returnUrl: withReturnCode(request.return_url, returnCode) })
}

/** The relying party's server redeems a return code, once. */
export async function redeemReturn(
  context: SessionContext,
  relyingPartyId: string,
  code: string,
  now: number,
): Promise<Result<null, ReturnCodeError>> {
  await applyTimeouts(context, now)
  const found = context.store.session()
  if (found?.relying_party_id !== relyingPartyId) return err('not_found')
  const answer = answerOf(found)
  if (answer === undefined) return err('invalid_code')
  const [expected, webhook] = await Promise.all([returnCodeOf(found, answer), webhookOf(context, now)])
  if (!timingSafeEqualText(expected, code)) return err('invalid_code')
  const document = context.store.session()
  if (document === undefined) return err('not_found')
  if (answerOf(document) !== answer) return err('invalid_code')
  const { held, returned } = document
  if (held?.returned) {
    const redeemed = { browser: held.browser, until: held.until, redeemed: true }
    const end = boundEnd(held, 'relying_party', redeemed)
    return endSession(context, end, { webhook, now }) ? ok(null) : err('invalid_code')
  }
  if (returned === null || returned.redeemed || returned.until <= now) return err('invalid_code')
  // `outcome` stays as it is: the event was made of it, and may be made of it again for the log.
  const redeemed = { ...returned, redeemed: true }
  context.store.commit({ ...document, returned: redeemed, version: document.version + 1 })
  return ok(null)
}

/** The answer that codes are derived from: the one held, or the one that ended the session. */
function answerOf(document: SessionDocument): string | undefined {
  return document.held?.answer ?? document.winner ?? undefined
}

/**
 * The wallet took its person to another browser: who answered is not who asked. A browser that is already back has used the
 * code up, and nobody else can spoil what it waits for.
 */
function refuseBrowser(
  context: SessionContext,
  document: SessionDocument,
  held: Held,
  now: number,
): Result<never, ReturnCodeError> {
  if (held.returned) return err('invalid_code')
  context.store.commit(discardHeld(document, now))
  return err('other_browser')
}

/**
 * After the end: the same browser's repeated call is answered alike. Anybody else who comes from the wallet with this answer's
 * code, say after a rejection, is sent back to the relying party without a return code.
 */
function endedReturnUrl(
  { request, returned }: SessionDocument,
  browser: string,
  returnCode: string,
  now: number,
): string | null {
  const isSame = returned !== null && timingSafeEqualText(returned.browser, browser)
  const canRedeem = isSame && !returned.redeemed && now < returned.until
  return canRedeem ? withReturnCode(request.return_url, returnCode) : request.return_url
}

function boundEnd(held: Held, session_binding: SessionBinding, returned: Returned): SessionEnd {
  return { status: 'verified', outcome: { ...held.outcome, session_binding }, winner: held.answer, returned }
}

/** The registered address, letter by letter, with one more parameter: it has no fragment. */
function withReturnCode(returnUrl: string | null, code: string): string | null {
  if (returnUrl === null) return null
  const separator = !returnUrl.includes('?') ? '?' : /[?&]$/.test(returnUrl) ? '' : '&'
  return `${returnUrl}${separator}return_code=${code}`
}
