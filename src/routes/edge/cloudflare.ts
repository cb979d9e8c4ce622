// The platform: where a request came through, and the files below assets/ that the service sends.

import type errors from '../../../assets/oauth-errors.json'

/** The binding of the files, or a stand-in. */
export type AssetSource = Pick<Fetcher, 'fetch'>

/**
 * True if Cloudflare's edge passed the request on: it names its location. `workerd` alone sets `cf` too,
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

/**
 * Returns the text of a code in assets/messages.json, with `values` in its placeholders. Without the file:
 * the code. No response depends on a text.
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

/** Errors of OAuth, by table. For wallets: the descriptions alone. */
export type OAuthErrors = typeof errors

/** Returns the errors of OAuth. */
export function oauthErrors(assets: AssetSource): Promise<OAuthErrors> {
  return readTable(assets, 'oauth-errors.json')
}
