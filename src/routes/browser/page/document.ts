// The frame of every page for persons: one HTML document and the headers that keep it to itself (CONTRACT 1, 5). Nothing
// comes from elsewhere, only the relying party's own pages may frame it, and its address, which can hold a token, is told to no one.

import { html, raw } from 'hono/html'
import { encodeBase64 } from '../../../codec/base64url.ts'
import { utf8 } from '../../../codec/bytes.ts'
import { configOf } from '../../../config.ts'
import { sha256 } from '../../../crypto/digest.ts'
import type { AppContext } from '../../context.ts'
import { mark } from './mark.ts'
import { STYLE } from './style.ts'
import type { Texts } from './texts.ts'

/** HTML made by `html`, which escapes what it is given. */
export type Markup = ReturnType<typeof html>

export type PageDocument = {
  readonly texts: Texts
  readonly title: string
  /** The content of `<body>`. */
  readonly body: Markup
  /** Addresses of the page's scripts. */
  readonly scripts?: readonly string[]
  /** A style of this page's own. */
  readonly style?: string
  /** Origins that may show it in a frame. */
  readonly embedders?: readonly string[]
}

/** Answers with a page. Pages are never stored: each shows one moment of one session, or may one day. */
export async function sendPage(
  c: AppContext,
  status: 200 | 404 | 503,
  { texts, title, body, scripts = [], style = '', embedders = [] }: PageDocument,
): Promise<Response> {
  const headers = {
    'Content-Security-Policy': await securityPolicy(configOf(c.env).baseUrl, style, embedders),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 503 && { 'Retry-After': '2' }),
  }
  const page = html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>${style && html`<style>${raw(style)}</style>`}
${scripts.map((address) => html`<script type="module" src="${address}"></script>`)}
</head>
<body>
${body}
</body>
</html>
`
  return c.html(page, status, headers)
}

/** Answers with a page of one title and one sentence. */
export function sendMessage(
  c: AppContext,
  status: 404 | 503,
  texts: Texts,
  state: 'notFound' | 'unavailable',
): Promise<Response> {
  const { title, text } = texts[state]
  const body = html`<main data-state="${state}">
<div class="status">
${mark()}
<h1>${title}</h1>
<p class="soft">${text}</p>
</div>
</main>`
  return sendPage(c, status, { texts, title, body })
}

/** Only our own script, these very styles, pictures of our own, and our own origin to talk to. */
async function securityPolicy(baseUrl: string, style: string, embedders: readonly string[]): Promise<string> {
  styleHash ??= await hashSource(STYLE)
  const ownStyle = style && ` ${await hashSource(style)}`
  // CSP3 lets 'self' cover the WebSocket of the same host; older browsers want it named.
  const socketOrigin = baseUrl.replace(/^http/, 'ws')
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styleHash}${ownStyle}`,
    "img-src 'self' data:",
    `connect-src 'self' ${socketOrigin}`,
    `frame-ancestors ${embedders.filter(isPlain).join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

/** A host of a policy's own grammar: URLs allow more, such as `*` and `;` (CSP3 §2.3.1). */
function isPlain(origin: string): boolean {
  return /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin)
}

async function hashSource(style: string): Promise<string> {
  return `'sha256-${encodeBase64(await sha256(utf8(style)))}'`
}

let styleHash: string | undefined
