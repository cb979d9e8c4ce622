// Resolution of a did:web: the DID document is fetched from the URL that the DID contains. The fetch is
// guarded, limited in size and cached. The document is valid for this DID only.

import { member } from '../../codec/json.ts'
import { DID } from '../../limits.ts'
import { createFetchCache } from '../../net/cache.ts'
import { fetchJson } from '../../net/fetch-json.ts'
import type { FetchResource } from '../../net/guarded-fetch.ts'
import { err, ok, type Result } from '../../result.ts'
import { type DidDocumentKeys, readDidDocument } from './did-document.ts'

/**
 * `invalid`: the DID is not of a known method, or its document is not acceptable. `unavailable`: the document
 * could not be fetched.
 */
export type DidError = 'invalid' | 'unavailable'

/**
 * Returns the keys of a did:web document. Cached keys are used if they are younger than `maximumAge` seconds.
 */
export const readDidWeb = createFetchCache<Result<DidDocumentKeys, DidError>>({
  read: (did, { fetchResource }) => fetchDidWeb(did, fetchResource),
  late: err('unavailable'),
})

/**
 * Returns the URL of a did:web document (did:web §3.2); `undefined` for any other text. If the URL parser
 * would change the spelling (`..`, upper case, a default port), the DID is rejected. Two programs could
 * derive different URLs from such a DID.
 *
 * @example
 * didWebUrl('did:web:issuer.example:tenant') // 'https://issuer.example/tenant/did.json'
 */
export function didWebUrl(did: string): string | undefined {
  const [host, port, path = ''] = SYNTAX.exec(did)?.slice(1) ?? []
  if (host === undefined) return undefined
  const place = path === '' ? '/.well-known' : path.replaceAll(':', '/')
  const url = `https://${host}${port === undefined ? '' : `:${port}`}${place}/did.json`
  return URL.canParse(url) && new URL(url).href === url ? url : undefined
}

const SYNTAX = /^did:web:([a-z0-9.-]{1,253})(?:%3A(\d{1,5}))?((?::[A-Za-z0-9._%-]{1,128}){0,16})$/

async function fetchDidWeb(
  did: string,
  fetchResource: FetchResource,
): Promise<Result<DidDocumentKeys, DidError>> {
  const url = didWebUrl(did)
  if (url === undefined) return err('invalid')
  const request = { url, accept: 'application/did+json, application/json' }
  const document = await fetchJson(fetchResource, request, DID.document)
  if (!document.ok) return document
  if (member(document.value, 'id') !== did) return err('invalid')
  const keys = readDidDocument(document.value, did)
  return keys === undefined ? err('invalid') : ok(keys)
}
