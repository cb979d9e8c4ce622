// What other isolates have fetched, where the platform has a cache for that. Nothing in it is believed for being there: a
// copy is decoded and verified as if it had just come from the network, and the time it was fetched at only shortens its life.

/** A cache that may forget anything at any time. Neither function rejects: a cache that fails is an empty one. */
export type SharedCache = {
  readonly get: (name: string, limit: number) => Promise<SharedCopy | undefined>
  /** Keeps a copy for so many seconds at most. */
  readonly put: (name: string, copy: SharedCopy, seconds: number) => Promise<void>
}

/** Bytes as they were fetched, and when: Unix seconds. */
export type SharedCopy = { readonly body: Uint8Array<ArrayBuffer>; readonly fetchedAt: number }
