// Which authorization requests of a session are alive (CONTRACT 3). Of each kind alive are: the newest; handed-out ones until the
// session ends, at most 32, the least recently used going first; other older ones for 60 s after they were superseded, at most 8.
// A link is for one browser and replaces links only: it never ends the picture that somebody else is about to scan, nor the
// request that a wallet already has. So whoever opens links again and again ends nobody's QR, and the other way about.

/** How a generation reached the wallet. */
export type Channel = 'qr' | 'link' | 'dc_api' | 'by_value'

/** One authorization request as stored. Times are Unix milliseconds. */
export type StoredGeneration = {
  readonly number: number
  readonly nonce: string
  /** Public coordinates of the response-encryption key (P-256). */
  readonly x: string
  readonly y: string
  /** The private key, sealed; erased with the generation. */
  readonly sealed_key: string
  readonly channel: Channel
  /** `browserMark` of the browser that a link was made for; null for what any device may answer. */
  readonly browser: string | null
  /** The origin whose page hands the request to the Digital Credentials API; absent in the redirect flow. */
  readonly origin?: string
  readonly created_at: number
  /** When a newer generation was made. */
  readonly superseded_at: number | null
  /** When it was first handed out: fetched by a wallet, its view read, or given by value. */
  readonly handed_out_at: number | null
  /** Whether a wallet fetched its Request Object. */
  readonly fetched: boolean
  /** Whether its view was read through `/openid4vp`. */
  readonly viewed: boolean
  /** When it was last handed out. Kept in memory between writes: a repeated fetch writes nothing. */
  readonly used_at: number
}

const HANDED_OUT_LIMIT = 32
const SUPERSEDED_LIMIT = 8

/** How long a superseded generation that nobody fetched stays alive. */
export const SUPERSEDED_LIFETIME_MS = 60_000

/**
 * Adds a generation and forgets the dead ones. Renders at the same time may be written in another order than they were numbered:
 * the newest of its kind is the one with the highest number, and only the others of that kind are superseded.
 */
export function addGeneration(
  generations: readonly StoredGeneration[],
  added: StoredGeneration,
): readonly StoredGeneration[] {
  const all = [...generations, added]
  const newest = newestGeneration(all, kindOf(added))
  const marked = all.map((generation) =>
    generation === newest || kindOf(generation) !== kindOf(added)
      ? generation
      : { ...generation, superseded_at: generation.superseded_at ?? added.created_at },
  )
  return aliveGenerations(marked, added.created_at)
}

/** Those that still accept a fetch and an answer at `now`, oldest first. */
export function aliveGenerations(
  generations: readonly StoredGeneration[],
  now: number,
): readonly StoredGeneration[] {
  const alive = new Set(KINDS.flatMap((kind) => aliveOfKind(generations, kind, now)))
  return generations.filter((generation) => alive.has(generation))
}

/** Who may answer: whoever sees the QR, the one browser a link was made for, or a browser's own API, by way of our page or the relying party's. */
const KINDS = ['any_device', 'one_browser', 'dc_api_page', 'dc_api_relying_party'] as const
export type GenerationKind = (typeof KINDS)[number]

/** The newest generation of a kind: the one that nothing has superseded. */
export function newestGeneration(
  generations: readonly StoredGeneration[],
  kind: GenerationKind,
): StoredGeneration | undefined {
  return generations
    .filter((generation) => generation.superseded_at === null && kindOf(generation) === kind)
    .reduce<StoredGeneration | undefined>(
      (newest, one) => (newest === undefined || one.number > newest.number ? one : newest),
      undefined,
    )
}

/** Notes that a generation was handed out at `now`, and how. */
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
  const older = generations.filter((generation) => generation !== newest && kindOf(generation) === kind)
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

function kindOf({ browser, channel }: StoredGeneration): GenerationKind {
  if (channel === 'dc_api') return browser === null ? 'dc_api_relying_party' : 'dc_api_page'
  return browser === null ? 'any_device' : 'one_browser'
}

function isStale(generation: StoredGeneration, now: number): boolean {
  return generation.superseded_at !== null && now - generation.superseded_at >= SUPERSEDED_LIFETIME_MS
}
