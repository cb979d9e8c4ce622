// Pages of the provider for people: a request that cannot start, a login that is over, and the form that
// brings a code to the client. Everything from a request is shown as text.

import { html } from 'hono/html'
import { findPageLanguage } from '../../session/views/page-language.ts'
import { scriptAddress } from '../browser/page/assets.ts'
import { type Markup, sendMessage, sendPage } from '../browser/page/document.ts'
import { chooseLanguage } from '../browser/page/language.ts'
import { mark } from '../browser/page/mark.ts'
import { fill, isolate, type Texts, textsIn } from '../browser/page/texts.ts'
import type { AppContext } from '../edge/context.ts'
import type { ResponseParameters } from './responses.ts'

/** Returns the texts in the first wanted language, else in the language of the browser. */
export function textsFor(c: AppContext, locales = ''): Promise<Texts> {
  const wanted = locales.split(' ').find((tag) => findPageLanguage(tag) !== null) ?? null
  return textsIn(c.env.ASSETS, chooseLanguage(wanted, c.req.header('Accept-Language')))
}

/** Content of the page about a failure, besides its text. */
type Failure = {
  readonly locales?: string | undefined
  /** The error, for the operator of the site. */
  readonly details?: string
  /** Address that the person may continue at: by a press only. */
  readonly address?: string
}

/** Sends the page of a request that cannot start, or of a login that is over or of another browser. */
export async function sendNotice(
  c: AppContext,
  status: 400 | 404 | 429,
  kind: 'failed' | 'over',
  { locales, details, address }: Failure = {},
): Promise<Response> {
  const texts = await textsFor(c, locales)
  const { title, text } = texts.login[kind]
  const error = details && fill(texts.login.details, { error: isolate(details) })
  const words = html`<h1>${title}</h1>
<p class="soft">${text}</p>
${error ? html`<p class="soft">${error}</p>` : ''}`
  const body = card(`login-${kind}`, words, address ? continueLink(address, texts) : '')
  return sendPage(c, status, { texts, title, body })
}

/** Asks the person to reload: an object could not be reached, or the page was prefetched. */
export async function sendUnavailable(c: AppContext): Promise<Response> {
  const texts = await textsFor(c)
  return sendMessage(c, 503, texts, 'unavailable')
}

/** Sends the form of `response_mode=form_post`. Its script sends it at once. */
export async function sendForm(
  c: AppContext,
  redirectUri: string,
  parameters: ResponseParameters,
  locales?: string,
): Promise<Response> {
  const texts = await textsFor(c, locales)
  const { origin, host } = new URL(redirectUri)
  const title = texts.login.sending
  const fields = Object.entries(parameters).map(([name, value]) =>
    value === null ? '' : html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const button = fill(texts.login.continueTo, { host: isolate(host) })
  const form = html`<form method="post" action="${redirectUri}">${fields}<button type="submit">${button}</button></form>`
  const scripts = [await scriptAddress(c.env.ASSETS, 'form-post.js')]
  const body = card('login-sending', html`<h1>${title}</h1>`, form)
  return sendPage(c, 200, { texts, title, body, scripts, formTarget: origin })
}

function continueLink(address: string, texts: Texts): Markup {
  const words = fill(texts.login.continueTo, { host: isolate(new URL(address).host) })
  return html`<a class="button" href="${address}">${words}</a>`
}

function card(state: string, words: Markup, action: Markup | '' = ''): Markup {
  return html`<main data-state="${state}">
<div class="status">
${mark()}
${words}
${action}
</div>
</main>`
}
