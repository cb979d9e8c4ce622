// Each event is sent one to six times, or is dead. An attempt is durable before it is sent, and every attempt
// has the same bytes. Attempts by hand are counted apart. The write that ends a session queues its event. 410
// ends the event of a step. The result of an attempt is written at once. Without `DELETE`, erasure waits up
// to seven days for a queued event.

import type { RelyingPartyDocument } from '../../../src/relying-party/document/document.ts'
import { isStepEvent } from '../../../src/relying-party/document/settings.ts'
import type { Delivery } from '../../../src/webhook/outbox.ts'
import { documentOf, isEnd, type Property, type Stored } from '../ledger.ts'
import type { Post } from '../receiver.ts'
import type { Session } from '../world.ts'

const AUTOMATIC_ATTEMPTS = 6
/** Longest time from a response to the write of the result, in a history without faults of the platform. */
const PROMPT_MS = 1_000
/** Longest delay of an erasure while an event is queued (api/result). */
const QUEUED_MS = 7 * 86_400_000

export const posts: Property = {
  name: '1 to 6 POSTs for each event, or dead',
  watch: ({ sessions, fail, durable, wall, latest, isCalm }) => {
    const sent = new Map<string, Post[]>()
    /** Time of the last POST of each event. */
    const sentAt = new Map<string, number>()
    const deliveries = new Map<string, { readonly delivery: Delivery; readonly session: Session }>()
    /** Sessions that the relying party has deleted, or tried to. */
    const deleted = new Set<Session>()
    const isAccepted = (eventId: string) =>
      (sent.get(eventId) ?? []).some(({ status }) => status !== null && status >= 200 && status < 300)
    /** The write that erases a session may also end its event: it is delivered, or not wanted any more. */
    const isErasable = (session: Session, delivery: Delivery) =>
      delivery.state !== 'owed' || isAccepted(delivery.event_id) || !isWanted(session, delivery)
    /** Events whose last attempt was due when their session was erased: the same write counts it. */
    const lastDue = new Set<string>()
    const deliveryOf = (session: Session, eventId: string) =>
      documentOf(durable(session))?.deliveries.find(({ event_id }) => event_id === eventId)
    return {
      asked: (session, method) => {
        if (method === 'erase') deleted.add(session)
      },
      posted: (post) => {
        const earlier = sent.get(post.eventId) ?? []
        sentAt.set(post.eventId, wall())
        sent.set(post.eventId, [...earlier, post])
        if (earlier.some(({ body }) => body !== post.body)) fail(`${post.eventId} was sent with other bytes`)
        const session = sessions.find(({ verificationId }) => verificationId === post.verificationId)
        if (session === undefined) return fail(`an event of an unknown session was sent: ${post.eventId}`)
        const document = documentOf(durable(session))
        if (document === undefined) return // erased while the attempt was under way
        const delivery = deliveryOf(session, post.eventId)
        if (delivery === undefined) return fail(`an event of ${session.name} was sent that is not written`)
        const number = earlier.length + 1
        if (number > delivery.attempts.length) {
          fail(`POST ${number} for ${session.name} was sent, ${delivery.attempts.length} are written`)
        }
        const manual = delivery.attempts.filter((attempt) => attempt.manual).length
        if (number > AUTOMATIC_ATTEMPTS + manual || delivery.automatic_attempts > AUTOMATIC_ATTEMPTS) {
          fail(`POST ${number} for ${session.name}, of which ${manual} are by hand`)
        }
      },
      committed: (session, before, after) => {
        if (isEnd(before, after) && isUnqueued(session, after)) {
          fail(`the write that ends ${session.name} queues no event, and its endpoint wants one`)
        }
        const [old, document] = [documentOf(before), documentOf(after)]
        if (old !== undefined && document === undefined && !deleted.has(session)) {
          const isEarly = latest() < (old.ended_at ?? 0) + old.retention_ms + QUEUED_MS
          for (const delivery of isEarly ? old.deliveries : []) {
            if (isErasable(session, delivery)) continue
            const { event_id, automatic_attempts: automatic } = delivery
            // The write that erases a session may also start the last attempt, or end it without a result.
            if (automatic >= AUTOMATIC_ATTEMPTS - 1) lastDue.add(event_id)
            else fail(`${session.name} was erased while its event was queued`)
          }
        }
        for (const delivery of document?.deliveries ?? []) {
          const { event_id, attempts } = delivery
          const known = deliveries.get(event_id)?.delivery.attempts.at(-1)?.duration_ms
          const duration = attempts.at(-1)?.duration_ms
          const late = wall() - (sentAt.get(event_id) ?? 0) - (duration ?? 0)
          if (isCalm && known === undefined && duration !== undefined && late > PROMPT_MS)
            fail(`the result of a POST for ${session.name} is written ${late} ms after it`)
          deliveries.set(delivery.event_id, { delivery, session })
        }
      },
      eventsOver: () => {
        for (const [eventId, { delivery, session }] of deliveries) {
          const { state, automatic_attempts: automatic } = delivery
          // The events of a disabled endpoint wait until it is enabled, or their session is erased.
          const isParked = settingsOf(session)?.webhook?.disabled === true
          const isErased = documentOf(durable(session)) === undefined
          const isEnded = isErasable(session, delivery) || lastDue.has(eventId)
          const isGone = isErased && (deleted.has(session) || isEnded)
          if (state === 'owed' && !isParked && !isGone) {
            fail(`the event of ${session.name} is still queued`)
          }
          // An unwanted event is queued while settings are unavailable.
          const isRefused =
            isStepEvent(delivery) && (sent.get(eventId) ?? []).some(({ status }) => status === 410)
          const isShort = automatic < AUTOMATIC_ATTEMPTS && isWanted(session, delivery) && !isRefused
          if (state === 'dead' && isShort) {
            fail(`the event of ${session.name} is dead after ${automatic} attempts`)
          }
          if (state === 'delivered' && !isAccepted(eventId)) {
            fail(`the event of ${session.name} was not delivered`)
          }
        }
      },
    }
  },
}

/** Returns true if the endpoint wants the event of this end, and the document has no delivery. */
function isUnqueued(session: Session, after: Stored): boolean {
  const document = documentOf(after)
  if (document === undefined || document.deliveries.some((one) => !isStepEvent(one))) return false
  const events = settingsOf(session)?.webhook?.events ?? []
  return !session.party.isErased && events.some((type) => type === `verification.${document.status}`)
}

/** Returns true if the endpoint of the session wants an event. */
function isWanted(session: Session, { event_type }: Delivery): boolean {
  return settingsOf(session)?.webhook?.events.some((type) => type === event_type) ?? false
}

function settingsOf(session: Session): RelyingPartyDocument | undefined {
  return session.party.object.durable.data.get('document') as RelyingPartyDocument | undefined
}
