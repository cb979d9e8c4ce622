// Frame of the sandbox's pages: no script, no foreign resources, forms to its own origin. The address may
// contain a request, so no referrer is sent.

import { html, raw } from 'hono/html'
import { encodeBase64 } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { STYLE } from './style.ts'

/** HTML of the `html` tag, which escapes inserted values. */
export type Markup = ReturnType<typeof html>

/** One page. */
export type PageDocument = { readonly title: string; readonly body: Markup }

/** Responds with a page. */
export async function sendPage(status: number, { title, body }: PageDocument): Promise<Response> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
${body}
</body>
</html>
`
  const headers = { ...HEADERS, 'Content-Security-Policy': await policy() }
  return new Response((await page).toString(), { status, headers })
}

/** Responds 404. */
export function sendNotFound(): Promise<Response> {
  const body = html`<main><h1>Page not found</h1></main>`
  return sendPage(404, { title: 'Sandbox', body })
}

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

async function policy(): Promise<string> {
  hash ??= encodeBase64(await sha256(utf8(STYLE)))
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

let hash: string | undefined
