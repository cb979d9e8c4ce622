// Step events (api/webhooks): the creation, the first fetch of a request, refused responses, and the time
// stamp of evidence. A webhook gets the step events to which it subscribes. Step events are sent and logged
// like the event of the end. They do not delay the webhook of the end, and delay its log entry by at most one
// second.

import { loadConfig } from '../../config.ts'
import type {
  EvidenceEventType,
  StepEventType,
  WebhookEndpoint,
} from '../../relying-party/document/settings.ts'
import { serialiseEvent } from '../../webhook/event.ts'
import { enqueue } from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'
import type { ReasonCode } from '../document/reasons.ts'
import { sendEntry } from '../listing/indexing.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { loadWebhook } from '../store/webhook.ts'
import { markBegun, planAttempts, postAll } from './delivering.ts'
import { buildEvent, randomIdentifier } from './event.ts'
import { newStepLog, publishSteps } from './publishing.ts'

/** Limit of step events of one verification. */
const LIMIT = 10
/** Shortest time between two events of refused responses. */
const REFUSAL_MS = 1_000

/** A step that may have an event. `reason`: the reason of a refused response. */
type EventfulStep = { readonly type: StepEventType; readonly reason?: ReasonCode }

/** Sends the changed list entry of the session, and the event of the step that changed the entry. */
export function reportStep(context: SessionContext, step: EventfulStep): Promise<void> {
  void inBackground(() => sendEntry(context))
  return sendStepEvent(context, step)
}

/**
 * Queues the event of a step, if the webhook is subscribed to such events, and starts its first attempt. The
 * step itself is already in the document. Returns once the event is written.
 */
export async function sendStepEvent(context: SessionContext, { type, reason }: EventfulStep): Promise<void> {
  const { store } = context
  if (isFirstOfLogin(store.session(), type)) await sendStepEvent(context, { type: 'verification.created' })
  if (!mayHaveEvent(store.session(), reason)) return
  const webhook = await loadWebhook(context, Date.now())
  const document = store.session()
  const now = Date.now()
  if (document === undefined || !mayHaveEvent(document, reason) || document.status !== 'pending') return
  // Two steps at the same time may both report the creation of a login.
  if (type === 'verification.created' && (document.step_events?.count ?? 0) > 0) return
  if (webhook === null || webhook === 'unknown' || webhook.disabled || !webhook.events.includes(type)) return
  const { count = 0, refused_at = null } = document.step_events ?? {}
  const sequence = count + 1
  const step_events = { count: sequence, refused_at: reason === undefined ? refused_at : now }
  const event = { event_type: type, sequence, at: now, reason: reason ?? null }
  commitWithEvent(context, { ...document, step_events }, event, webhook)
}

/**
 * Writes the document of an ended session after a change of its time stamp. The same write queues the event
 * of the change, if the webhook is subscribed to it. If the webhook's settings are unavailable (`unknown`),
 * the event is queued, and the delivery checks the subscription.
 */
export function commitTimeStamp(
  context: SessionContext,
  document: SessionDocument,
  type: EvidenceEventType | undefined,
  webhook: WebhookEndpoint | null | 'unknown',
): void {
  const isWanted = webhook === 'unknown' || (type && webhook?.events.includes(type))
  if (type === undefined || webhook === null || !isWanted) {
    context.store.commit(document)
    return
  }
  // The event of the session's end has the sequence number `count` + 1. This event comes after it.
  const sequence = (document.step_events?.count ?? 0) + 2
  const reason = document.outcome?.reason ?? null
  commitWithEvent(context, document, { event_type: type, sequence, at: Date.now(), reason }, webhook)
}

/** Writes a document with its new event. If the webhook is known, starts the first delivery attempt, too. */
function commitWithEvent(
  context: SessionContext,
  document: SessionDocument,
  named: Omit<Parameters<typeof buildEvent>[1], 'event_id'>,
  webhook: WebhookEndpoint | 'unknown',
): void {
  const { event_type, sequence, at: now } = named
  const event_id = randomIdentifier('evt_')
  const event = buildEvent(document, { event_id, ...named }, loadConfig(context.env).baseUrl)
  const delivery_id = randomIdentifier('dlv_')
  const body = serialiseEvent(event)
  const all = enqueue(document.deliveries, { delivery_id, event_id, event_type, sequence, body }, now)
  const isKnown = webhook !== 'unknown' && !webhook.disabled
  const due = isKnown ? all.filter((one) => one.event_id === event_id) : []
  const { deliveries, started } = planAttempts(context.env, document.relying_party_id, all, { due, now })
  const pending_step_log = newStepLog(document, event_id, now)
  context.store.commit({ ...document, deliveries, pending_step_log })
  const posting = isKnown ? postAll(context, webhook, markBegun(deliveries, started)) : undefined
  void inBackground(async () => {
    await Promise.all([publishSteps(context), posting])
    context.store.save()
  })
}

function mayHaveEvent(document: SessionDocument | undefined, reason: ReasonCode | undefined): boolean {
  const steps = document?.step_events
  if (steps === undefined || steps.count >= LIMIT) return false
  return reason === undefined || steps.refused_at === null || Date.now() >= steps.refused_at + REFUSAL_MS
}

/**
 * Returns true for the first action of a wallet in a login. The event `verification.created` of a login is
 * not sent at creation. The caller sends it before the event of this action.
 */
function isFirstOfLogin(document: SessionDocument | undefined, type: StepEventType): boolean {
  return type !== 'verification.created' && document?.login !== undefined && document.step_events?.count === 0
}
