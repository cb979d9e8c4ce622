// The outcome of an authorization request, and the function that sends it.

import type { AppContext } from '../edge/context.ts'
import type { Issuer } from './issuer.ts'
import { type ProviderPage, sendProviderPage } from './pages.ts'
import { type RequestError, redirectTo, requestError, withParameters } from './responses.ts'

/** The outcome of an authorization request. */
export type AuthorizationOutcome =
  /**
   * The browser is redirected to this address: the session page of a new login, or the client's address with
   * an error.
   */
  | { readonly kind: 'page'; readonly address: string }
  /**
   * The request is refused. In live mode, the client receives the error at its registered address. In test
   * mode, a page of ours shows the error.
   */
  | ({ readonly kind: 'refused'; readonly error: RequestError } & Early)
  /**
   * A page of ours, without a redirect. It shows an error if the client or its address is unknown, the
   * request is malformed, or the limit is reached.
   */
  | ProviderPage

/** A request that the client must get an error for. */
export type RefusedRequest = Extract<AuthorizationOutcome, { kind: 'refused' }>

/** A request with a known client and a registered `redirect_uri`. */
type Early = {
  readonly issuer: Issuer
  readonly redirectUri: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Sends an outcome to the browser. `isOfForm`: the browser sent a form of our page. Browsers block a redirect
 * of a form to another site (`form-action`), so a page of ours shows the error.
 */
export async function sendOutcome(
  c: AppContext,
  outcome: AuthorizationOutcome,
  { isOfForm = false } = {},
): Promise<Response> {
  const answer = outcome.kind === 'refused' ? await answerTo(c, outcome, isOfForm) : outcome
  return answer.kind === 'page' ? redirectTo(c, answer.address) : sendProviderPage(c, answer)
}

/**
 * Returns the response to a refused request. In test mode anybody may register a client, so the browser is
 * not redirected. A page shows the error, and a link to the client, which the person must press (RFC 9700
 * §4.11.2). For a form of our page, the response is this page in live mode, too.
 */
async function answerTo(
  c: AppContext,
  { error: name, issuer, redirectUri, parameters }: RefusedRequest,
  isOfForm: boolean,
): Promise<Exclude<AuthorizationOutcome, { kind: 'refused' }>> {
  const { error, description } = await requestError(c, name)
  const state = parameters.get('state') ?? null
  const response = { error, error_description: description, state, iss: issuer.url }
  const locales = parameters.get('ui_locales')
  const address = withParameters(redirectUri, response)
  if (isOfForm || !issuer.settings.livemode)
    return { kind: 'notice', status: 400, details: `${error}: ${description}`, locales, address }
  c.set('sendsError', true)
  if (parameters.get('response_mode') === 'form_post') return { kind: 'form', redirectUri, response, locales }
  return { kind: 'page', address }
}
