// One list of trusted issuers that the operator keeps for all: fetched by alarm, verified, and kept while a newer one does not
// come. Whoever asks for its anchors is told until when they may be used; after that they are as good as none.

import { DurableObject } from 'cloudflare:workers'
import { configOf } from '../../config.ts'
import { type Env, withJurisdiction } from '../../env.ts'
import { TRUST_LIST } from '../../limits.ts'
import { record } from '../../metrics/record.ts'
import { createConditionalGet, type FetchError } from '../../net/guarded-fetch.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { anchorsOfList } from '../../trust/lists/list-anchors.ts'
import type { TrustListError } from '../../trust/lists/listed.ts'
import { readPemBundle } from '../../trust/lists/pem-bundle.ts'
import { type VerifiedList, verifyTrustList } from '../../trust/lists/trust-list.ts'
import type { TrustListConfig, TrustListSource } from './trust-list-schema.ts'

/** Why a list was not renewed: it did not come, or was not believed. */
export type RefreshFault = FetchError | TrustListError

/** What the anchors of a list are used by. Times are Unix milliseconds. */
export type TrustListCopy = {
  readonly name: string
  readonly livemode: boolean
  /** Each names the list and its issue. */
  readonly anchors: readonly TrustAnchor[]
  /** `null`: as long as the list is kept. */
  readonly usable_until: number | null
}

/** A list as its operator sees it. Times are Unix milliseconds; what there is not is `null`. */
export type TrustListView = {
  readonly config: TrustListConfig
  readonly created_at: number
  readonly sequence: number | null
  readonly issued_at: number | null
  readonly next_update: number | null
  /** When the copy was last known to be the current issue. */
  readonly trust_as_of: number | null
  readonly usable_until: number | null
  readonly anchors: number
  /** Certificates of mapped services that could not become anchors. */
  readonly left_out: number
  readonly last_attempt: { readonly at: number; readonly fault: RefreshFault | null } | null
}

/** What is stored. The anchors stand by themselves: they may take a megabyte, and change less often than the rest. */
type Stored = {
  readonly schema: 1
  readonly config: TrustListConfig
  readonly created_at: number
  readonly edition: Edition | null
  readonly checked_at: number | null
  readonly last_attempt: TrustListView['last_attempt']
}

type Edition = Omit<VerifiedList, 'anchors' | 'signerExpires'> & {
  readonly anchors: number
  readonly etag: string | null
  /** `null`: nobody signed it. Absent where it was stored before this was noted: then it is fetched as a whole. */
  readonly signerExpires?: number | null
}

/** A list that is believed, as it is to be kept. */
type Found = Omit<VerifiedList, 'signerExpires'> & Pick<Edition, 'etag' | 'signerExpires'>

type SignedSource = Exclude<TrustListSource, { kind: 'pem_bundle' }>

const DOCUMENT = 'document'
const ANCHORS = 'anchors'

/** For one fetch, its body included. */
const FETCH_TIMEOUT_MS = 15_000
/** A list that did not come is asked for again after so long at most. */
const RETRY_MS = 300_000

export class TrustList extends DurableObject<Env> {
  #refreshing: Promise<void> | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    void ctx.blockConcurrencyWhile(async () => {
      // The platform gives up an alarm that failed too often; a list is never left without one.
      if (this.#source() !== undefined && (await ctx.storage.getAlarm()) === null)
        await this.#wakeAt(Date.now())
    })
  }

  /** Fills a new object, and tries to get the list at once: what is wrong with it stands in the answer. */
  async create(config: TrustListConfig, now: number): Promise<Result<TrustListView, 'exists' | 'not_found'>> {
    if (this.#load() !== undefined) return err('exists')
    this.#save({ schema: 1, config, created_at: now, edition: null, checked_at: null, last_attempt: null })
    if (config.kind === 'pem_bundle') this.#takeBundle(config.pem, now)
    else await this.alarm()
    return this.view()
  }

  view(): Result<TrustListView, 'not_found'> {
    const stored = this.#load()
    if (stored === undefined) return err('not_found')
    const { config, created_at, edition, last_attempt } = stored
    return ok({
      config,
      created_at,
      sequence: edition?.sequence ?? null,
      issued_at: toMilliseconds(edition?.issuedAt),
      next_update: toMilliseconds(edition?.nextUpdate),
      trust_as_of: stored.checked_at,
      usable_until: usableUntil(stored),
      anchors: edition?.anchors ?? 0,
      left_out: edition?.leftOut ?? 0,
      last_attempt,
    })
  }

  /** The anchors, for whoever judges an answer. */
  copy(): Result<TrustListCopy, 'not_found'> {
    const stored = this.#load()
    if (stored === undefined) return err('not_found')
    const { name, livemode } = stored.config
    const { edition, checked_at } = stored
    const trust_as_of = new Date(checked_at ?? 0).toISOString()
    const list = { name, sequence: edition?.sequence ?? null, trust_as_of }
    // OpenID4VP 1.0 §6.1.1.2: by its address a query asks for an ETSI list, and for no other kind.
    const published = stored.config.kind === 'etsi_lote' ? { listUrl: stored.config.url } : {}
    const anchors = this.ctx.storage.kv.get<readonly TrustAnchor[]>(ANCHORS) ?? []
    const usable_until = usableUntil(stored)
    return ok({
      name,
      livemode,
      usable_until,
      anchors: anchors.map((anchor) => ({ ...anchor, list, ...published })),
    })
  }

  /** Gets the list now. */
  async refresh(): Promise<Result<TrustListView, 'not_found'>> {
    await this.alarm()
    return this.view()
  }

  /** Erases the list with all that is known of it. True where it was there. */
  async erase(): Promise<boolean> {
    const existed = this.#load() !== undefined
    await this.ctx.storage.deleteAll()
    return existed
  }

  override async alarm(): Promise<void> {
    const source = this.#source()
    if (source === undefined) return
    // First of all: should this run not come to its end, the next one is due all the same.
    await this.#wakeAt(Date.now() + Math.min(RETRY_MS, source.refresh_seconds * 1000))
    this.#refreshing ??= this.#refresh(source).finally(() => {
      this.#refreshing = undefined
    })
    await this.#refreshing
    if (this.#load()?.last_attempt?.fault === null)
      await this.#wakeAt(Date.now() + source.refresh_seconds * 1000)
  }

  /** One at a time, so what was found is compared with the issue that it replaces. */
  async #refresh(source: SignedSource): Promise<void> {
    const before = this.#load()
    if (before === undefined) return
    const begun = Date.now()
    const found = await this.#fetch(source, before)
    const result = found.ok ? 'ok' : found.error
    record('fetches', { media_type: ACCEPT[source.kind], result }, { ms: Date.now() - begun })
    const stored = this.#load()
    if (stored?.created_at !== before.created_at) return // erased meanwhile
    const now = Date.now()
    if (!found.ok) {
      this.#save({ ...stored, last_attempt: { at: now, fault: found.error } })
      return
    }
    const attempted = { ...stored, checked_at: now, last_attempt: { at: now, fault: null } }
    if (found.value === 'not_modified') this.#save(attempted)
    else this.#keep(attempted, found.value)
  }

  async #fetch(
    source: SignedSource,
    { edition, config }: Stored,
  ): Promise<Result<Found | 'not_modified', RefreshFault>> {
    const { baseUrl, allowLoopback } = configOf(this.env)
    const get = createConditionalGet({
      fetch: (input, init) => fetch(input, init),
      allowLoopback: allowLoopback && !config.livemode,
      ownHost: new URL(baseUrl).host,
      timeoutMs: FETCH_TIMEOUT_MS,
    })
    const accept = ACCEPT[source.kind]
    const etag = edition?.signerExpires === undefined ? null : edition.etag
    const fetched = await get({ url: source.url, accept, limit: TRUST_LIST.bytes, etag })
    if (!fetched.ok) return fetched
    const now = Math.floor(Date.now() / 1000)
    if (fetched.value === 'not_modified') {
      // What is unchanged may have come to its end, and so may its signer: that nothing newer is there confirms nothing.
      if ((edition?.nextUpdate ?? Infinity) <= now) return err('expired')
      return (edition?.signerExpires ?? Infinity) >= now ? ok('not_modified') : err('certificate_expired')
    }
    const { kind, signers, list_type: listType } = source
    const rules = { kind, signers, listType, services: config.services, last: edition, now }
    const verified = await verifyTrustList(fetched.value.body, rules)
    return verified.ok ? ok({ ...verified.value, etag: fetched.value.etag }) : verified
  }

  #takeBundle(pem: string, now: number): void {
    const stored = this.#load()
    if (stored === undefined) return
    const content = readPemBundle(pem)
    const made = content.ok ? anchorsOfList(content.value.certificates, stored.config.services) : content
    const last_attempt = { at: now, fault: made.ok ? null : made.error }
    if (!made.ok) this.#save({ ...stored, last_attempt })
    else {
      const edition = {
        sequence: null,
        issuedAt: null,
        nextUpdate: null,
        signerExpires: null,
        etag: null,
        ...made.value,
      }
      this.#keep({ ...stored, checked_at: now, last_attempt }, edition)
    }
  }

  #keep(stored: Stored, { anchors, ...edition }: Found): void {
    this.ctx.storage.kv.put(ANCHORS, anchors)
    this.#save({ ...stored, edition: { ...edition, anchors: anchors.length } })
  }

  #load(): Stored | undefined {
    return this.ctx.storage.kv.get<Stored>(DOCUMENT)
  }

  #save(stored: Stored): void {
    this.ctx.storage.kv.put(DOCUMENT, stored)
  }

  #source(): SignedSource | undefined {
    const config = this.#load()?.config
    return config === undefined || config.kind === 'pem_bundle' ? undefined : config
  }

  async #wakeAt(time: number): Promise<void> {
    await this.ctx.storage.setAlarm(time)
  }
}

const ACCEPT = { etsi_lote: 'application/jose', vical: 'application/cbor' } as const

/**
 * Until the next issue was due, and no longer than the operator lets a copy stand that could not be confirmed. 0: there never
 * was one.
 */
function usableUntil({ config, edition, checked_at }: Stored): number | null {
  if (edition === null || checked_at === null) return 0
  if (config.kind === 'pem_bundle') return null
  const unconfirmed = checked_at + config.stale_after_seconds * 1000
  return Math.min(unconfirmed, toMilliseconds(edition.nextUpdate) ?? unconfirmed)
}

function toMilliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}
