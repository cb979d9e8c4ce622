// Delivery of sealed evidence to the object store of the relying party (api/evidence). The first attempt
// starts once the time stamp is present or has failed. If no time stamp is wanted, the attempt starts after
// the write that ends the session. The alarm starts each later attempt, and does not wait for it. Attempts
// are counted and repeated like those of a webhook. Each attempt first sends the lists that the evidence
// names and the store lacks. The session keeps the sealed bytes until the object store has them.

import type { EvidenceEnvelope } from '../../api/responses/evidence.ts'
import { callBackground } from '../../background/call-background.ts'
import { encodeBase64 } from '../../codec/base64url.ts'
import { decodeHex, utf8 } from '../../codec/bytes.ts'
import { loadConfig, outboundRule } from '../../config.ts'
import { sha256 as digestOf } from '../../crypto/digest.ts'
import type { Env } from '../../env.ts'
import {
  computeChecksum,
  materialUrl,
  type ObjectStore,
  objectUrl,
} from '../../evidence/push/object-store.ts'
import type { SignedRequest } from '../../evidence/push/signed-request.ts'
import { record } from '../../metrics/record.ts'
import { checkOutboundUrl } from '../../net/outbound-url.ts'
import { materialsStub } from '../../relying-party/materials/keep-material.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { ATTEMPT_TIMEOUT_MS, type AttemptOutcome, deliver, hasSucceeded } from '../../webhook/delivery.ts'
import {
  type Delivery,
  dueDeliveries,
  finishAttempt,
  isExhausted,
  latestAttempt,
  markDead,
  postpone,
  startAttempt,
} from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'
import { envelopeText } from '../evidence/envelope.ts'
import { erasedEvidence, evidenceDueAt, PUSH } from '../evidence/stored-evidence.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { toMode } from '../store/measures.ts'
import { mayAttempt, nextTurn, underWay } from './attempt-limit.ts'

/**
 * Time limits of one PUT and of one HEAD. A PUT and a HEAD together fit into the time limit of an attempt.
 * All requests of an attempt share the time limit of the attempt.
 */
const PUT_MS = 10_000
const HEAD_MS = 5_000

/** Header by which a store shows the SHA-256 of an object. */
const CHECKSUM = 'x-amz-checksum-sha256'

/**
 * Result of an attempt. `stored`: the store confirmed our object. `unconfirmed`: the store accepted the
 * object, but shows no checksum.
 */
type Pushed = AttemptOutcome & { readonly result: 'stored' | 'unconfirmed' | 'failed' }

/**
 * Starts an attempt if one is due at `now`. While a time stamp is still missing (`owed`), no attempt is due.
 */
export function pushDue(context: SessionContext, now: number): void {
  const { store } = context
  const document = store.session()
  if (document?.evidence === undefined || evidenceDueAt(document) > now) return
  const { push = [] } = document.evidence
  const [due] = dueDeliveries(push, now)
  if (due === undefined) return
  const limit = limitOf(document)
  const starts = !isExhausted(due) && mayAttempt(limit, now)
  const started = withPush(document, planned(push, { env: context.env, due, starts, limit, now }))
  store.commit(started)
  if (starts) void inBackground(() => pushEvidence(context, started))
}

function planned(
  push: readonly Delivery[],
  {
    env,
    due,
    starts,
    limit,
    now,
  }: Readonly<{ env: Env; due: Delivery; starts: boolean; limit: string; now: number }>,
): readonly Delivery[] {
  if (starts) return startAttempt(push, PUSH, now)
  if (isExhausted(due)) return markDead(push, PUSH)
  return postpone(push, PUSH, nextTurn(env, limit, now, Math.random()))
}

/** Returns the name under which attempts to push evidence are counted and limited. */
function limitOf({ relying_party_id }: SessionDocument): string {
  return `${relying_party_id}/evidence`
}

/**
 * Makes an attempt whose number is already stored, and stores its result. If the settings have no object
 * store, the delivery becomes dead.
 */
export async function pushEvidence(context: SessionContext, started: SessionDocument): Promise<void> {
  const { store, env } = context
  const settings = await loadSettings(env, started.relying_party_id, Date.now())
  const isUnknown = !settings.ok && settings.error === 'unavailable'
  const target = settings.ok ? (settings.value.evidence?.push ?? undefined) : undefined
  const pushed = await underWay(limitOf(started), () => pushTo(context, target, started))
  const document = store.session()
  const { evidence } = document ?? {}
  const isSame = evidence?.manifest_sha256 === started.evidence?.manifest_sha256
  if (document === undefined || evidence?.push === undefined || !isSame || evidence.erased_at !== undefined)
    return
  record('evidence_pushes', { result: pushed.result, mode: toMode(document) }, { ms: pushed.durationMs })
  const number = Math.max(...(started.evidence?.push ?? []).map(latestAttempt))
  const finished = {
    deliveryId: PUSH,
    attempt: number,
    outcome: pushed,
    now: Date.now(),
    jitter: Math.random(),
  }
  const push = finishAttempt(evidence.push, finished)
  const isDead = target === undefined && !isUnknown
  const after = withPush(document, isDead ? markDead(push, PUSH) : push)
  store.commit(pushed.result === 'failed' ? after : delivered(after, pushed.result))
}

/**
 * Sends the materials and then the envelope to an object store. `target`: `undefined` if the settings have no
 * store, or are unavailable.
 */
async function pushTo(
  { store, env }: SessionContext,
  target: ObjectStore | undefined,
  { verification_id, relying_party_id, evidence, livemode }: SessionDocument,
): Promise<Pushed> {
  const stored = store.evidence()
  if (target === undefined || evidence === undefined || stored === undefined) return NOT_SENT
  const address = objectUrl(target, verification_id, evidence.created_at)
  const url = checkOutboundUrl(address, outboundRule(loadConfig(env), livemode))
  if (!url.ok) return { ...NOT_SENT, error: 'forbidden_url' }
  const start = Date.now()
  const ended = (outcome: AttemptOutcome, result: Pushed['result']): Pushed => {
    const durationMs = Math.max(0, Date.now() - start)
    const isContradictory = result === 'failed' && (hasSucceeded(outcome) || outcome.status === 412)
    return { ...outcome, durationMs, ...(isContradictory && { error: 'unknown' }), result }
  }
  const text = envelopeText(verification_id, evidence, stored)
  const request = { env, target, deadline: start + ATTEMPT_TIMEOUT_MS }
  const { materials } = JSON.parse(text) as EvidenceEnvelope
  for (const { sha256 } of materials) {
    const read = () => materialsStub(env, sha256).read(sha256, relying_party_id)
    const failure = await pushMaterial(request, sha256, read)
    if (failure !== undefined) return ended(failure, 'failed')
  }
  const body = utf8(text)
  const { checksum: repeated, ...outcome } = await put(request, url.value, body)
  const { status } = outcome
  if (status !== 200 && status !== 412) return ended(outcome, 'failed')
  const checksum = await computeChecksum(body)
  if (status === 200 && repeated === checksum) return ended(outcome, 'stored')
  return ended(outcome, readResult(status, await head(request, url.value), checksum))
}

/**
 * Sends a material, unless the store shows that it has the material. Returns the outcome of a failure, else
 * `undefined`. The object's name contains the SHA-256, so an object that exists (412) is the material.
 */
async function pushMaterial(
  request: StoreRequest,
  sha256: string,
  read: () => Promise<Uint8Array<ArrayBuffer> | undefined>,
): Promise<AttemptOutcome | undefined> {
  const url = materialUrl(request.target, sha256)
  const expected = encodeBase64(decodeHex(sha256) ?? new Uint8Array())
  if ((await head(request, url)).checksum === expected) return undefined
  const body = await read()
  if (body === undefined) return NOT_SENT
  const { checksum, ...outcome } = await put(request, url, body, 'application/octet-stream')
  const isStored = outcome.status === 200 && (checksum === null || checksum === expected)
  return isStored || outcome.status === 412 ? undefined : outcome
}

/** An attempt without a request: the settings have no store, or could not be loaded. */
const NOT_SENT: Pushed = { status: null, error: 'unknown', retryAfter: null, durationMs: 0, result: 'failed' }

/**
 * Returns the result of a PUT. Either the store accepted the object, but did not show our checksum (200), or
 * it refused the object because an object of this name exists (412). `head`: the response to HEAD, with the
 * checksum of the object if the store shows it. Only this service writes objects of this name. So an existing
 * object without a shown checksum is treated as ours.
 */
function readResult(put: 200 | 412, head: Sent, checksum: string): Pushed['result'] {
  const { status } = head
  if (status === 200 && head.checksum === checksum) return 'stored'
  if (head.checksum !== null || status === null || status === 404 || status >= 500) return 'failed'
  return put === 412 ? 'stored' : 'unconfirmed'
}

/** The store, and the time in Unix milliseconds at which the attempt ends. */
type StoreRequest = { readonly env: Env; readonly target: ObjectStore; readonly deadline: number }

type Sent = AttemptOutcome & { readonly checksum: string | null }

/** The request could not be signed. It was not sent, and the attempt failed. */
const NOT_SIGNED: Sent = { status: null, error: 'unknown', retryAfter: null, durationMs: 0, checksum: null }

async function put(
  request: StoreRequest,
  url: string,
  body: Uint8Array<ArrayBuffer>,
  contentType = 'application/json',
): Promise<Sent> {
  const object = { url, digest: await digestOf(body), now: Date.now() }
  const signed = await callBackground(async () => request.env.BACKGROUND_WORK.signPut(request.target, object))
  if (signed === undefined) return NOT_SIGNED
  const headers = { ...signed.headers, 'content-type': contentType }
  return send({ ...signed, headers }, body, Math.min(PUT_MS, request.deadline - Date.now()))
}

async function head({ env, target, deadline }: StoreRequest, url: string): Promise<Sent> {
  const signed = await callBackground(async () => env.BACKGROUND_WORK.signHead(target, url, Date.now()))
  if (signed === undefined) return NOT_SIGNED
  return send(signed, null, Math.min(HEAD_MS, deadline - Date.now()))
}

async function send(
  request: SignedRequest,
  body: Uint8Array<ArrayBuffer> | null,
  timeoutMs: number,
): Promise<Sent> {
  let checksum: string | null = null
  const outcome = await deliver({
    ...request,
    body,
    timeoutMs: Math.max(1, timeoutMs),
    clock: Date.now,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      checksum = response.headers.get(CHECKSUM)
      return response
    },
  })
  return { ...outcome, checksum }
}

function withPush(document: SessionDocument, push: readonly Delivery[]): SessionDocument {
  return document.evidence === undefined
    ? document
    : { ...document, evidence: { ...document.evidence, push } }
}

/**
 * Returns the document after the store has the evidence. If the result is `unconfirmed`, the session keeps
 * the sealed bytes until its retention ends.
 */
function delivered(document: SessionDocument, result: 'stored' | 'unconfirmed'): SessionDocument {
  const { evidence } = document
  if (evidence === undefined) return document
  const ended = { state: 'delivered', next_attempt_at: null } as const
  const all = { ...evidence, push: (evidence.push ?? []).map((one) => ({ ...one, ...ended })) }
  return {
    ...document,
    evidence: result === 'stored' ? erasedEvidence(all, Date.now()) : { ...all, push_unconfirmed: true },
  }
}
