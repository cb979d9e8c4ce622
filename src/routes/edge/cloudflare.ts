// The platform: where a request came through, and the files below assets/ that the service sends.

import type errors from '../../../assets/oauth-errors.json'

/** The binding of the files, or a stand-in. */
export type AssetSource = Pick<Fetcher, 'fetch'>

/**
 * True where Cloudflare's edge passed the request on: it names its location. `workerd` alone sets `cf` too,
 * but only with the caller's address.
 */
export function cameByCloudflare({ cf }: Request): boolean {
  return typeof cf?.colo === 'string'
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

/** Errors of OAuth, by table. For wallets: the descriptions alone. */
export type OAuthErrors = typeof errors

/** Returns the errors of OAuth. */
export function oauthErrors(assets: AssetSource): Promise<OAuthErrors> {
  return readOnce(assets, 'oauth-errors.json', parseErrors)
}

async function parseErrors(text: string): Promise<OAuthErrors> {
  return JSON.parse(text) // our own file
}
