// Scripts and styles of the pages, below assets/. Each isolate reads a file once. A new deployment starts new
// isolates, so a file never changes while an isolate runs.

import { utf8 } from '../../../codec/bytes.ts'
import { sha256 } from '../../../crypto/digest.ts'
import { type AssetSource, computeVersion, readOnce, sendFile } from '../../edge/cloudflare.ts'
import type { AppContext } from '../../edge/context.ts'
import { problem } from '../../edge/problems.ts'

export type Asset = { readonly text: string; readonly digest: Uint8Array }

const SCRIPTS = [
  'session-page.js',
  'link.js',
  'dc-api.js',
  'embed.js',
  'go-back.js',
  'return-page.js',
  'form-post.js',
] as const
export type ScriptName = (typeof SCRIPTS)[number]

/**
 * Returns the address of a script. The parameter `v` is a hash of the script, so the content at one address
 * never changes.
 */
export async function scriptAddress(assets: AssetSource, name: ScriptName): Promise<string> {
  return `/assets/${name}?v=${await computeVersion(assets, `page/${name}`)}`
}

/** Serves `GET /assets/:name`. */
export async function sendScript(c: AppContext): Promise<Response> {
  const name = SCRIPTS.find((script) => script === c.req.param('name'))
  if (name === undefined) return problem(c, 'not_found')
  const path = `page/${name}`
  const isCurrent = c.req.query('v') === (await computeVersion(c.env.ASSETS, path))
  const file = await sendFile(c, path, {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  return file ?? problem(c, 'temporarily_unavailable')
}

/** Returns a style of assets/page. Its text becomes part of a page. */
export function readStyle(assets: AssetSource, name: 'style.css' | 'public.css'): Promise<Asset> {
  return readOnce(assets, `page/${name}`, async (text) => ({ text, digest: await sha256(utf8(text)) }))
}
