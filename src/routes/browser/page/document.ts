// The HTML document around every page for people, and the headers that keep a page private (api/access,
// api/binding). A page loads nothing from other sites. Only the relying party's own pages may show the page
// in a frame. The page's address can contain a token, so browsers must not send the address to other sites.

import { html, raw } from 'hono/html'
import { encodeBase64 } from '../../../codec/base64url.ts'
import { utf8 } from '../../../codec/bytes.ts'
import { loadConfig } from '../../../config.ts'
import { sha256 } from '../../../crypto/digest.ts'
import { codingHeaders } from '../../../net/content-coding.ts'
import type { AppContext } from '../../edge/context.ts'
import { readStyle } from './assets.ts'
import { readDirection } from './language.ts'
import { mark } from './mark.ts'
import type { Texts } from './texts.ts'

/** HTML that the tag `html` made. The tag escapes every value. */
export type Markup = ReturnType<typeof html>

export type PageDocument = {
  readonly texts: Texts
  readonly title: string
  /** The content of `<body>`. */
  readonly body: Markup
  /** Addresses of the page's scripts. */
  readonly scripts?: readonly string[]
  /**
   * True if the browser must draw the page only after the scripts have run (HTML attribute `blocking`). A
   * browser that does not support this attribute draws the page at once.
   */
  readonly isDrawnAfterScripts?: boolean
  /** A style of this page alone. */
  readonly style?: string
  /** Origins that may show the page in a frame. */
  readonly embedders?: readonly string[]
  /** Origin that the page's form is sent to. */
  readonly formTarget?: string
  /** True if the page has a form that is sent to our own origin. */
  readonly hasOwnForm?: boolean
  /**
   * Address that the browser opens at once, by the header `Refresh`. Browsers would block a redirect to
   * another site as the response to a form.
   */
  readonly next?: string | undefined
}

/** Sends a page. Caches must not store it, because it shows the present state of one session. */
export async function sendPage(
  c: AppContext,
  status: 200 | 400 | 403 | 404 | 429 | 503,
  {
    texts,
    title,
    body,
    scripts = [],
    isDrawnAfterScripts = false,
    style = '',
    embedders = [],
    formTarget,
    hasOwnForm = false,
    next,
  }: PageDocument,
): Promise<Response> {
  // The style is inlined, so that the first response is the whole page.
  const shared = await readStyle(c.env.ASSETS, 'style.css')
  const digests = [shared.digest, ...(style === '' ? [] : [await sha256(utf8(style))])]
  const headers = {
    'Content-Security-Policy': securityPolicy(loadConfig(c.env).baseUrl, {
      digests,
      embedders,
      formTarget,
      hasOwnForm,
    }),
    'Cache-Control': 'no-store',
    'Content-Language': texts.language,
    // The length of a compressed page can reveal a secret if a stranger chose a text of the page (see
    // `codingHeaders`). A page with a form for another site has a secret code, and a `state` that the other
    // site chose. So such a page is not compressed.
    ...(formTarget === undefined && codingHeaders(c.req.header('Accept-Encoding'))),
    // With `no-referrer`, browsers send `Origin: null` with a form (Fetch §3.2). A form to our own origin
    // must send this origin.
    'Referrer-Policy': hasOwnForm ? 'same-origin' : 'no-referrer',
    ...(status === 503 && { 'Retry-After': '2' }),
    ...(next !== undefined && { Refresh: `0; url=${new URL(next).href}` }),
  }
  const blocking = isDrawnAfterScripts ? html` blocking="render"` : ''
  const page = html`<!doctype html>
<html lang="${texts.language}" dir="${readDirection(texts.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(shared.text)}</style>${style && html`<style>${raw(style)}</style>`}
${scripts.map((address) => html`<script type="module" src="${address}"${blocking}></script>`)}
</head>
<body>
${body}
</body>
</html>
`
  return c.html(page, status, headers)
}

/** Sends a page that has only a title and a text. */
export function sendMessage(
  c: AppContext,
  status: 403 | 404 | 503,
  texts: Texts,
  state: 'notFound' | 'unavailable' | 'otherBrowser',
): Promise<Response> {
  const { title, text } = state === 'otherBrowser' ? texts.leave[state] : texts[state]
  const body = html`<main data-state="${state}">
<div class="status">
${mark()}
<h1>${title}</h1>
<p class="soft">${text}</p>
</div>
</main>`
  return sendPage(c, status, { texts, title, body })
}

/**
 * Returns the Content-Security-Policy. The policy allows our scripts, the styles with these digests, our
 * pictures, and connections to our origin.
 */
function securityPolicy(
  baseUrl: string,
  {
    digests,
    embedders,
    formTarget,
    hasOwnForm,
  }: {
    readonly digests: readonly Uint8Array[]
    readonly embedders: readonly string[]
    readonly formTarget: string | undefined
    readonly hasOwnForm: boolean
  },
): string {
  const styles = digests.map((digest) => `'sha256-${encodeBase64(digest)}'`)
  const ownForm = hasOwnForm ? "'self'" : "'none'"
  // In CSP3, 'self' includes the WebSocket of the same host. Older browsers need the origin of the WebSocket.
  const socketOrigin = baseUrl.replace(/^http/, 'ws')
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles.join(' ')}`,
    "img-src 'self' data:",
    `connect-src 'self' ${socketOrigin}`,
    `frame-ancestors ${embedders.filter(isPlain).join(' ') || "'none'"}`,
    "base-uri 'none'",
    // The policy also applies to redirects of a sent form. The receiver may redirect the browser to any https
    // address.
    `form-action ${formTarget === undefined ? ownForm : `${sourceOf(formTarget)} https:`}`,
    "require-trusted-types-for 'script'",
  ].join('; ')
}

/**
 * Returns an origin as a source of the policy. Returns only the scheme if the origin cannot be named, such as
 * an IPv6 address.
 */
function sourceOf(origin: string): string {
  return isPlain(origin) ? origin : new URL(origin).protocol
}

/**
 * Returns true if the host has only characters that the policy allows (CSP3 §2.3.1). URLs allow more
 * characters, such as `*` and `;`.
 */
function isPlain(origin: string): boolean {
  return /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin)
}
