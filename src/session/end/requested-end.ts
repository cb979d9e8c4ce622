// Ends without a wallet (api/outcome): the relying party cancels, or the person declines on the page. All
// awaits come before the synchronous step that reads and writes the document. So a session ends only once.

import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import type { SessionError } from '../document/results.ts'
import type { SessionContext } from '../store/context.ts'
import { loadWebhook } from '../store/webhook.ts'
import { browserMark } from './binding.ts'
import { canceledEnd, declinedOnPageEnd, endSession } from './end-session.ts'

/** Cancels a pending session. A session that is already canceled stays as it is. `found`: the document. */
export async function cancelSession(
  context: SessionContext,
  found: SessionDocument,
  now: number,
): Promise<Result<null, SessionError>> {
  const webhook = await loadWebhook(context, now)
  const document = context.store.session()
  if (document?.created_at !== found.created_at) return err('not_found')
  if (document.status === 'canceled') return ok(null)
  return endSession(context, canceledEnd(), { webhook, now }, document) ? ok(null) : err('ended')
}

/** Reason for which a person cannot decline on the page. */
export type DeclineError =
  | SessionError
  /** A verified presentation waits for its browser to return. The person has already shared their data. */
  | 'return_awaited'
  /** The session is bound to one browser, and the request comes from another browser. */
  | 'other_browser'

/**
 * Who declines: the browser of the page, with the secret in its cookie (null without a cookie), or the
 * sandbox of test mode.
 */
export type Decliner = { readonly secret: string | null } | 'sandbox'

/** Ends a pending session as `declined`. `pending`: the current document. */
export async function declineOnPage(
  context: SessionContext,
  pending: SessionDocument,
  by: Decliner,
  now: number,
): Promise<Result<null, DeclineError>> {
  const secret = by === 'sandbox' ? null : by.secret
  const [mark, webhook] = await Promise.all([
    secret === null ? null : browserMark(pending, secret),
    loadWebhook(context, now),
  ])
  const document = context.store.session()
  if (document?.created_at !== pending.created_at) return err('not_found')
  if (document.status !== 'pending') return err('ended')
  if (document.held !== null) return err('return_awaited')
  if (by !== 'sandbox' && !mayDecline(document, mark)) return err('other_browser')
  return endSession(context, declinedOnPageEnd(), { webhook, now }, document) ? ok(null) : err('ended')
}

/**
 * Returns true if this browser may decline. If the session requires a binding, only a browser for which a
 * request was made may decline. Before the first such request, every browser may decline.
 */
function mayDecline({ request, generations }: SessionDocument, mark: string | null): boolean {
  if (request.required_session_binding === 'none') return true
  const browsers = generations.flatMap(({ browser }) => browser ?? [])
  return browsers.length === 0 || browsers.some((browser) => timingSafeEqualText(browser, mark ?? ''))
}
