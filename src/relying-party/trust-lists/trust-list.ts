// One list of trusted issuers, which the operator configures for all relying parties. An alarm fetches and
// verifies the list. The last verified copy is used until it is stale.

import { DurableObject } from 'cloudflare:workers'
import { loadConfig, outboundRule } from '../../config.ts'
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

/** Reason why a list was not renewed: the fetch failed, or the list failed verification. */
type RefreshError = FetchError | TrustListError

/** The anchors of a list, for response processing. Times are Unix milliseconds. */
export type TrustListCopy = {
  readonly name: string
  readonly livemode: boolean
  /** Each anchor has the name of the list, and the sequence number and the `trust_as_of` of the copy. */
  readonly anchors: readonly TrustAnchor[]
  /** `null`: the copy can be used without a time limit. */
  readonly usable_until: number | null
}

/** A list as its operator sees it. Times are Unix milliseconds; an unknown value is `null`. */
export type TrustListView = {
  readonly config: TrustListConfig
  readonly created_at: number
  readonly sequence: number | null
  readonly issued_at: number | null
  readonly next_update: number | null
  /** Time at which the copy was last confirmed as the current issue. */
  readonly trust_as_of: number | null
  readonly usable_until: number | null
  readonly anchors: number
  /** Number of certificates of mapped services that could not become anchors. */
  readonly left_out: number
  readonly last_attempt: { readonly at: number; readonly fault: RefreshError | null } | null
}

/**
 * The stored document. The anchors are stored under another key, because they may have a megabyte and change
 * less often.
 */
type TrustListRecord = {
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
  /**
   * Expiry of the signer in Unix seconds; `null`: the list is not signed. If an older record has no such
   * member, the next fetch requests the whole list.
   */
  readonly signerExpires?: number | null
}

/** A verified list with the `ETag` of its response. */
type NewEdition = Omit<VerifiedList, 'signerExpires'> & Pick<Edition, 'etag' | 'signerExpires'>

type SignedSource = Exclude<TrustListSource, { kind: 'pem_bundle' }>

const DOCUMENT = 'document'
const ANCHORS = 'anchors'

/** Time limit of one fetch, including the body. */
const FETCH_TIMEOUT_MS = 15_000
/** Longest wait after a fetch that failed. */
const RETRY_MS = 300_000

export class TrustList extends DurableObject<Env> {
  #refreshing: Promise<void> | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    void ctx.blockConcurrencyWhile(async () => {
      // The platform drops an alarm that failed too often. A list always has an alarm.
      if (this.#source() !== undefined && (await ctx.storage.getAlarm()) === null)
        await this.#wakeAt(Date.now())
    })
  }

  /**
   * Stores a new list, and fetches it at once or reads its PEM bundle. `last_attempt` of the result has the
   * error, if any.
   */
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

  /** Returns the anchors, for response processing. */
  copy(): Result<TrustListCopy, 'not_found'> {
    const stored = this.#load()
    if (stored === undefined) return err('not_found')
    const { name, livemode } = stored.config
    const { edition, checked_at } = stored
    const trust_as_of = new Date(checked_at ?? 0).toISOString()
    const list = { name, sequence: edition?.sequence ?? null, trust_as_of }
    // OpenID4VP 1.0 §6.1.1.2: a query can name an ETSI list by its URL. It cannot name a list of another
    // kind.
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

  /** Fetches the list now. */
  async refresh(): Promise<Result<TrustListView, 'not_found'>> {
    await this.alarm()
    return this.view()
  }

  /** Erases the list and its anchors. Returns true if the list existed. */
  async erase(): Promise<boolean> {
    const existed = this.#load() !== undefined
    await this.ctx.storage.deleteAll()
    return existed
  }

  override async alarm(): Promise<void> {
    const source = this.#source()
    if (source === undefined) return
    // The next alarm is set first, so that it also comes if this run crashes.
    await this.#wakeAt(Date.now() + Math.min(RETRY_MS, source.refresh_seconds * 1000))
    this.#refreshing ??= this.#refresh(source).finally(() => {
      this.#refreshing = undefined
    })
    await this.#refreshing
    if (this.#load()?.last_attempt?.fault === null)
      await this.#wakeAt(Date.now() + source.refresh_seconds * 1000)
  }

  /**
   * Fetches the list and stores the result. `alarm` runs one fetch at a time, so that the new list is
   * compared with the issue that it replaces.
   */
  async #refresh(source: SignedSource): Promise<void> {
    const before = this.#load()
    if (before === undefined) return
    const begun = Date.now()
    const fetched = await this.#fetch(source, before)
    const result = fetched.ok ? 'ok' : fetched.error
    record('fetches', { media_type: ACCEPT[source.kind], result }, { ms: Date.now() - begun })
    const stored = this.#load()
    if (stored?.created_at !== before.created_at) return // erased meanwhile
    const now = Date.now()
    if (!fetched.ok) {
      this.#save({ ...stored, last_attempt: { at: now, fault: fetched.error } })
      return
    }
    const attempted = { ...stored, checked_at: now, last_attempt: { at: now, fault: null } }
    if (fetched.value === 'not_modified') this.#save(attempted)
    else this.#keep(attempted, fetched.value)
  }

  async #fetch(
    source: SignedSource,
    { edition, config }: TrustListRecord,
  ): Promise<Result<NewEdition | 'not_modified', RefreshError>> {
    const get = createConditionalGet({
      fetch: (input, init) => fetch(input, init),
      ...outboundRule(loadConfig(this.env), config.livemode),
      timeoutMs: FETCH_TIMEOUT_MS,
    })
    const accept = ACCEPT[source.kind]
    const etag = edition?.signerExpires === undefined ? null : edition.etag
    const fetched = await get({ url: source.url, accept, limit: TRUST_LIST.bytes, etag })
    if (!fetched.ok) return fetched
    const now = Math.floor(Date.now() / 1000)
    if (fetched.value === 'not_modified') {
      // The list or its signer may have expired since the last fetch. A response with status 304 does not
      // show this.
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
    const anchors = content.ok ? anchorsOfList(content.value.certificates, stored.config.services) : content
    const last_attempt = { at: now, fault: anchors.ok ? null : anchors.error }
    if (!anchors.ok) this.#save({ ...stored, last_attempt })
    else {
      const edition = {
        sequence: null,
        issuedAt: null,
        nextUpdate: null,
        signerExpires: null,
        etag: null,
        ...anchors.value,
      }
      this.#keep({ ...stored, checked_at: now, last_attempt }, edition)
    }
  }

  #keep(stored: TrustListRecord, { anchors, ...edition }: NewEdition): void {
    this.ctx.storage.kv.put(ANCHORS, anchors)
    this.#save({ ...stored, edition: { ...edition, anchors: anchors.length } })
  }

  #load(): TrustListRecord | undefined {
    return this.ctx.storage.kv.get<TrustListRecord>(DOCUMENT)
  }

  #save(stored: TrustListRecord): void {
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
 * Returns the time until which the copy may be used; 0 without a copy, `null` for a PEM bundle. This time is
 * the due time of the next issue, or `stale_after_seconds` after the last confirmation if that is earlier.
 */
function usableUntil({ config, edition, checked_at }: TrustListRecord): number | null {
  if (edition === null || checked_at === null) return 0
  if (config.kind === 'pem_bundle') return null
  const unconfirmed = checked_at + config.stale_after_seconds * 1000
  return Math.min(unconfirmed, toMilliseconds(edition.nextUpdate) ?? unconfirmed)
}

function toMilliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}
