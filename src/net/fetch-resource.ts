// The one way the core reads something from the network: a guarded GET, given as an argument. The guard (public names
// only, by https unless told otherwise), the time limit and the size limit are the giver's; nothing a wallet wrote reaches it unverified.

import type { Result } from '../result.ts'

/** GETs a URL that a trust anchor or a verified signature named. No redirects are followed. */
export type FetchResource = (request: ResourceRequest) => Promise<Result<FetchedResource, FetchError>>

export type ResourceRequest = {
  readonly url: string
  /** Media type for `Accept`. */
  readonly accept: string
  /** Body bytes read at most. */
  readonly limit: number
  /** Whether plain http will do as well: only for what is public and signed. */
  readonly allowHttp?: boolean
}

export type FetchedResource = { readonly body: Uint8Array<ArrayBuffer>; readonly contentType: string }

/** `forbidden`: the guard refuses the URL. `unavailable`: network, time-out, or a status other than 200. */
export type FetchError = 'forbidden' | 'unavailable' | 'too_large'
