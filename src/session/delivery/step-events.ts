// Step events (api/webhooks): the creation, the first fetch of a request, and refused responses. A webhook
// gets the step events to which it subscribes. Step events are sent and logged like the event of the end, and
// never delay that event.

import { loadConfig } from '../../config.ts'
import type { StepEventType } from '../../relying-party/document/settings.ts'
import { serialiseEvent } from '../../webhook/event.ts'
import { enqueue } from '../../webhook/outbox.ts'
import type { SessionDocument } from '../document/document.ts'
import type { ReasonCode } from '../document/reasons.ts'
import { sendEntry } from '../listing/indexing.ts'
import { inBackground } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import { loadWebhook } from '../store/webhook.ts'
import { begunOf, planAttempts, postAll } from './delivering.ts'
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
  const { store, env } = context
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
  const event_id = randomIdentifier('evt_')
  const event = { event_id, event_type: type, sequence, at: now, reason: reason ?? null }
  const delivery = {
    delivery_id: randomIdentifier('dlv_'),
    event_id,
    event_type: type,
    sequence,
    body: serialiseEvent(buildEvent(document, event, loadConfig(env).baseUrl)),
  }
  const all = enqueue(document.deliveries, delivery, now)
  const due = all.filter((one) => one.event_id === event_id)
  const { deliveries, started } = planAttempts(document.relying_party_id, all, { due, now })
  store.commit({
    ...document,
    deliveries,
    step_events: { count: sequence, refused_at: reason === undefined ? refused_at : now },
    pending_step_log: newStepLog(document, event_id, now),
  })
  void inBackground(async () => {
    await Promise.all([publishSteps(context), postAll(context, webhook, begunOf(deliveries, started))])
    store.save()
  })
}

function mayHaveEvent(document: SessionDocument | undefined, reason: ReasonCode | undefined): boolean {
  const steps = document?.step_events
  if (steps === undefined || steps.count >= LIMIT) return false
  return reason === undefined || steps.refused_at === null || Date.now() >= steps.refused_at + REFUSAL_MS
}

/** Returns true for the first step of a login by a wallet. Its creation is reported before this step. */
function isFirstOfLogin(document: SessionDocument | undefined, type: StepEventType): boolean {
  return type !== 'verification.created' && document?.login !== undefined && document.step_events?.count === 0
}
