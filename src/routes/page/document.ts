// The frame of every page for persons: one HTML document and the headers that keep it to itself (CONTRACT 1, 5). Nothing
// comes from elsewhere, nobody may frame it, and its address, which can hold a token, is told to no one.

import { html, raw } from 'hono/html'
import { encodeBase64 } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { configOf } from '../../env.ts'
import type { AppContext } from '../context.ts'
import { STYLE } from './style.ts'
import type { StateText, Texts } from './texts.ts'

/** HTML made by `html`, which escapes what it is given. */
export type Markup = ReturnType<typeof html>

export type PageDocument = {
  readonly texts: Texts
  readonly title: string
  /** The content of `<body>`. */
  readonly body: Markup
  /** Addresses of the page's scripts. */
  readonly scripts?: readonly string[]
}

/** Answers with a page. Pages are never stored: each shows one moment of one session, or may one day. */
export async function sendPage(
  c: AppContext,
  status: 200 | 404 | 503,
  { texts, title, body, scripts = [] }: PageDocument,
): Promise<Response> {
  const headers = {
    'Content-Security-Policy': await securityPolicy(configOf(c.env).baseUrl),
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
<style>${raw(STYLE)}</style>
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
  status: 200 | 404 | 503,
  texts: Texts,
  { title, text }: StateText,
): Promise<Response> {
  const body = html`<main>
<h1>${title}</h1>
<p class="soft">${text}</p>
</main>`
  return sendPage(c, status, { texts, title, body })
}

/** Only our own script, this very style, pictures of our own, and our own origin to talk to. */
async function securityPolicy(baseUrl: string): Promise<string> {
  styleHash ??= encodeBase64(await sha256(utf8(STYLE)))
  // CSP3 lets 'self' cover the WebSocket of the same host; older browsers want it named.
  const socketOrigin = baseUrl.replace(/^http/, 'ws')
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${styleHash}'`,
    "img-src 'self' data:",
    `connect-src 'self' ${socketOrigin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

let styleHash: string | undefined
