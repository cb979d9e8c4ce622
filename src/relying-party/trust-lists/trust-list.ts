// One list of trusted issuers, which the operator configures for all relying parties. An alarm fetches and
// verifies the list. The last verified copy is used until it is stale.

import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../../config.ts'
import { type Env, withJurisdiction } from '../../env.ts'
import { logLine } from '../../metrics/log-line.ts'
import { loggedError } from '../../metrics/platform-error.ts'
import { record } from '../../metrics/record.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { anchorsOfList } from '../../trust/lists/list-anchors.ts'
import { readPemBundle } from '../../trust/lists/pem-bundle.ts'
import type { Naming } from '../materials/evidence-materials.ts'
import { keepMaterial, materialsStub } from '../materials/keep-material.ts'
import { FETCHED_AS, fetchList, type PublishedConfig } from './fetch-list.ts'
import { eraseFollowed, refreshFollowed, updateFollowed, viewFollowed } from './followed-lists.ts'
import {
  type FollowedBy,
  type NewEdition,
  type StoredIssue,
  type TrustListCopy,
  type TrustListRecord,
  type TrustListView,
  toCopy,
  toView,
} from './trust-list-record.ts'
import type { TrustListConfig } from './trust-list-schema.ts'

const DOCUMENT = 'document'
const ANCHORS = 'anchors'

/** Longest wait after a fetch that failed. */
const RETRY_MS = 300_000

export class TrustList extends DurableObject<Env> {
  #refreshing: Promise<boolean> | undefined
  #isErasing = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    void ctx.blockConcurrencyWhile(async () => {
      // The platform drops an alarm that failed too often. In this case, the alarm is set again here.
      if (this.#source() !== undefined && (await ctx.storage.getAlarm()) === null)
        await this.#wakeAt(Date.now())
    })
  }

  /**
   * Stores a new list, and fetches the list at once or reads its PEM bundle. `last_attempt` of the result has
   * the error, if any.
   */
  async create(config: TrustListConfig, now: number): Promise<Result<TrustListView, 'exists' | 'not_found'>> {
    if (this.#load() !== undefined) return err('exists')
    this.#save({ schema: 1, config, created_at: now, edition: null, checked_at: null, last_attempt: null })
    if (config.kind !== 'pem_bundle') return this.refresh()
    this.#takeBundle(config.pem, now)
    return this.view()
  }

  /**
   * Stores or updates a national list that a list of lists follows, and fetches the list after `wait`
   * milliseconds. If the configuration is unchanged, the alarm stays. If the new configuration does not name
   * the signer of the stored copy, the copy is discarded at once.
   */
  async follow(
    config: TrustListConfig,
    { followed, wait }: { readonly followed: FollowedBy; readonly wait: number },
  ): Promise<void> {
    const stored = this.#load()
    if (stored !== undefined && JSON.stringify(stored.config) === JSON.stringify(config)) return
    const unread = { edition: null, checked_at: null, last_attempt: null, former_issue: undefined }
    if (stored === undefined) this.#save({ schema: 1, config, created_at: Date.now(), ...unread, followed })
    else if (!hasSigner(config, stored.edition?.signer)) {
      // The sequence number is removed, too. The former signer could have made the number so high that every
      // other issue would be rejected.
      this.ctx.storage.kv.delete(ANCHORS)
      this.#save({ ...stored, config, ...unread, followed })
    } else {
      // The next fetch requests the whole list. After a change of the signers or the address, a response with
      // status 304 must not confirm the copy.
      const edition = stored.edition && { ...stored.edition, etag: null }
      this.#save({ ...stored, config, edition, followed })
    }
    await this.#wakeAt(Date.now() + wait)
  }

  async view(): Promise<Result<TrustListView, 'not_found'>> {
    const stored = this.#load()
    if (stored === undefined) return err('not_found')
    const view = toView(stored)
    if (stored.config.kind !== 'eu_lotl') return ok(view)
    const lists = await viewFollowed(this.env, stored.config, stored.edition?.lists ?? [])
    const count = (member: 'anchors' | 'left_out') => lists.reduce((sum, each) => sum + each[member], 0)
    return ok({ ...view, anchors: count('anchors'), left_out: count('left_out'), lists })
  }

  /** Returns the anchors, for response processing. */
  copy(): Result<TrustListCopy, 'not_found'> {
    const stored = this.#load()
    if (stored === undefined) return err('not_found')
    return ok(toCopy(stored, this.ctx.storage.kv.get<readonly TrustAnchor[]>(ANCHORS) ?? []))
  }

  /**
   * Requests that the bytes of each issue (version) of the list are stored for evidence, and keeps the bytes
   * of the current issue. If these bytes are not stored, the list is fetched again. Returns false if evidence
   * needs no bytes of such a list, and `undefined` if there is no list.
   */
  async keepIssues(naming: Naming): Promise<boolean | undefined> {
    const record = this.#load()
    if (record === undefined) return undefined
    if (record.config.kind === 'pem_bundle' || record.config.kind === 'eu_lotl') return false
    const issue = record.edition?.issue
    const isKept = issue && (await materialsStub(this.env, issue.sha256).keep(issue.sha256, naming))
    const stored = this.#load() // a fetch may have changed the record meanwhile
    if (stored !== undefined && (issue ? !isKept : !stored.keeps_issues)) await this.#requestBytes(stored)
    return stored && true
  }

  /**
   * Keeps one issue (version) of the list as a material (a stored public list). It is the current issue, or
   * the issue before it, which callers may use for one more minute. Returns `undefined` if the bytes of the
   * issue are not stored. If this is the current issue, the list is then fetched again, and the bytes of
   * every later issue are stored, too.
   */
  async keepIssue(sequence: number | null, naming: Naming) {
    const source = this.#source()
    const { edition, former_issue } = this.#load() ?? {}
    const current = edition?.issue && { ...edition.issue, sequence: edition.sequence }
    const issue = [current, former_issue].find((one) => one?.sequence === sequence)
    if (source === undefined || (current && !issue)) return undefined
    if (issue && (await materialsStub(this.env, issue.sha256).keep(issue.sha256, naming))) {
      const { sha256, bytes, fetched_at } = issue
      return { sha256, bytes, fetched_at, media_type: FETCHED_AS[source.kind].accept, source: source.url }
    }
    const stored = this.#load() // a fetch may have changed the record meanwhile
    if (stored === undefined || issue !== current || (!issue && stored.keeps_issues)) return undefined
    await this.#requestBytes(stored)
    return undefined
  }

  /** Fetches the list now, and then the lists that it follows. */
  async refresh(): Promise<Result<TrustListView, 'not_found'>> {
    await this.alarm()
    const { config, edition } = this.#load() ?? {}
    if (config?.kind === 'eu_lotl') await refreshFollowed(this.env, config, edition?.lists ?? [])
    return this.view()
  }

  /** Erases the list and its anchors. Returns true if the list existed. */
  async erase(): Promise<boolean> {
    const stored = this.#load()
    this.#isErasing = true
    try {
      if (stored?.config.kind === 'eu_lotl') {
        const left = await eraseFollowed(this.env, stored.config, followedTerritories(stored))
        // The caller repeats the deletion. Without this object, these lists could not be found again.
        if (left.length > 0) throw new Error('followed lists could not be erased')
      }
      await this.ctx.storage.deleteAll()
    } finally {
      this.#isErasing = false
    }
    return stored !== undefined
  }

  override async alarm(): Promise<void> {
    const source = this.#source()
    if (source === undefined) return
    // The next alarm is set first, so that there is an alarm even if this run crashes.
    await this.#wakeAt(Date.now() + Math.min(RETRY_MS, source.refresh_seconds * 1000))
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    const isDone = await this.#refreshing
    const stored = this.#load()
    if (stored === undefined) return
    if (!isDone) return this.#wakeAt(Date.now())
    // After the fault `closed` the fetch is not repeated early: the list was read, and has ended.
    if (stored.last_attempt?.fault === null || stored.last_attempt?.fault === 'closed')
      await this.#wakeAt(Date.now() + source.refresh_seconds * 1000)
  }

  /**
   * Fetches the list and stores the result. `alarm` runs one fetch at a time, so that the new list is
   * compared with the issue that it replaces. Returns false if the list must be fetched again at once: it got
   * another configuration during the fetch, or evidence needs bytes that this fetch did not request.
   */
  async #refresh(): Promise<boolean> {
    const [before, source] = [this.#load(), this.#source()]
    if (before === undefined || source === undefined) return true
    const begun = Date.now()
    // If evidence needs the bytes of the issue, the request has no ETag, so that it gets the whole list.
    const lacksBytes = needsBytes(before)
    const last = before.edition && lacksBytes ? { ...before.edition, etag: null } : before.edition
    const fetched = await fetchList(source, last, loadConfig(this.env), this.env)
    const result = fetched.ok ? 'ok' : fetched.error
    record('fetches', { media_type: FETCHED_AS[source.kind].accept, result }, { ms: Date.now() - begun })
    const issue = before.keeps_issues ? await this.#storeIssue(readIssue(fetched)?.body) : undefined
    const stored = this.#load()
    if (stored === undefined || this.#isErasing) return true
    const isSame = JSON.stringify(stored.config) === JSON.stringify(source)
    if (!isSame || stored.created_at !== before.created_at) return false
    this.#take(stored, fetched, issue)
    if (fetched.ok && source.kind === 'eu_lotl') await this.#updateFollowed(source, before)
    return lacksBytes || !needsBytes(this.#load())
  }

  /** Fetches the list again for the bytes of its current issue, which are not stored. */
  async #requestBytes(stored: TrustListRecord): Promise<void> {
    const edition = stored.edition && { ...stored.edition, issue: undefined }
    this.#save({ ...stored, edition, keeps_issues: true })
    await this.#wakeAt(Date.now())
  }

  /** Stores the bytes of an issue for evidence. If that fails, the issue is used without stored bytes. */
  async #storeIssue(body: Uint8Array<ArrayBuffer> | undefined): Promise<StoredIssue | undefined> {
    if (body === undefined) return undefined
    const now = Date.now()
    try {
      const digest = await keepMaterial(this.env, body, '', now)
      return { sha256: digest, bytes: body.length, fetched_at: Math.floor(now / 1000) }
    } catch (error) {
      logLine('error', 'material_not_stored', loggedError(error))
      return undefined
    }
  }

  /** Stores the result of a fetch. `kept`: digest and size of the stored bytes, if evidence needs them. */
  #take(stored: TrustListRecord, fetched: Fetched, kept: StoredIssue | undefined): void {
    const now = Date.now()
    const read = readIssue(fetched)
    const issue = read && { ...read.edition, ...(kept && { issue: kept }) }
    const fault = fetched.ok ? (issue?.ended ?? null) : fetched.error
    const attempted = { ...stored, last_attempt: { at: now, fault } }
    if (issue === undefined) this.#save(fetched.ok ? { ...attempted, checked_at: now } : attempted)
    else if (fault === null || fault === 'closed') this.#keep({ ...attempted, checked_at: now }, issue)
    else {
      // The new issue replaces the former copy but cannot be used, so this list is unavailable. Lists that it
      // follows keep their objects, but are unavailable, too, until this list can be used again.
      const lists = stored.edition?.lists ?? issue.lists
      this.#keep({ ...attempted, checked_at: null }, { ...issue, ...(lists && { lists }) })
    }
  }

  /**
   * Updates the lists that the stored issue follows. Erases the other lists of `before`, the record before
   * the fetch.
   */
  async #updateFollowed(
    source: Extract<PublishedConfig, { kind: 'eu_lotl' }>,
    before: TrustListRecord,
  ): Promise<void> {
    const lists = this.#load()?.edition?.lists ?? []
    await updateFollowed(this.env, source, lists)
    const current = lists.map(({ territory }) => territory)
    if (this.#isErasing || this.#load() === undefined) {
      await eraseFollowed(this.env, source, current) // the list was erased meanwhile
      return
    }
    const former = followedTerritories(before).filter((territory) => !current.includes(territory))
    const unfollowed = await eraseFollowed(this.env, source, former)
    const stored = this.#load()
    if (stored !== undefined && stored.unfollowed?.join() !== unfollowed.join())
      this.#save({ ...stored, unfollowed })
  }

  #takeBundle(pem: string, now: number): void {
    const stored = this.#load()
    if (stored === undefined) return
    const anchors = this.#readBundle(pem, stored.config)
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

  #readBundle(pem: string, { services }: TrustListConfig) {
    const content = readPemBundle(pem)
    if (!content.ok) return content
    const anchors = anchorsOfList(content.value.certificates, services)
    return anchors.ok && anchors.value.anchors.length === 0 ? err('nothing_usable' as const) : anchors
  }

  #keep(stored: TrustListRecord, { anchors, ...edition }: NewEdition): void {
    this.ctx.storage.kv.put(ANCHORS, anchors)
    const { issue, sequence = null } = stored.edition ?? {}
    const isReplaced = issue !== undefined && sequence !== edition.sequence
    const former_issue = isReplaced ? { ...issue, sequence } : stored.former_issue
    const kept = { ...edition, anchors: anchors.length }
    this.#save({ ...stored, edition: kept, ...(former_issue && { former_issue }) })
  }

  #load(): TrustListRecord | undefined {
    return this.ctx.storage.kv.get<TrustListRecord>(DOCUMENT)
  }

  #save(stored: TrustListRecord): void {
    this.ctx.storage.kv.put(DOCUMENT, stored)
  }

  #source(): PublishedConfig | undefined {
    const config = this.#load()?.config
    return config === undefined || config.kind === 'pem_bundle' ? undefined : config
  }

  async #wakeAt(time: number): Promise<void> {
    await this.ctx.storage.setAlarm(time)
  }
}

type Fetched = Awaited<ReturnType<typeof fetchList>>

/** Returns the new issue of a fetch, if the fetch gave one. */
function readIssue(fetched: Fetched) {
  return fetched.ok && fetched.value !== 'not_modified' ? fetched.value : undefined
}

/** Returns true if evidence needs the bytes of the current issue, and they are not stored. */
function needsBytes(stored: TrustListRecord | undefined): boolean {
  return stored?.keeps_issues === true && stored.edition?.issue === undefined
}

/** Returns whether a list pins this certificate as its signer. */
function hasSigner(config: TrustListConfig, pem: string | undefined): boolean {
  if (config.kind !== 'etsi_tl') return false
  return config.signers.some(({ x509_certificate_pem }) => x509_certificate_pem === pem)
}

/** Returns the territories of the followed lists, and of former ones whose objects must still be erased. */
function followedTerritories({ edition, unfollowed = [] }: TrustListRecord): readonly string[] {
  const current = (edition?.lists ?? []).map(({ territory }) => territory)
  return [...new Set([...current, ...unfollowed])]
}
