// Pages of the provider for people: a request that cannot start, a login that is over, and the form that
// brings a code to the client. Values from a request are shown as text only.

import { html } from 'hono/html'
import { findPageLanguage } from '../../session/views/page-language.ts'
import { scriptAddress } from '../browser/page/assets.ts'
import { type Markup, type PageDocument, sendPage } from '../browser/page/document.ts'
import { chooseLanguage } from '../browser/page/language.ts'
import { mark } from '../browser/page/mark.ts'
import { fill, isolate, type Texts, textsIn } from '../browser/page/texts.ts'
import type { AppContext } from '../edge/context.ts'
import type { ResponseParameters } from './responses.ts'

/** A page of the provider. `locales`: the languages that the request prefers, as in `ui_locales`. */
export type ProviderPage = PageContent & { readonly locales?: string | undefined }

type PageContent =
  /** A request that cannot start. */
  | {
      readonly kind: 'notice'
      readonly status: 400 | 429
      /** The error, for the operator of the client's site. */
      readonly details: string
      /** Address of the link on the page. The browser opens it only if the person presses the link. */
      readonly address?: string
    }
  /** A login that is over, or that another browser began. */
  | { readonly kind: 'over' }
  /** Asks the person to reload: a Durable Object could not be reached, or the request is a prefetch. */
  | { readonly kind: 'unavailable' }
  /** The form of `response_mode=form_post`. A script on the page submits the form at once. */
  | { readonly kind: 'form'; readonly redirectUri: string; readonly response: ResponseParameters }
  /** Opens the client's address at once. A link on the page is for browsers that do not do this. */
  | { readonly kind: 'next'; readonly address: string }

/** Page for a caller that is over a limit. */
export const TOO_MANY_REQUESTS = {
  kind: 'notice',
  status: 429,
  details: 'too many requests: wait a moment',
} as const

/**
 * Sends a page in the first language of `locales` that our pages have, else in the browser's language.
 */
export async function sendProviderPage(c: AppContext, page: ProviderPage): Promise<Response> {
  const wanted = page.locales?.split(' ').find((tag) => findPageLanguage(tag) !== null) ?? null
  const texts = await textsIn(c.env.ASSETS, chooseLanguage(wanted, c.req.header('Accept-Language')))
  const { status, state, title, paragraphs = [], action = '', ...rest } = describe(page, texts)
  const body = html`<main data-state="${state}">
<div class="status">
${mark()}
<h1>${title}</h1>
${paragraphs.map((text) => html`<p class="soft">${text}</p>`)}
${action}
</div>
</main>`
  const scripts = page.kind === 'form' ? [await scriptAddress(c.env.ASSETS, 'form-post.js')] : []
  return sendPage(c, status, { texts, title, body, scripts, ...rest })
}

type Description = Pick<PageDocument, 'title' | 'formTarget' | 'next'> & {
  readonly status: 200 | 400 | 404 | 429 | 503
  readonly state: string
  readonly paragraphs?: readonly string[]
  readonly action?: Markup | ''
}

function describe(page: ProviderPage, texts: Texts): Description {
  const { failed, over, sending: title, details } = texts.login
  const continueTo = (address: string) =>
    fill(texts.login.continueTo, { host: isolate(new URL(address).host) })
  switch (page.kind) {
    case 'notice': {
      const paragraphs = [failed.text, fill(details, { error: isolate(page.details) })]
      const action = page.address === undefined ? '' : link(page.address, continueTo(page.address))
      return { status: page.status, state: 'login-failed', title: failed.title, paragraphs, action }
    }
    case 'over':
      return { status: 404, state: 'login-over', title: over.title, paragraphs: [over.text] }
    case 'unavailable': {
      const { title: heading, text } = texts.unavailable
      return { status: 503, state: 'unavailable', title: heading, paragraphs: [text] }
    }
    case 'form': {
      const action = form(page, continueTo(page.redirectUri))
      const formTarget = new URL(page.redirectUri).origin
      return { status: 200, state: 'login-sending', title, action, formTarget }
    }
    case 'next': {
      const action = link(page.address, continueTo(page.address))
      return { status: 200, state: 'login-sending', title, action, next: page.address }
    }
  }
}

function form({ redirectUri, response }: Extract<PageContent, { kind: 'form' }>, button: string): Markup {
  const fields = Object.entries(response).map(([name, value]) =>
    value === null ? '' : html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${redirectUri}">${fields}<button type="submit">${button}</button></form>`
}

function link(address: string, text: string): Markup {
  return html`<a class="button" href="${address}">${text}</a>`
}
