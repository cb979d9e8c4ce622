// The outcome of an authorization request, and the one place that sends it.

import type { AppContext } from '../edge/context.ts'
import type { Issuer } from './issuer.ts'
import { sendForm, sendNotice, sendUnavailable } from './pages.ts'
import {
  type RequestError,
  type ResponseParameters,
  redirectTo,
  requestError,
  withParameters,
} from './responses.ts'

/** The outcome of an authorization request. */
export type AuthorizationOutcome =
  /** The browser goes to this address: the page of a login that has begun, or the client's. */
  | { readonly kind: 'page'; readonly address: string }
  /** The client receives an error at its registered address. */
  | ({ readonly kind: 'refused'; readonly error: RequestError } & Early)
  /** The client or its address is unknown: a page, and no redirect. */
  | {
      readonly kind: 'notice'
      readonly status: 400 | 429
      readonly details: string
      readonly locales: string | undefined
      /** Address that the person may continue at. */
      readonly address?: string
    }
  /** An object could not be reached. */
  | { readonly kind: 'unavailable' }

/** The request of a client whose address is known. */
type Early = {
  readonly issuer: Issuer
  readonly redirectUri: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Sends an outcome to the browser. */
export async function sendOutcome(c: AppContext, outcome: AuthorizationOutcome): Promise<Response> {
  const answer = outcome.kind === 'refused' ? await answerTo(c, outcome) : outcome
  switch (answer.kind) {
    case 'page':
      return redirectTo(c, answer.address)
    case 'form':
      return sendForm(c, answer.redirectUri, answer.response, answer.locales)
    case 'notice':
      return sendNotice(c, answer.status, 'failed', answer)
    case 'unavailable':
      return sendUnavailable(c)
  }
}

/** An error as the browser brings it to the client. */
type Answer =
  | Extract<AuthorizationOutcome, { kind: 'page' | 'notice' }>
  | {
      readonly kind: 'form'
      readonly redirectUri: string
      readonly response: ResponseParameters
      readonly locales: string | undefined
    }

/**
 * Returns the answer to an error that is found before the person has seen our page. In test mode anybody may
 * register a client, so the browser opens the client's address by a press only (RFC 9700 §4.11.2).
 */
async function answerTo(
  c: AppContext,
  { error: name, issuer, redirectUri, parameters }: Extract<AuthorizationOutcome, { kind: 'refused' }>,
): Promise<Answer> {
  const { error, description } = await requestError(c, name)
  const state = parameters.get('state') ?? null
  const response = { error, error_description: description, state, iss: issuer.url }
  const locales = parameters.get('ui_locales')
  const address = withParameters(redirectUri, response)
  if (!issuer.settings.livemode)
    return { kind: 'notice', status: 400, details: `${error}: ${description}`, locales, address }
  if (parameters.get('response_mode') === 'form_post') return { kind: 'form', redirectUri, response, locales }
  return { kind: 'page', address }
}
