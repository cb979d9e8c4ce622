// Live authorization requests (generations) of a session (api/request). Of each kind (`KINDS`), these
// generations are live:
// - the newest generation;
// - generations that were handed out, until the session ends: at most 32, the most recently used;
// - other generations, for 60 s after a newer generation was created: at most 8.
// A generation supersedes only generations of its own kind. So a new link never ends a QR code that somebody
// is about to scan, and a new QR code never ends a link.

/** Channel by which a request reaches the wallet. */
export type Channel = 'qr' | 'link' | 'dc_api' | 'by_value'

/**
 * Nonce and key (P-256) of `org-iso-mdoc`, base64url. The private key is sealed, and erased with the
 * generation.
 */
export type StoredAnnexC = {
  readonly nonce: string
  readonly x: string
  readonly y: string
  readonly sealed_key: string
  /** Hash of the request for the receipt, if the request has a registration certificate. */
  readonly request_hash?: string
}

/** One authorization request as it is stored. Times are Unix milliseconds. */
export type StoredGeneration = {
  readonly number: number
  readonly nonce: string
  /** Public coordinates of the response-encryption key (P-256). */
  readonly x: string
  readonly y: string
  /** The private key, sealed; erased with the generation. */
  readonly sealed_key: string
  readonly channel: Channel
  /** Id of the wallet that was chosen; absent in a request for any wallet. */
  readonly wallet?: string
  /**
   * `browserMark` of the only browser that may respond. Null if any device may respond, and for a request
   * that the relying party's page sends to the Digital Credentials API.
   */
  readonly browser: string | null
  /** Origin of the page that uses the Digital Credentials API; absent in the redirect flow. */
  readonly origin?: string
  /** Nonce and key of `org-iso-mdoc`; absent if the request does not offer this protocol. */
  readonly annex_c?: StoredAnnexC
  readonly created_at: number
  /** Time at which a newer generation of the same kind was created. */
  readonly superseded_at: number | null
  /**
   * Time at which the request was first handed out; null before. A request is handed out when a wallet
   * fetches it or the relying party reads its view. A request by value or for the Digital Credentials API is
   * handed out when it is created.
   */
  readonly handed_out_at: number | null
  /** True once a wallet has fetched the Request Object. */
  readonly fetched: boolean
  /** True once the relying party has read the view of the request through `/openid4vp`. */
  readonly viewed: boolean
  /**
   * Time at which the request was last handed out, or the creation time if it was not handed out yet. A
   * repeated fetch changes this time in memory only.
   */
  readonly used_at: number
  /**
   * `sealed_requests`: the requests that were sent last (`SentRequests`), sealed. `fetches`: how often
   * requests of the generation were sent. Both are absent if no evidence is kept, or if only an unsigned
   * request of OpenID4VP was sent.
   */
  readonly sealed_requests?: string
  readonly fetches?: number
}

const HANDED_OUT_LIMIT = 32
const SUPERSEDED_LIMIT = 8

/** Lifetime of a superseded generation that was not handed out. */
export const SUPERSEDED_LIFETIME_MS = 60_000

/**
 * Adds a generation, marks the superseded generations of its kind, and drops the dead generations. The
 * generation with the highest number is the newest. Generations that are created at the same time may be
 * written in another order than their numbers.
 */
export function addGeneration(
  generations: readonly StoredGeneration[],
  added: StoredGeneration,
): readonly StoredGeneration[] {
  const all = [...generations, added]
  const newest = newestGeneration(all, chooseKind(added))
  const marked = all.map((generation) =>
    generation === newest || chooseKind(generation) !== chooseKind(added)
      ? generation
      : { ...generation, superseded_at: generation.superseded_at ?? added.created_at },
  )
  return aliveGenerations(marked, added.created_at)
}

/** Returns the generations that accept a fetch and a response at `now`, oldest first. */
export function aliveGenerations(
  generations: readonly StoredGeneration[],
  now: number,
): readonly StoredGeneration[] {
  const alive = new Set(KINDS.flatMap((kind) => aliveOfKind(generations, kind, now)))
  return generations.filter((generation) => alive.has(generation))
}

/**
 * Kinds of generations: for any device, for the browser of a link, and for the Digital Credentials API on our
 * page or on the relying party's page.
 */
const KINDS = ['any_device', 'one_browser', 'dc_api_page', 'dc_api_relying_party'] as const
type GenerationKind = (typeof KINDS)[number]

/** Returns the newest generation of this kind that is not superseded. */
export function newestGeneration(
  generations: readonly StoredGeneration[],
  kind: GenerationKind,
): StoredGeneration | undefined {
  const current = generations.filter((one) => one.superseded_at === null && chooseKind(one) === kind)
  return current.toSorted((a, b) => b.number - a.number)[0]
}

/** Returns the generation, marked as handed out at `now`. */
export function handOut(
  generation: StoredGeneration,
  now: number,
  how: 'fetched' | 'viewed',
): StoredGeneration {
  return {
    ...generation,
    [how]: true,
    handed_out_at: generation.handed_out_at ?? now,
    used_at: now,
  }
}

function aliveOfKind(
  generations: readonly StoredGeneration[],
  kind: GenerationKind,
  now: number,
): readonly StoredGeneration[] {
  const newest = newestGeneration(generations, kind)
  const older = generations.filter((generation) => generation !== newest && chooseKind(generation) === kind)
  const handedOut = older
    .filter((generation) => generation.handed_out_at !== null)
    .sort((a, b) => b.used_at - a.used_at)
    .slice(0, HANDED_OUT_LIMIT - (newest?.handed_out_at == null ? 0 : 1))
  const waiting = older
    .filter((generation) => generation.handed_out_at === null && !isStale(generation, now))
    .sort((a, b) => b.number - a.number)
    .slice(0, SUPERSEDED_LIMIT)
  return newest === undefined ? [...handedOut, ...waiting] : [newest, ...handedOut, ...waiting]
}

function chooseKind({ browser, channel }: StoredGeneration): GenerationKind {
  if (channel === 'dc_api') return browser === null ? 'dc_api_relying_party' : 'dc_api_page'
  return browser === null ? 'any_device' : 'one_browser'
}

function isStale(generation: StoredGeneration, now: number): boolean {
  return generation.superseded_at !== null && now - generation.superseded_at >= SUPERSEDED_LIFETIME_MS
}
