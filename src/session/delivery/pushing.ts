// Delivery of sealed evidence to the object store of the relying party (api/evidence). The first attempt
// starts once the time stamp is present or has failed. If no time stamp is wanted, the attempt starts after
// the write that ends the session. The alarm starts each later attempt, and does not wait for it. Attempts
// are counted and repeated like those of a webhook. The session keeps the sealed bytes until the object store
// has them.

import { utf8 } from '../../codec/bytes.ts'
import { loadConfig, outboundRule } from '../../config.ts'
import {
  checksumOf,
  type ObjectStore,
  objectUrl,
  type SignedRequest,
  signHead,
  signPut,
} from '../../evidence/push/signed-request.ts'
import { record } from '../../metrics/record.ts'
import { checkOutboundUrl } from '../../net/outbound-url.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { type AttemptOutcome, deliver } from '../../webhook/delivery.ts'
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
import { modeOf } from '../store/measures.ts'
import { mayAttempt, nextTurn, underWay } from './attempt-limit.ts'

/**
 * Time limits of the two requests of an attempt (PUT and HEAD). Together they fit into the time limit of an
 * attempt.
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
  const started = withPush(document, planned(push, { due, starts, limit, now }))
  store.commit(started)
  if (starts) void inBackground(() => pushEvidence(context, started))
}

function planned(
  push: readonly Delivery[],
  { due, starts, limit, now }: Readonly<{ due: Delivery; starts: boolean; limit: string; now: number }>,
): readonly Delivery[] {
  if (starts) return startAttempt(push, PUSH, now)
  return isExhausted(due) ? markDead(push, PUSH) : postpone(push, PUSH, nextTurn(limit, now, Math.random()))
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
  record('evidence_pushes', { result: pushed.result, mode: modeOf(document) }, { ms: pushed.durationMs })
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
 * Sends the envelope to an object store. `target`: `undefined` if the settings have no store, or are
 * unavailable.
 */
async function pushTo(
  { store, env }: SessionContext,
  target: ObjectStore | undefined,
  { verification_id, evidence, livemode }: SessionDocument,
): Promise<Pushed> {
  const stored = store.evidence()
  if (target === undefined || evidence === undefined || stored === undefined) return NOT_SENT
  const address = objectUrl(target, verification_id, evidence.created_at)
  const url = checkOutboundUrl(address, outboundRule(loadConfig(env), livemode))
  if (!url.ok) return { ...NOT_SENT, error: 'forbidden_url' }
  const body = utf8(envelopeText(verification_id, evidence, stored))
  const put = await send(await signPut(target, { url: url.value, body, now: Date.now() }), body, PUT_MS)
  const { checksum: repeated, ...outcome } = put
  const { status, durationMs } = outcome
  if (status !== 200 && status !== 412) return { ...outcome, result: 'failed' }
  const checksum = await checksumOf(body)
  if (status === 200 && repeated === checksum) return { ...outcome, result: 'stored' }
  const head = await send(await signHead(target, url.value, Date.now()), null, HEAD_MS)
  const result = resultOf(status, head, checksum)
  return {
    ...outcome,
    durationMs: durationMs + head.durationMs,
    ...(result === 'failed' && { error: 'unknown' }),
    result,
  }
}

/** An attempt without a request: the settings have no store, or could not be loaded. */
const NOT_SENT: Pushed = { status: null, error: 'unknown', retryAfter: null, durationMs: 0, result: 'failed' }

/**
 * Returns the result of a PUT that a store accepted without our checksum (200), or refused because the object
 * exists (412). `head`: the response to HEAD, with the checksum of the object if the store shows it. Only
 * this service writes objects of this name. So an existing object without a shown checksum is treated as
 * ours.
 */
function resultOf(put: 200 | 412, head: Sent, checksum: string): Pushed['result'] {
  const { status } = head
  if (status === 200 && head.checksum === checksum) return 'stored'
  if (head.checksum !== null || status === null || status === 404 || status >= 500) return 'failed'
  return put === 412 ? 'stored' : 'unconfirmed'
}

type Sent = AttemptOutcome & { readonly checksum: string | null }

async function send(request: SignedRequest, body: Uint8Array<ArrayBuffer> | null, timeoutMs: number) {
  let checksum: string | null = null
  const outcome = await deliver({
    ...request,
    body,
    timeoutMs,
    clock: Date.now,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      checksum = response.headers.get(CHECKSUM)
      return response
    },
  })
  return { ...outcome, checksum } as Sent
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
