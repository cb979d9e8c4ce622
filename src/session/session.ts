// One verification session. Its methods load the document, do their work, store the document, and return
// plain data. A response is verified first. Then one synchronous compare-and-set reads the status and writes
// the end. So only one of two responses can end the session. A session has its own Durable Object
// (verification-session.ts), or shares an object with others (shared-sessions.ts).

import { loadConfig } from '../config.ts'
import type { Env } from '../env.ts'
import { err, ok, type Result } from '../result.ts'
import { mayAccess, type SessionAccess } from './access.ts'
import { alarmBegan, alarmEnded } from './alarm/interrupted-alarms.ts'
import { runAlarm } from './alarm/run-alarm.ts'
import { redeliver, redeliverDead, releaseEvents } from './delivery/delivering.ts'
import { type PersonalMembers, personalMembers } from './delivery/event.ts'
import { reportStep } from './delivery/step-events.ts'
import type { SessionDocument, Tombstone } from './document/document.ts'
import type {
  Creation,
  Link,
  PostedResponse,
  RequestRefusal,
  ResponseResult,
  SessionError,
} from './document/results.ts'
import { publicView, toStateView, type View } from './document/state-view.ts'
import { cancelSession, type DeclineError, type Decliner, declineOnPage } from './end/requested-end.ts'
import { applyTimeouts, expireAt } from './end/timeouts.ts'
import { confirmEntry } from './listing/indexing.ts'
import { eraseOnRequest, keepListing } from './listing/remainder.ts'
import { finishLogin, type Redemption, readUserInfo, redeemLogin } from './login/finish.ts'
import { chooseWallet } from './request/chosen-wallet.ts'
import { type CreateInput, createdSession, makeSession } from './request/creation.ts'
import { fetchRequest, type RequestingWallet } from './request/fetching.ts'
import { createQrRequest, type QrRequest, viewNewestRequest } from './request/qr-request.ts'
import { openRenderLimit } from './request/render-limit.ts'
import {
  createDcApiRequest,
  type DcApiRequest,
  type DcApiRequestOptions,
  type DcApiResponse,
  type DcApiResult,
  processDcApiResponse,
} from './response/dc-api.ts'
import { processResponse } from './response/process-response.ts'
import { type BrowserReturnRequest, completeReturn, createLink, redeemReturn } from './return/same-device.ts'
import type { SessionContext } from './store/context.ts'
import { recordCreation } from './store/measures.ts'
import type { SessionSlot } from './store/slot.ts'
import { openStore, type SessionStore } from './store/store.ts'
import { COURSES } from './views/course-views.ts'
import { EVIDENCE_ACTS, type EvidenceAct, type EvidenceView } from './views/evidence.ts'
import { readForOperator } from './views/operator-view.ts'
import { type PageRequest, type PageView, readPage } from './views/page-view.ts'
import { pollView } from './views/poll.ts'
import { signReceipt } from './views/receipt.ts'
import { acceptWatcher } from './views/watcher.ts'

/** A session in memory. Routes and other Durable Objects call the methods that verbs.ts lists. */
export class Session {
  readonly #slot: SessionSlot
  readonly #store: SessionStore
  readonly #env: Env
  readonly #context: SessionContext
  readonly #renderLimit = openRenderLimit()
  #creating: Promise<unknown> = Promise.resolve()

  constructor(slot: SessionSlot, env: Env) {
    this.#slot = slot
    this.#env = env
    this.#store = openStore(slot)
    this.#context = { store: this.#store, env, inFlight: new Map() }
  }

  /** Creates a session, or returns the session of this `Idempotency-Key`. Calls run one after the other. */
  async create(input: CreateInput): Promise<Creation> {
    const creation = this.#creating.then(() => this.#create(input))
    this.#creating = creation.catch(() => undefined)
    return creation
  }

  /** Returns the result that `create` would repeat; null if `create` would create a session. */
  replay(bodyDigest: string): Promise<Creation | null> {
    return this.#creating.then(() => this.#replay(bodyDigest))
  }

  async #create(input: CreateInput): Promise<Creation> {
    const earlier = await this.#replay(input.bodyDigest)
    if (earlier !== null) return earlier
    const creation = await makeSession(this.#env, input, this.#slot.id)
    if (!creation.ok) return creation
    const { document, session } = creation.value
    if (document.expires_at <= Date.now()) return err('erased') // the creation of a login took too long
    this.#store.commit(document)
    // For a login, this event is sent at the first action of a wallet.
    if (document.login === undefined) await reportStep(this.#context, { type: 'verification.created' })
    recordCreation(document)
    return ok({ replayed: false, session })
  }

  async #replay(bodyDigest: string | null): Promise<Creation | null> {
    await applyTimeouts(this.#context, Date.now())
    const session = this.#store.session()
    const idempotency = session?.idempotency ?? this.#store.tombstone()
    if (idempotency === undefined) return null
    if (idempotency.body_digest !== bodyDigest) return err('conflict')
    if (session === undefined) return err('erased')
    return ok({ replayed: true, session: await createdSession(session, loadConfig(this.#env)) })
  }

  /** Returns the view of the session for its relying party. */
  async read(relyingPartyId: string): Promise<Result<View, SessionError>> {
    const session = await this.#load({ relyingPartyId })
    return session.ok ? ok(await pollView(session.value, loadConfig(this.#env))) : session
  }

  /** Returns the public state of the session for a holder of its `client_token`. */
  async readPublic(by: SessionAccess): Promise<Result<View, SessionError>> {
    const session = await this.#load(by)
    return session.ok ? ok(toStateView(session.value, publicView(session.value))) : session
  }

  /** Returns the view for the operator: the steps of the session, and nothing about the person. */
  readForOperator(): Promise<Result<View, SessionError>> {
    return readForOperator(this.#context, Date.now())
  }

  /** Returns the content of the hosted page. */
  async readPage(by: SessionAccess, page: PageRequest): Promise<Result<PageView, SessionError>> {
    const session = await this.#load(by)
    return session.ok ? ok(await readPage(this.#context, session.value, page, Date.now())) : session
  }

  /** Returns the `/openid4vp` view of the newest generation, and marks that generation as handed out. */
  async readRequest(relyingPartyId: string): Promise<Result<View, SessionError>> {
    const now = Date.now()
    const pending = await this.#loadPending(now, { relyingPartyId })
    if (!pending.ok) return pending
    const view = await viewNewestRequest(this.#context, pending.value, now)
    return view.ok ? ok(toStateView(pending.value, view.value)) : view
  }

  /** Creates a request for a QR code. `wallet`: profile id, `any`, or null (create request's wallet). */
  async render(by: SessionAccess, wallet: string | null): Promise<Result<QrRequest, SessionError>> {
    const now = Date.now()
    const request = await this.#beginRequest(by, wallet, now)
    return request.ok ? createQrRequest(this.#context, request.value, now) : request
  }

  /** Creates a request for one browser. A browser without a secret (null) gets a new secret. */
  async createLink(
    by: SessionAccess,
    { secret, wallet }: { readonly secret: string | null; readonly wallet: string | null },
  ): Promise<Result<Link, SessionError>> {
    const now = Date.now()
    const request = await this.#beginRequest(by, wallet, now)
    return request.ok ? createLink(this.#context, { ...request.value, knownSecret: secret }, now) : request
  }

  /** Creates a request for the Digital Credentials API. */
  async createDcApiRequest(
    by: SessionAccess,
    options: DcApiRequestOptions,
  ): Promise<Result<DcApiRequest, SessionError>> {
    const now = Date.now()
    const request = await this.#beginRequest(by, options.wallet, now)
    return request.ok ? createDcApiRequest(this.#context, { ...options, ...request.value }, now) : request
  }

  /** Processes a response that a page received from the Digital Credentials API. */
  async processDcApiResponse(by: SessionAccess, response: DcApiResponse): Promise<DcApiResult> {
    if (!this.#find(by).ok) return err('session_not_found')
    return processDcApiResponse(this.#context, response, Date.now())
  }

  /** Processes the return of a browser from the wallet. */
  completeReturn(request: BrowserReturnRequest) {
    return completeReturn(this.#context, request, Date.now())
  }

  /** Redeems the return code that a browser brought to the relying party. Returns the view of the session. */
  async redeem(relyingPartyId: string, returnCode: string) {
    const redeemed = await redeemReturn(this.#context, relyingPartyId, returnCode, Date.now())
    return redeemed.ok ? this.read(relyingPartyId) : redeemed
  }

  /** Returns the current result of a login for its browser. `browser`: digest of the browser's cookie. */
  finishLogin(relyingPartyId: string, browser: string) {
    return finishLogin(this.#context, { relyingPartyId, browser }, Date.now())
  }

  /** Redeems the code of a login for tokens. */
  redeemLogin(redemption: Redemption) {
    return redeemLogin(this.#context, redemption, Date.now())
  }

  /** Returns the UserInfo response for an access token. `token`: digest of the access token. */
  readUserInfo(relyingPartyId: string, token: string, jkt: string | null = null) {
    return readUserInfo(this.#context, relyingPartyId, { token, jkt }, Date.now())
  }

  /** Signs the Request Object of a live generation for the wallet that fetches it. */
  async fetchRequest(requestId: string, wallet: RequestingWallet): Promise<Result<string, RequestRefusal>> {
    const now = Date.now()
    await applyTimeouts(this.#context, now)
    return fetchRequest(this.#context, requestId, wallet, now)
  }

  /** Processes the response of a wallet. Identical bodies at the same time share one verification. */
  processResponse(response: PostedResponse): Promise<ResponseResult> {
    return processResponse(this.#context, response, Date.now())
  }

  /** Cancels a pending session. A session that is already canceled stays as it is. */
  async cancel(relyingPartyId: string): Promise<Result<View, SessionError>> {
    const session = await this.#load({ relyingPartyId })
    if (!session.ok) return session
    const canceled = await cancelSession(this.#context, session.value, Date.now())
    return canceled.ok ? this.read(relyingPartyId) : canceled
  }

  /** Ends a pending session for the person who declines on its page. */
  async decline(by: SessionAccess, decliner: Decliner): Promise<Result<null, DeclineError>> {
    const now = Date.now()
    const pending = await this.#loadPending(now, by)
    return pending.ok ? declineOnPage(this.#context, pending.value, decliner, now) : pending
  }

  /** Expires a pending session of test mode now. If a success is held, discards only the success. */
  async expireNow(relyingPartyId: string): Promise<Result<null, SessionError>> {
    const now = Date.now()
    await applyTimeouts(this.#context, now)
    const pending = this.#findPending(now, { relyingPartyId }) // no `await` between this and the write
    if (!pending.ok || pending.value.livemode) return pending.ok ? err('not_found') : pending
    await expireAt(this.#context, pending.value, now)
    return ok(null)
  }

  /** Erases the session without an event. `isKept`: true if only its list change is kept in this object. */
  async erase(relyingPartyId: string, isKept = false): Promise<Result<null, SessionError>> {
    const id = isKept ? null : this.#slot.id
    return eraseOnRequest(this.#context, { relyingPartyId, id }, this.#find({ relyingPartyId }))
  }

  /** Keeps the change of the list for another session (listing/remainder.ts). */
  keepListing(tombstone: Tombstone): Promise<boolean> {
    return keepListing(this.#context, tombstone)
  }

  /**
   * Compares an entry in the list of verifications with its session. Returns false if the session is erased
   * and has no queued change of the entry. If the session exists, an entry that is out of date is sent again.
   */
  async confirmEntry(listed: Parameters<typeof confirmEntry>[1]): Promise<boolean> {
    await applyTimeouts(this.#context, Date.now())
    return confirmEntry(this.#context, listed)
  }

  /** Returns the webhook deliveries (`deliveries`) or the timeline of the session. */
  async readCourse(relyingPartyId: string, of: keyof typeof COURSES): Promise<Result<View, SessionError>> {
    const session = await this.#load({ relyingPartyId })
    if (!session.ok) return session
    return ok(toStateView(session.value, COURSES[of](session.value, loadConfig(this.#env).baseUrl)))
  }

  /** Returns the receipt of a finished session: a compact JWS for an auditor. */
  async readReceipt(relyingPartyId: string): Promise<Result<string, SessionError>> {
    const session = await this.#load({ relyingPartyId })
    return session.ok ? signReceipt(session.value, loadConfig(this.#env)) : session
  }

  /** Reads or erases the evidence of a finished session. */
  async evidence(relyingPartyId: string, act: EvidenceAct): Promise<Result<EvidenceView, SessionError>> {
    const session = await this.#load({ relyingPartyId })
    return session.ok ? EVIDENCE_ACTS[act](this.#store, session.value) : session
  }

  /** Returns the personal members of an event; null if the session is erased or began after the event. */
  async readPersonalMembers(relyingPartyId: string, createdAt: string): Promise<PersonalMembers | null> {
    const session = await this.#load({ relyingPartyId })
    if (!session.ok || Date.parse(createdAt) < session.value.created_at) return null
    return personalMembers(session.value, createdAt)
  }

  /** Sends a delivery again on request: the same body with a new timestamp. */
  async redeliver(relyingPartyId: string, deliveryId: string) {
    const session = await this.#load({ relyingPartyId })
    return session.ok ? redeliver(this.#context, deliveryId, Date.now()) : session
  }

  /** Accepts the hibernating WebSocket of a watcher. The first message is the current state. */
  async watch(by: SessionAccess): Promise<Response> {
    const session = await this.#load(by)
    if (!session.ok) return new Response(null, { status: 404 })
    return acceptWatcher(this.#slot, this.#store, session.value)
  }

  /** Does the work that is due: expiry, deliveries, erasure. `onWait`: see `runAlarm`. */
  async alarm(onWait?: () => void): Promise<void> {
    const id = this.#slot.id
    alarmBegan(id, Date.now())
    await runAlarm(this.#context, Date.now(), onWait)
    await this.#slot.sync() // rejects if storage cannot be written
    alarmEnded(id)
  }

  /** Starts a new attempt for each dead delivery of an event. Returns the number of attempts that started. */
  async redeliverDead(relyingPartyId: string, eventId: string): Promise<number> {
    const session = await this.#load({ relyingPartyId })
    return session.ok ? redeliverDead(this.#context, session.value, { eventId, now: Date.now() }) : 0
  }

  /** Makes queued events due now. The relying party's object calls this when the webhook is enabled again. */
  releaseEvents(): void {
    releaseEvents(this.#context, Date.now())
  }

  /** Does the work of an interrupted alarm. */
  resumeAlarm(): Promise<void> {
    return this.alarm()
  }

  async #load(by: SessionAccess): Promise<Result<SessionDocument, 'not_found'>> {
    await applyTimeouts(this.#context, Date.now())
    return this.#find(by)
  }

  #find(by: SessionAccess): Result<SessionDocument, 'not_found'> {
    const document = this.#store.session()
    return document !== undefined && mayAccess(by, document) ? ok(document) : err('not_found')
  }

  async #loadPending(now: number, by: SessionAccess): Promise<Result<SessionDocument, SessionError>> {
    await applyTimeouts(this.#context, now)
    return this.#findPending(now, by)
  }

  async #beginRequest(by: SessionAccess, named: string | null, now: number) {
    const pending = await this.#loadPending(now, by)
    if (!pending.ok) return pending
    if (!this.#renderLimit.take(now)) return err('render_limit_reached')
    const wallet = await chooseWallet(this.#context, pending.value, named, now)
    return wallet.ok ? ok({ document: pending.value, wallet: wallet.value }) : wallet
  }

  #findPending(now: number, by: SessionAccess): Result<SessionDocument, SessionError> {
    const session = this.#find(by)
    // While a response that arrived in time is verified, the session stays pending and gets no new requests.
    const isPending = session.ok && session.value.status === 'pending' && now < session.value.expires_at
    return isPending || !session.ok ? session : err('ended')
  }
}
