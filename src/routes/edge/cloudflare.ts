// Parts that depend on the platform: the check if a request came through Cloudflare, and access to the files
// below assets/.

import type errors from '../../../assets/oauth-errors.json'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { acceptedCodings } from '../../net/content-coding.ts'
import type { AppContext } from './context.ts'

/** The binding of the files below assets/, or an object that replaces it. */
export type AssetSource = Pick<Fetcher, 'fetch'>

/**
 * Returns true if the request came through Cloudflare's edge, which sets its location in `cf`. Without the
 * edge, `workerd` sets `cf` with the caller's address only.
 */
export function cameByCloudflare({ cf }: Request): boolean {
  return typeof cf?.colo === 'string'
}

/**
 * Sends a static file in the best coding that the client accepts and that the build has written
 * (scripts/service/compress.mjs), or uncompressed. All codings share one weak ETag. Returns `undefined` if
 * the file is missing.
 */
export async function sendFile(
  c: AppContext,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response | undefined> {
  const version = await computeVersion(c.env.ASSETS, path).catch(() => undefined)
  if (version === undefined) return undefined
  const allHeaders: Record<string, string> = { ETag: `W/"${version}"`, Vary: 'Accept-Encoding', ...headers }
  if (c.req.header('If-None-Match')?.includes(`"${version}"`))
    return new Response(null, { status: 304, headers: allHeaders })
  for (const coding of [...acceptedCodings(c.req.header('Accept-Encoding')), undefined]) {
    const suffix = coding === undefined ? '' : `.${version}.${coding}`
    const file = await c.env.ASSETS.fetch(`https://assets/${path}${suffix}`)
    if (file.status !== 200) continue
    if (coding !== undefined) allHeaders['Content-Encoding'] = coding
    return new Response(file.body, { headers: allHeaders, encodeBody: 'manual' })
  }
  return undefined
}

/** Returns a hash of a text file. The names of its compressed files contain this hash. */
export function computeVersion(assets: AssetSource, path: string): Promise<string> {
  return readOnce(assets, path, async (text) => encodeBase64url(await sha256(utf8(text))).slice(0, 16))
}

/**
 * Reads and parses a file. The result is cached for each binding, so every call for a file must pass the same
 * `parse`. A failure is not cached. If the file is unavailable, throws an error marked as `retryable`, which
 * the edge reports as 503.
 */
export async function readOnce<T>(
  assets: AssetSource,
  path: string,
  parse: (text: string) => Promise<T>,
): Promise<T> {
  const files = cache.get(assets) ?? new Map<string, unknown>()
  cache.set(assets, files)
  if (files.has(path)) return files.get(path) as T // an earlier call with the same `parse` stored it
  const file = await assets.fetch(`https://assets/${path}`).catch(() => undefined)
  if (!file?.ok) throw Object.assign(new Error(`assets/${path} is unavailable`), { retryable: true })
  const parsed = await parse(await file.text())
  files.set(path, parsed)
  return parsed
}

/** Cache of parsed files, by binding and path. A binding is one object for the isolate's whole life. */
const cache = new WeakMap<AssetSource, Map<string, unknown>>()

/**
 * Returns the text of a code in assets/messages.json, with `values` in its placeholders. Returns the code
 * itself if there is no text, so no response fails because a text is missing.
 */
export async function readMessage(
  assets: AssetSource,
  code: string,
  values: Readonly<Record<string, string>> = {},
): Promise<string> {
  const texts = await readTable<Record<string, string>>(assets, 'messages.json').catch(() => undefined)
  return (texts?.[code] ?? code).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
}

/** Reads one of our own JSON files. */
export function readTable<T>(assets: AssetSource, path: string): Promise<T> {
  return readOnce<T>(assets, path, parseTable)
}

async function parseTable(text: string) {
  return JSON.parse(text)
}

/**
 * OAuth errors of assets/oauth-errors.json: one table for each kind of request. The table `wallet` has only
 * the description of each error. The other tables have the status, the OAuth error code and the description.
 */
export type OAuthErrors = typeof errors

/** Returns the OAuth errors of assets/oauth-errors.json. */
export function oauthErrors(assets: AssetSource): Promise<OAuthErrors> {
  return readTable(assets, 'oauth-errors.json')
}
