// Delivery of queued events (api/webhooks). The number of an attempt is written before its POST. So a crash
// never loses a delivery, and never causes more than the six automatic attempts. A crash may lose the
// response of a receiver.

import { encodeHex } from '../../codec/bytes.ts'
import { writeTraceparent } from '../../codec/traceparent.ts'
import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { Env } from '../../env.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { type EventType, isStepEvent, type WebhookEndpoint } from '../../relying-party/document/settings.ts'
import { postEvent } from '../../relying-party/events/post-event.ts'
import { forgetSettings, loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { disablesEndpoint } from '../../webhook/delivery.ts'
import {
  type Delivery,
  dueDeliveries,
  type FinishedAttempt,
  finishAttempt,
  isExhausted,
  latestAttempt,
  markDead,
  nextDue,
  postpone,
  type RedeliveryError,
  startAttempt,
  startManualAttempt,
} from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'
import { reportEntry } from '../listing/indexing.ts'
import { inBackground, logError } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { recordAttempt } from '../store/measures.ts'
import { erasedBy } from '../store/wake-up.ts'
import { mayAttempt, nextTurn, underWay } from './attempt-limit.ts'

/**
 * Sends every delivery that is due at `now` (Unix milliseconds). Waits for the responses, except for step
 * events. `onWait` is called before the attempts whose responses are awaited. Returns `postponed` if the
 * settings are unavailable, if `isParked` returns false for a disabled endpoint, or if the session changed
 * during that call. In these cases no attempt starts.
 */
export async function deliverDue(
  context: SessionContext,
  now: number,
  onWait?: () => void,
): Promise<'done' | 'postponed'> {
  const { store, env } = context
  const before = store.session()
  if (before === undefined || dueDeliveries(before.deliveries, now).length === 0) return 'done'
  const settings = await loadSettings(env, before.relying_party_id, now)
  if (!settings.ok && settings.error === 'unavailable') return 'postponed'
  const webhook = settings.ok ? settings.value.webhook : null
  // During the call of `isParked`, the relying party's object may release the events. The session has then
  // changed.
  if (webhook?.disabled && (!(await isParked(env, before)) || store.session() !== before)) return 'postponed'
  const document = store.session()
  if (document === undefined) return 'done'
  if (document.status !== 'pending' && erasedBy(document) <= now) return 'done' // the erasure follows
  const due = dueDeliveries(document.deliveries, now)
  const wanted = due.filter((delivery) => isWanted(webhook, delivery) && !isExhausted(delivery))
  const unwanted = due.filter((delivery) => !wanted.includes(delivery))
  const marked = unwanted.reduce((all, { delivery_id }) => markDead(all, delivery_id), document.deliveries)
  const { deliveries, started } = webhook?.disabled
    ? { deliveries: parkAll(marked, wanted), started: [] }
    : planAttempts(env, document.relying_party_id, marked, { due: wanted, now })
  store.commit({ ...document, deliveries })
  if (unwanted.length > 0) void inBackground(() => reportEntry(context))
  if (webhook === null || webhook.disabled) return 'done'
  const begun = markBegun(deliveries, started)
  // Attempts for step events are not awaited. A slow one would delay the next alarm, which may have to send
  // the event of the session's end.
  void inBackground(() => postAll(context, webhook, begun.filter(isStepEvent)))
  const outcomes = begun.filter((delivery) => !isStepEvent(delivery))
  if (outcomes.length === 0) return 'done'
  onWait?.()
  await postAll(context, webhook, outcomes)
  await reportEntry(context)
  return 'done'
}

/** Makes the queued events due now, after their endpoint was enabled again. The alarm sends the events. */
export function releaseEvents({ store }: SessionContext, now: number): void {
  const document = store.session()
  if (document === undefined || nextDue(document.deliveries) === null) return
  forgetSettings(document.relying_party_id)
  const release = (all: readonly Delivery[], { delivery_id }: Delivery) => postpone(all, delivery_id, now)
  store.commit({ ...document, deliveries: document.deliveries.reduce(release, document.deliveries) })
}

/**
 * Returns all deliveries. The deliveries in `parked` are postponed, because their endpoint is disabled. No
 * attempt is counted.
 */
function parkAll(all: readonly Delivery[], parked: readonly Delivery[]): readonly Delivery[] {
  const until = Date.now() + PARKED_MS
  return parked.reduce((deliveries, { delivery_id }) => postpone(deliveries, delivery_id, until), all)
}

/**
 * Time after which a disabled endpoint is checked again, in case the relying party's object did not release
 * the event.
 */
const PARKED_MS = 6 * 3_600_000

/**
 * Asks the relying party's object to release the session's events once the endpoint is enabled. Returns false
 * if the endpoint is already enabled, or if the object is unreachable.
 */
async function isParked(env: Env, { relying_party_id, verification_id }: SessionDocument): Promise<boolean> {
  try {
    const parked = await relyingPartyStub(env, relying_party_id)?.park(verification_id)
    if (parked === false) forgetSettings(relying_party_id)
    return parked !== false
  } catch (error) {
    logError('webhook_not_parked', error)
    return false
  }
}

/**
 * Starts an automatic attempt for each delivery in `due`, or postpones the delivery if the limit of the
 * relying party is reached. Returns all deliveries after this change. `started`: deliveries in `due` with a
 * started attempt. The caller writes the deliveries before the POST. Step events have their own limit, so
 * that they do not delay the event of the end.
 */
export function planAttempts(
  env: Env,
  relyingPartyId: string,
  deliveries: readonly Delivery[],
  { due, now }: { readonly due: readonly Delivery[]; readonly now: number },
): { readonly deliveries: readonly Delivery[]; readonly started: readonly Delivery[] } {
  const started = due.filter((delivery) => mayAttempt(limitOf(relyingPartyId, delivery), now))
  const plan = (all: readonly Delivery[], delivery: Delivery) => {
    const { delivery_id } = delivery
    if (started.includes(delivery)) return startAttempt(all, delivery_id, now)
    return postpone(all, delivery_id, nextTurn(env, limitOf(relyingPartyId, delivery), now, Math.random()))
  }
  return { deliveries: due.reduce(plan, deliveries), started }
}

/** Returns the name under which attempts are counted and limited. */
function limitOf(relyingPartyId: string, delivery: Delivery): string {
  return isStepEvent(delivery) ? `${relyingPartyId}/steps` : relyingPartyId
}

/**
 * Posts deliveries whose newest attempt is started and written. `write` stores the document with the result
 * of an attempt. The default stores each result at once, so that a later crash repeats no accepted event.
 * Rejects if a write fails. The attempt then stays started without a result.
 */
export async function postAll(
  context: SessionContext,
  webhook: WebhookEndpoint,
  deliveries: readonly Delivery[],
  write: (document: SessionDocument) => unknown = context.store.commit,
): Promise<void> {
  const { store, env } = context
  await Promise.all(
    deliveries.map(async (delivery) => {
      const { livemode = true, trace_context, relying_party_id = '' } = store.session() ?? {}
      const { event_id: eventId, body } = delivery
      // Each attempt has its own span in the trace.
      const spanId = encodeHex(randomBytes(8))
      const headers = trace_context && { traceparent: writeTraceparent(trace_context, spanId) }
      const outcome = await underWay(limitOf(relying_party_id, delivery), () =>
        postEvent(loadConfig(env), { webhook, livemode }, { eventId, body, headers }),
      )
      recordAttempt({ livemode }, delivery, outcome)
      const document = store.session()
      if (document === undefined) return
      const attempted = { deliveryId: delivery.delivery_id, attempt: latestAttempt(delivery), outcome }
      const finished = { ...attempted, now: Date.now(), jitter: Math.random() }
      await write({ ...document, deliveries: withResult(document.deliveries, delivery, finished) })
      if (isStepEvent(delivery)) return
      if (disablesEndpoint(outcome)) await disableEndpoint(env, document.relying_party_id, webhook.url)
    }),
  )
  store.save()
}

/**
 * Returns the deliveries with the result of an attempt. A 410 for a step event ends only the delivery of that
 * event.
 */
function withResult(
  deliveries: readonly Delivery[],
  delivery: Delivery,
  finished: FinishedAttempt,
): readonly Delivery[] {
  const after = finishAttempt(deliveries, finished)
  const isUnwanted = isStepEvent(delivery) && disablesEndpoint(finished.outcome)
  return isUnwanted ? markDead(after, delivery.delivery_id) : after
}

/**
 * Sends a delivery again because the relying party requested it: the same body with a new timestamp. Returns
 * once the attempt has started.
 */
export async function redeliver(
  context: SessionContext,
  deliveryId: string,
  now: number,
): Promise<Result<null, RedeliveryError | 'no_endpoint' | 'unavailable'>> {
  const { store, env } = context
  const id = store.session()?.relying_party_id
  const settings = id === undefined ? err('not_found') : await loadSettings(env, id, now)
  if (!settings.ok) return settings
  const { webhook } = settings.value
  const document = store.session()
  if (document === undefined) return err('not_found')
  const begun = startManualAttempt(document.deliveries, deliveryId, now)
  if (!begun.ok) return begun
  // `disabled` is not checked: it stops automatic attempts only.
  if (webhook === null) return err('no_endpoint')
  store.commit({ ...document, deliveries: begun.value })
  const chosen = begun.value.filter(({ delivery_id }) => delivery_id === deliveryId)
  void inBackground(async () => {
    await postAll(context, webhook, chosen)
    await reportEntry(context)
  })
  return ok(null)
}

/**
 * Sends the dead deliveries of an event again because the relying party requested it. Returns the number of
 * attempts that started.
 */
export async function redeliverDead(
  context: SessionContext,
  { deliveries }: SessionDocument,
  { eventId, now }: { readonly eventId: string; readonly now: number },
): Promise<number> {
  const dead = deliveries.filter(({ event_id, state }) => event_id === eventId && state === 'dead')
  const begun = await Promise.all(dead.map(({ delivery_id }) => redeliver(context, delivery_id, now)))
  return begun.filter(({ ok }) => ok).length
}

function isWanted(webhook: WebhookEndpoint | null, delivery: Delivery): boolean {
  return webhook?.events.includes(delivery.event_type as EventType) ?? false
}

/**
 * Returns the entries of `deliveries` that are also in `due` (with the same `delivery_id`). In `deliveries`,
 * their attempts have already started.
 */
export function markBegun(deliveries: readonly Delivery[], due: readonly Delivery[]): readonly Delivery[] {
  return deliveries.filter(({ delivery_id }) => due.some((one) => one.delivery_id === delivery_id))
}

/**
 * Disables the endpoint after a 410 response, until the relying party enables the endpoint again
 * (api/webhooks).
 */
async function disableEndpoint(env: Env, relyingPartyId: string, url: string): Promise<void> {
  try {
    await relyingPartyStub(env, relyingPartyId)?.disableWebhook(url)
    forgetSettings(relyingPartyId)
  } catch (error) {
    // This event is not sent again. The next event that gets 410 tries to disable the endpoint again.
    logError('webhook_not_disabled', error)
  }
}
