// Files below assets/ that pages consist of. Each isolate reads a file once: a deployment brings new
// isolates.

import { encodeBase64url } from '../../../codec/base64url.ts'
import { utf8 } from '../../../codec/bytes.ts'
import { sha256 } from '../../../crypto/digest.ts'
import type { AppContext } from '../../edge/context.ts'
import { problem } from '../../edge/problems.ts'

/** The binding of the files, or a stand-in. */
export type AssetSource = Pick<Fetcher, 'fetch'>

export type Asset = { readonly text: string; readonly digest: Uint8Array }

const SCRIPTS = ['session-page.js', 'link.js', 'dc-api.js', 'return-page.js'] as const
export type ScriptName = (typeof SCRIPTS)[number]

/** Returns the address of a script. The content at an address with `v` never changes: `v` is its hash. */
export async function scriptAddress(assets: AssetSource, name: ScriptName): Promise<string> {
  return `/assets/${name}?v=${versionOf(await readPageAsset(assets, name))}`
}

/** Serves `GET /assets/:name`. */
export async function sendScript(c: AppContext): Promise<Response> {
  const name = SCRIPTS.find((script) => script === c.req.param('name'))
  if (name === undefined) return problem(c, 'not_found')
  const script = await readPageAsset(c.env.ASSETS, name)
  const isCurrent = c.req.query('v') === versionOf(script)
  return c.body(script.text, 200, {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
}

function versionOf({ digest }: Asset): string {
  return encodeBase64url(digest).slice(0, 16)
}

/** Returns a file of assets/page. */
export function readPageAsset(assets: AssetSource, name: ScriptName | 'style.css'): Promise<Asset> {
  return readOnce(assets, `page/${name}`, async (text) => ({ text, digest: await sha256(utf8(text)) }))
}

/**
 * Reads and parses a file, once for each binding: always by the same function. A failure is not stored.
 * Throws an error marked as `retryable`, which the edge reports as 503, when the file is unavailable.
 */
export async function readOnce<T>(
  assets: AssetSource,
  path: string,
  parse: (text: string) => Promise<T>,
): Promise<T> {
  const files = cache.get(assets) ?? new Map<string, unknown>()
  cache.set(assets, files)
  if (files.has(path)) return files.get(path) as T // stored below, by the same function
  const file = await assets.fetch(`https://assets/${path}`).catch(() => undefined)
  if (!file?.ok) throw Object.assign(new Error(`assets/${path} is unavailable`), { retryable: true })
  const parsed = await parse(await file.text())
  files.set(path, parsed)
  return parsed
}

/** The binding is one object for the isolate's whole life. */
const cache = new WeakMap<AssetSource, Map<string, unknown>>()
