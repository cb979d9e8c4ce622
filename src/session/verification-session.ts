// One verification session: the Durable Object. Thin on purpose: load, ask the core, save, answer. Verification happens
// first; then one compare-and-set with no `await` between reading the status and the write, so two answers are never both heard.

import { DurableObject } from 'cloudflare:workers'
import { isoTimeOrNull } from '../codec/date-time.ts'
import { configOf } from '../config.ts'
import { type Env, withJurisdiction } from '../env.ts'
import { err, ok, type Result } from '../result.ts'
import { mayAccess, parseWatchAddress, type SessionAccess } from './access.ts'
import type { SessionContext } from './context.ts'
import { deliverDue, redeliver } from './delivery/delivering.ts'
import { type PersonalMembers, personalMembers } from './delivery/event.ts'
import { publishDue } from './delivery/publishing.ts'
import { type SessionDocument, tombstoneOf } from './document.ts'
import { verificationIdOf } from './identifier.ts'
import { recordCreation } from './measures.ts'
import { qrCodeUrlOf } from './request/client-token.ts'
import { type CreateInput, createdSession, isDrawable, newSession } from './request/creation.ts'
import { type FetchingWallet, fetchRequest, noteHandedOut } from './request/fetching.ts'
import { openGeneration } from './request/generation-keys.ts'
import { newestGeneration, SUPERSEDED_LIFETIME_MS } from './request/generations.ts'
import { addRequest } from './request/new-request.ts'
import { openRenderLimit } from './request/render-limit.ts'
import { openid4vpView, walletRequest } from './request/requests.ts'
import {
  createDcApiRequest,
  type DcApiRequest,
  type DcApiRequestOptions,
  type DcApiResponse,
  type DcApiResult,
  processDcApiResponse,
} from './response/dc-api.ts'
import { canceledEnd, endSession } from './response/end-session.ts'
import { processResponse } from './response/process-response.ts'
import type {
  Creation,
  Link,
  PostedResponse,
  Render,
  RequestRefusal,
  ResponseResult,
  SessionError,
  View,
} from './results.ts'
import {
  type BrowserReturnRequest,
  type BrowserReturnResult,
  completeReturn,
  makeLink,
  type ReturnCodeError,
  redeemReturn,
} from './return/same-device.ts'
import { openStore, type SessionStore } from './store.ts'
import { applyTimeouts, onAlarm, webhookOf } from './timeouts.ts'
import { deliveriesView } from './views/deliveries-view.ts'
import { pollView } from './views/poll.ts'
import { signReceipt } from './views/receipt.ts'
import { type PageView, pageView, publicView } from './views/view.ts'

/** While the alarm's work runs, another alarm stands this far ahead: a crash in the middle is never the end of it. */
const WATCHDOG_MS = 60_000
/** Watchers of one session at a time: a page or two, a kiosk, polls that wait. */
const WATCHERS = 64
/** When to look again for settings that could not be read. */
const POSTPONED_MS = 10_000

export class VerificationSession extends DurableObject<Env> {
  readonly #store: SessionStore
  readonly #context: SessionContext
  readonly #renderLimit = openRenderLimit()
  #creating: Promise<unknown> = Promise.resolve()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    this.#store = openStore(ctx)
    this.#context = { store: this.#store, env: this.env, inFlight: new Map() }
  }

  /** Creates the session, or finds the one that the same `Idempotency-Key` made. A twin in flight waits for the first. */
  async create(input: CreateInput): Promise<Creation> {
    const mine = this.#creating.then(() => this.#create(input))
    this.#creating = mine.catch(() => undefined)
    return mine
  }

  /** What `create` would answer without creating; null where it would create. */
  async replay(bodyDigest: string): Promise<Creation | null> {
    await this.#creating
    return this.#replay(bodyDigest)
  }

  async #create(input: CreateInput): Promise<Creation> {
    const earlier = await this.#replay(input.bodyDigest)
    if (earlier !== null) return earlier
    const config = configOf(this.env)
    const document = await newSession(input, verificationIdOf(this.ctx.id), { config, now: Date.now() })
    const session = await createdSession(document, config)
    if (!isDrawable(session)) return { kind: 'too_long' }
    this.#store.commit(document)
    recordCreation(document)
    return { kind: 'created', replayed: false, session }
  }

  async #replay(bodyDigest: string | null): Promise<Creation | null> {
    await applyTimeouts(this.#context, Date.now())
    const known = this.#store.session()?.idempotency ?? this.#store.tombstone()
    if (known === undefined) return null
    if (known === null || known.body_digest !== bodyDigest) return { kind: 'conflict' }
    const session = this.#store.session()
    if (session === undefined) return { kind: 'erased' }
    return { kind: 'created', replayed: true, session: await createdSession(session, configOf(this.env)) }
  }

  /** The session as its relying party polls it. */
  async read(relyingPartyId: string): Promise<Result<View, SessionError>> {
    await applyTimeouts(this.#context, Date.now())
    const document = this.#accessible({ relyingPartyId })
    if (document === undefined) return err('not_found')
    return ok(await pollView(document, configOf(this.env)))
  }

  /** What a holder of the session's `client_token` sees. */
  async readPublic(by: SessionAccess): Promise<Result<View, SessionError>> {
    await applyTimeouts(this.#context, Date.now())
    const document = this.#accessible(by)
    if (document === undefined) return err('not_found')
    return ok({ json: JSON.stringify(publicView(document)), version: document.version })
  }

  /** What the hosted page shows. */
  async readPage(by: SessionAccess): Promise<Result<PageView, SessionError>> {
    await applyTimeouts(this.#context, Date.now())
    const document = this.#accessible(by)
    return document === undefined ? err('not_found') : ok(pageView(document))
  }

  /** The specification's `/openid4vp` view of the newest generation. Reading does not rotate; it hands the generation out. */
  async readRequest(relyingPartyId: string): Promise<Result<View, SessionError>> {
    const now = Date.now()
    const pending = await this.#pending(now, { relyingPartyId })
    if (!pending.ok) return pending
    const newest = newestGeneration(pending.value.generations, 'any_device')
    if (newest === undefined) return err('binding_excludes_qr')
    noteHandedOut(this.#store, newest, now, 'viewed')
    const config = configOf(this.env)
    const { baseUrl, walletScheme } = config
    const generation = await openGeneration(pending.value, newest)
    const qrCodeUrl = await qrCodeUrlOf(config, pending.value)
    const view = openid4vpView(pending.value, generation, { baseUrl, walletScheme, qrCodeUrl })
    return ok({ json: JSON.stringify(view), version: pending.value.version })
  }

  /** Makes a new generation for a QR. */
  async render(by: SessionAccess): Promise<Result<Render, SessionError>> {
    const now = Date.now()
    const pending = await this.#pending(now, by)
    if (!pending.ok) return pending
    if (pending.value.request.required_session_binding !== 'none') return err('binding_excludes_qr')
    if (!this.#renderLimit.take(now)) return err('render_limit_reached')
    const verificationId = pending.value.verification_id
    const made = await addRequest(this.#context, { verificationId, channel: 'qr', browser: null }, now)
    if (!made.ok) return made
    const { document, generation } = made.value
    const { uri } = walletRequest(document, generation, configOf(this.env).baseUrl)
    return ok({ uri, diesAt: Math.min(now + SUPERSEDED_LIFETIME_MS, document.expires_at) })
  }

  /** Makes a request for one browser, known by the secret in its cookie; a browser without one is given one. */
  async createLink(by: SessionAccess, knownSecret: string | null): Promise<Result<Link, SessionError>> {
    const now = Date.now()
    const pending = await this.#pending(now, by)
    if (!pending.ok) return pending
    if (!this.#renderLimit.take(now)) return err('render_limit_reached')
    return makeLink(this.#context, pending.value, knownSecret, now)
  }

  /** Makes a request for the Digital Credentials API. */
  async createDcApiRequest(
    by: SessionAccess,
    asked: DcApiRequestOptions,
  ): Promise<Result<DcApiRequest, SessionError>> {
    const now = Date.now()
    const pending = await this.#pending(now, by)
    if (!pending.ok) return pending
    if (!this.#renderLimit.take(now)) return err('render_limit_reached')
    return createDcApiRequest(this.#context, pending.value, asked, now)
  }

  /** Hears an answer that a page got from the Digital Credentials API. */
  async processDcApiResponse(by: SessionAccess, answer: DcApiResponse): Promise<DcApiResult> {
    if (this.#accessible(by) === undefined) return err('session_not_found')
    return processDcApiResponse(this.#context, answer, Date.now())
  }

  /** A browser is back from the wallet. */
  completeReturn(coming: BrowserReturnRequest): Promise<Result<BrowserReturnResult, ReturnCodeError>> {
    return completeReturn(this.#context, coming, Date.now())
  }

  /** The relying party's server redeems the code that a browser was sent to it with. */
  async redeem(
    relyingPartyId: string,
    returnCode: string,
  ): Promise<Result<View, ReturnCodeError | SessionError>> {
    const redeemed = await redeemReturn(this.#context, relyingPartyId, returnCode, Date.now())
    return redeemed.ok ? this.read(relyingPartyId) : redeemed
  }

  /** Signs the Request Object of a live generation for the wallet that fetches it. */
  fetchRequest(requestId: string, wallet: FetchingWallet): Promise<Result<string, RequestRefusal>> {
    return fetchRequest(this.#context, requestId, wallet, Date.now())
  }

  /** Hears a wallet's answer. Identical bodies at the same time share one verification. */
  processResponse(response: PostedResponse): Promise<ResponseResult> {
    return processResponse(this.#context, response, Date.now())
  }

  /** Cancels a pending session; canceling again finds it canceled. */
  async cancel(relyingPartyId: string): Promise<Result<View, SessionError>> {
    const now = Date.now()
    await applyTimeouts(this.#context, now)
    if (this.#accessible({ relyingPartyId }) === undefined) return err('not_found')
    const webhook = await webhookOf(this.#context, now)
    const document = this.#accessible({ relyingPartyId })
    if (document === undefined) return err('not_found')
    if (document.status === 'pending') endSession(this.#context, canceledEnd(), { webhook, now })
    else if (document.status !== 'canceled') return err('ended')
    return this.read(relyingPartyId)
  }

  /** In test mode: what a pending session waits for is over now, the browser of a held success, or else anybody at all. */
  async expireNow(relyingPartyId: string): Promise<Result<null, SessionError>> {
    const now = Date.now()
    await applyTimeouts(this.#context, now)
    const pending = this.#stillPending(now, { relyingPartyId }) // nothing is awaited between this and the write
    if (!pending.ok || pending.value.livemode) return pending.ok ? err('not_found') : pending
    const { held, version } = pending.value
    const deadline = held === null ? { expires_at: now } : { held: { ...held, until: now } }
    this.#store.commit({ ...pending.value, ...deadline, version: version + 1 })
    await applyTimeouts(this.#context, now)
    return ok(null)
  }

  /** Erases the session at once, without an event. */
  async erase(relyingPartyId: string): Promise<Result<null, SessionError>> {
    const document = this.#accessible({ relyingPartyId })
    if (document === undefined) return err('not_found')
    await this.#store.erase(tombstoneOf(document, Date.now()))
    return ok(null)
  }

  /** The webhook log. */
  async readDeliveries(relyingPartyId: string): Promise<Result<View, SessionError>> {
    await applyTimeouts(this.#context, Date.now())
    const document = this.#accessible({ relyingPartyId })
    if (document === undefined) return err('not_found')
    return ok({ json: JSON.stringify(deliveriesView(document)), version: document.version })
  }

  /** What is left to show an auditor of a session that is over: a compact JWS. */
  async readReceipt(relyingPartyId: string): Promise<Result<string, SessionError>> {
    await applyTimeouts(this.#context, Date.now())
    const document = this.#accessible({ relyingPartyId })
    return document === undefined ? err('not_found') : signReceipt(document, configOf(this.env))
  }

  /** What an event carries only as long as the session lives that ended then; null where that session is gone. */
  readPersonalMembers(relyingPartyId: string, endedAt: string): PersonalMembers | null {
    const document = this.#accessible({ relyingPartyId })
    return isoTimeOrNull(document?.ended_at ?? null) === endedAt && document
      ? personalMembers(document)
      : null
  }

  /** Sends a delivery again by hand: same bytes, fresh time. */
  async redeliver(relyingPartyId: string, deliveryId: string) {
    if (this.#accessible({ relyingPartyId }) === undefined) return err('not_found' as const)
    return redeliver(this.#store, this.env, deliveryId, Date.now())
  }

  /** Accepts a watcher's hibernating WebSocket at a `watchAddress`. The current state comes first. */
  override async fetch(request: Request): Promise<Response> {
    await applyTimeouts(this.#context, Date.now())
    const document = this.#accessible(parseWatchAddress(request.url))
    if (document === undefined) return new Response(null, { status: 404 })
    if (this.ctx.getWebSockets().length >= WATCHERS) return new Response(null, { status: 503 })
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    server.send(JSON.stringify(publicView(document)))
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Watchers only listen. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(1008, 'this socket only tells')
  }

  /** Expiry, deliveries, erasure. The watchdog is armed first: the platform gives up an alarm that throws too often. */
  override async alarm(): Promise<void> {
    const now = Date.now()
    this.#store.arm(now + WATCHDOG_MS)
    const round = await this.#work(now)
    this.#store.arm(round === 'postponed' ? Date.now() + POSTPONED_MS : 0)
  }

  async #work(now: number): Promise<'done' | 'postponed'> {
    const tombstone = this.#store.tombstone()
    if (tombstone !== undefined && tombstone.keep_until <= now) await this.#store.erase(undefined)
    // Before erasure, which must not take what the log does not have.
    await publishDue(this.#store, this.env, now)
    await onAlarm(this.#context, now)
    return deliverDue(this.#store, this.env, now)
  }

  #accessible(by: SessionAccess): SessionDocument | undefined {
    const document = this.#store.session()
    return document !== undefined && mayAccess(by, document) ? document : undefined
  }

  async #pending(now: number, by: SessionAccess): Promise<Result<SessionDocument, SessionError>> {
    await applyTimeouts(this.#context, now)
    return this.#stillPending(now, by)
  }

  #stillPending(now: number, by: SessionAccess): Result<SessionDocument, SessionError> {
    const document = this.#accessible(by)
    if (document === undefined) return err('not_found')
    // Past its time a session may still wait for an answer that came before: nothing new begins.
    return document.status === 'pending' && now < document.expires_at ? ok(document) : err('ended')
  }
}
