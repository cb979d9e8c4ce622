// The platform: a test if a request came through Cloudflare, the compression of responses, and the files
// below assets/ that the service sends.

import type errors from '../../../assets/oauth-errors.json'
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
 * Returns the headers of a compressed text. The platform compresses the body with the coding that the header
 * names. Do not use them for a response that has a secret beside a text that a stranger chose: its length
 * would tell if the text is part of the secret (BREACH).
 */
export function gzipHeaders(c: AppContext): Readonly<Record<string, string>> {
  return { Vary: 'Accept-Encoding', ...(accepts(c, 'gzip') && { 'Content-Encoding': 'gzip' }) }
}

/**
 * Returns true if the client accepts a content coding. A weight of 0 refuses the coding (RFC 9110 §12.5.3).
 */
export function accepts(c: AppContext, coding: string): boolean {
  const accepted = (c.req.header('Accept-Encoding') ?? '').toLowerCase().split(',')
  return accepted.some((entry) => {
    const [name, weight = ''] = entry.split(';').map((part) => part.trim())
    return name === coding && !/^q=0(\.0*)?$/.test(weight)
  })
}

/**
 * Reads and parses a file. The result is cached for each binding, so a file must always have the same
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
 * itself if there is no text, so no response fails for a missing text.
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

/** OAuth errors, by table. The table for wallets has descriptions only. */
export type OAuthErrors = typeof errors

/** Returns the OAuth errors of assets/oauth-errors.json. */
export function oauthErrors(assets: AssetSource): Promise<OAuthErrors> {
  return readTable(assets, 'oauth-errors.json')
}
