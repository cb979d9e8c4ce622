// Cache of fetched status lists, for the time that each list allows (draft-ietf-oauth-status-list §8.4).
// Lists are cached compressed, and small lists also inflated. Trust is not cached, because each relying party
// has its own anchors.

import { FETCH_CACHE, STATUS_LIST } from '../../limits.ts'
import { createFetchCache, type FetchCache } from '../../net/cache.ts'
import { type FetchSource, readCopy, type SharedCopy } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { inflateStatusList } from './status-inflate.ts'
import type { DecodedStatusToken, StatusListError, StatusListForm } from './status-token.ts'

/**
 * A decoded token whose list inflates within the limits. `verifications` has the keys that were tried, each
 * with the result: true if the key verifies the signature.
 */
export type CachedStatusToken = {
  readonly token: DecodedStatusToken
  readonly verifications: Map<string, boolean>
  /** Unix seconds. */
  readonly fetchedAt: number
  readonly bytes: number
  /** The inflated list; `undefined` if the list is too large to be cached inflated. */
  readonly held: Uint8Array | undefined
  /**
   * Stores the token in the cache that is shared with other isolates. This function is called only after the
   * signature is verified, so that only authentic tokens are shared.
   */
  readonly share: () => void
}

type TokenResult = Result<CachedStatusToken, StatusListError>

/**
 * Returns the token at an address, from the cache or the network. The token's signature is not verified here.
 */
export function readStatusToken(
  { uri, form }: { readonly uri: string; readonly form: StatusListForm },
  source: FetchSource,
): Promise<TokenResult> {
  const cache = caches.get(form) ?? cacheFor(form)
  caches.set(form, cache)
  return cache(uri, source, STATUS_LIST.maximumSeconds)
}

const caches = new WeakMap<StatusListForm, FetchCache<TokenResult>>()

function cacheFor(form: StatusListForm): FetchCache<TokenResult> {
  return createFetchCache<TokenResult>({
    read: (uri, source, last) => readToken({ uri, form }, source, last),
    isFresh: (found, { now, age }) => found.ok && isGood(found.value, now, age),
    bytesOf: (found) => (found.ok ? found.value.bytes : 0),
    late: err('not_fetched'),
  })
}

/**
 * Returns whether a cached token may still be used. A token that no anchor's key has verified, or that has
 * expired, is cached as briefly as a failure.
 */
function isGood(token: CachedStatusToken, now: number, age: number): boolean {
  const isVerified = [...token.verifications.values()].includes(true)
  const isWorthMore = isVerified && secondsToExpiry(token, now) > 0
  return secondsToLive(token, now) > 0 && (isWorthMore || age < FETCH_CACHE.failedSeconds)
}

/**
 * Returns the seconds for which a token may stay cached: its `ttl` within our bounds, minus its age. HTTP
 * caching headers are ignored.
 */
function secondsToLive({ token, fetchedAt }: CachedStatusToken, now: number): number {
  const { defaultSeconds, minimumSeconds, maximumSeconds } = STATUS_LIST
  const { ttl = defaultSeconds } = token.claims
  return Math.min(Math.max(ttl, minimumSeconds), maximumSeconds) - Math.abs(now - fetchedAt)
}

/**
 * Returns the seconds until `exp`, or infinity if the token has no `exp`. `exp` is also checked at each use
 * of the token.
 */
function secondsToExpiry({ token }: CachedStatusToken, now: number): number {
  return (token.claims.exp ?? Number.POSITIVE_INFINITY) - now
}

function secondsLeft(token: CachedStatusToken, now: number): number {
  return Math.min(secondsToLive(token, now), secondsToExpiry(token, now))
}

type Place = { readonly uri: string; readonly form: StatusListForm }

function readToken(
  { uri, form }: Place,
  source: FetchSource,
  last: TokenResult | undefined,
): Promise<TokenResult> {
  return readCopy(source, {
    name: `${form.name} ${uri}`,
    request: { url: uri, accept: form.accept, limit: STATUS_LIST.tokenBytes },
    known: last?.ok ? last.value.fetchedAt : undefined,
    open: (copy, share) => openToken(copy, form, (token) => share(secondsLeft(token, source.now))),
    isFresh: (token) => secondsLeft(token, source.now) > 0,
  })
}

function openToken(
  { body, fetchedAt }: SharedCopy,
  form: StatusListForm,
  share: (token: CachedStatusToken) => void,
): TokenResult {
  const token = form.decode(body)
  if (!token.ok) return token
  const { list } = token.value.claims
  const whole = list.layout === 'identifiers' ? ok(new Uint8Array()) : inflateStatusList(list)
  if (!whole.ok) return whole
  // The list is copied, because a view would keep the whole buffer of the platform's inflater in memory.
  const held = whole.value.length <= STATUS_LIST.heldBytes ? new Uint8Array(whole.value) : undefined
  const opened: CachedStatusToken = {
    token: token.value,
    verifications: new Map(),
    fetchedAt,
    // Estimates the memory of the message, its claims, their decoded form and the inflated list. Identifiers
    // take more memory, because they are stored as texts in a set.
    bytes: (list.layout === 'identifiers' ? 8 : 3) * body.length + (held?.length ?? 0),
    held,
    share: () => share(opened),
  }
  return ok(opened)
}
