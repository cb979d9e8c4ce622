// Pages of the provider for people: a request that cannot start, a login that is over, and the form that
// brings a code to the client. Values from a request are shown as text only.

import { html } from 'hono/html'
import { findPageLanguage } from '../../session/views/page-language.ts'
import { scriptAddress } from '../browser/page/assets.ts'
import { type Markup, sendMessage, sendPage } from '../browser/page/document.ts'
import { chooseLanguage } from '../browser/page/language.ts'
import { mark } from '../browser/page/mark.ts'
import { fill, isolate, type Texts, textsIn } from '../browser/page/texts.ts'
import type { AppContext } from '../edge/context.ts'
import type { ResponseParameters } from './responses.ts'

/**
 * Returns the texts in the first language of `locales` that our pages have, else in the browser's language.
 */
export function textsFor(c: AppContext, locales = ''): Promise<Texts> {
  const wanted = locales.split(' ').find((tag) => findPageLanguage(tag) !== null) ?? null
  return textsIn(c.env.ASSETS, chooseLanguage(wanted, c.req.header('Accept-Language')))
}

/** Content of a notice, in addition to the fixed text of the notice. */
type Failure = {
  readonly locales?: string | undefined
  /** The error, for the operator of the client's site. */
  readonly details?: string
  /** Address of the link on the page. The browser opens it only if the person presses the link. */
  readonly address?: string
}

/**
 * Sends the page for a request that cannot start, for a login that is over, or for a login that another
 * browser began.
 */
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

/**
 * Sends a page that asks the person to reload. This page is sent if a Durable Object could not be reached,
 * and to a prefetch.
 */
export async function sendUnavailable(c: AppContext): Promise<Response> {
  const texts = await textsFor(c)
  return sendMessage(c, 503, texts, 'unavailable')
}

/** Sends a page with the form of `response_mode=form_post`. A script on the page submits the form at once. */
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

/**
 * Sends a page that opens the client's address at once. A link on the page is for browsers that do not do
 * this.
 */
export async function sendOn(c: AppContext, address: string, locales?: string): Promise<Response> {
  const texts = await textsFor(c, locales)
  const title = texts.login.sending
  const body = card('login-sending', html`<h1>${title}</h1>`, continueLink(address, texts))
  return sendPage(c, 200, { texts, title, body, next: address })
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
