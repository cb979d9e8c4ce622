// Frame of the sandbox's pages: no script, no foreign resources, forms to its own origin. The address may
// contain a request, so no referrer is sent.

import { html, raw } from 'hono/html'
import { encodeBase64 } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import { sha256 } from '../../src/crypto/digest.ts'

/** HTML of the `html` tag, which escapes inserted values. */
export type Markup = ReturnType<typeof html>

export type Page = { readonly status: number; readonly title: string; readonly body: Markup }

/** Responds with a page. 503 while its style is unavailable. */
export async function sendPage(assets: AssetSource, { status, title, body }: Page): Promise<Response> {
  style ??= await readStyle(assets)
  if (style === undefined) return new Response(null, { status: 503, headers: { 'Retry-After': '2' } })
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(style.text)}</style>
</head>
<body>
${body}
</body>
</html>
`
  const headers = { ...HEADERS, 'Content-Security-Policy': policy(style.hash) }
  return new Response((await page).toString(), { status, headers })
}

export const NOT_FOUND: Page = {
  status: 404,
  title: 'Sandbox',
  body: html`<main><h1>Page not found</h1></main>`,
}

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

function policy(styleHash: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/** The binding of the sandbox's files. */
export type AssetSource = Pick<Fetcher, 'fetch'>

type Style = { readonly text: string; readonly hash: string }

/** Read once for each isolate. */
let style: Style | undefined

async function readStyle(assets: AssetSource): Promise<Style | undefined> {
  const file = await assets.fetch('https://assets.invalid/style.css')
  if (!file.ok) return undefined
  const text = await file.text()
  return { text, hash: encodeBase64(await sha256(utf8(text))) }
}
