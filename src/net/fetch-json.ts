// Guarded GET of a JSON object.

import { type JsonObject, parseJsonObject } from '../codec/json.ts'
import { err, type Result } from '../result.ts'
import type { FetchResource } from './guarded-fetch.ts'

/**
 * Fetches and parses a JSON object within limits. `unavailable` means that a later try may succeed. `invalid`
 * means that the resource itself is not acceptable.
 */
export async function fetchJson(
  fetchResource: FetchResource,
  { url, accept }: { readonly url: string; readonly accept: string },
  { bytes, depth }: { readonly bytes: number; readonly depth: number },
): Promise<Result<JsonObject, 'invalid' | 'unavailable'>> {
  const fetched = await fetchResource({ url, accept, limit: bytes })
  if (!fetched.ok) return err(fetched.error === 'unavailable' ? 'unavailable' : 'invalid')
  const { body } = fetched.value
  const parsed = parseJsonObject(body.length <= bytes ? body : undefined, { length: bytes, depth })
  return parsed.ok ? parsed : err('invalid')
}
