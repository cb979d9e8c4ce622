// Events of steps (api/webhooks): at most ten, at most one refused response a second, in the log once and in
// order. None delays the event of an outcome. The timeline is short and in order.

import { isStepEvent } from '../../../src/relying-party/document/settings.ts'
import type { RecordedEvent } from '../../../src/relying-party/events/day-events.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { documentOf, isEnd, type Property } from '../ledger.ts'
import type { Session } from '../world.ts'

const LIMIT = 10
const REFUSAL_MS = 1_000
const TIMELINE_ENTRIES = 100
/** Longest time from the start of an attempt to its POST, in a history without faults of the platform. */
const PROMPT_MS = 1_000

export const steps: Property = {
  name: 'events of steps are few, in order, and delay no outcome',
  watch: ({ fail, wall, isCalm, hasSlowCalls }) => {
    /** Events of steps that were queued, with their session. */
    const queued = new Map<string, Session>()
    const logged = new Map<string, number>()
    /** The last sequence in the log, by verification. */
    const last = new Map<string, number>()
    /** Sessions whose events may be gone. */
    const deleted = new Set<Session>()
    /** Events of outcomes whose first attempt has started, and not been sent. */
    const started = new Map<string, number>()

    const limited = (session: Session, { deliveries, step_events }: SessionDocument) => {
      const own = deliveries.filter(isStepEvent)
      if (own.length > 0 && step_events === undefined) fail(`${session.name} has unwanted events of steps`)
      if (own.length > LIMIT) fail(`${session.name} has ${own.length} events of steps`)
      const refusals = own
        .filter(({ event_type }) => event_type === 'verification.response_refused')
        .map(({ body }) => Date.parse((JSON.parse(body) as { readonly created_at: string }).created_at))
      if (refusals.some((at, i) => i > 0 && at - (refusals[i - 1] ?? 0) < REFUSAL_MS)) {
        fail(`${session.name} has two events of refused responses in a second`)
      }
      deliveries.forEach(({ sequence }, i) => {
        if (sequence !== i + 1) fail(`event ${i + 1} of ${session.name} has sequence ${sequence}`)
      })
    }
    return {
      asked: (session, method) => {
        if (method === 'erase') deleted.add(session)
      },
      committed: (session, before, after) => {
        const document = documentOf(after)
        if (document === undefined) return
        limited(session, document)
        // A second creation by one key is another property.
        const old = documentOf(before)
        if (old !== undefined && old.created_at !== document.created_at) deleted.add(session)
        for (const { event_id } of document.deliveries.filter(isStepEvent)) queued.set(event_id, session)
        if (!isEnd(before, after)) return
        const outcome = document.deliveries.find((delivery) => !isStepEvent(delivery))
        if (outcome?.attempts.length === 1) started.set(outcome.event_id, wall())
      },
      posted: ({ eventId }) => {
        const since = started.get(eventId)
        started.delete(eventId)
        if (since !== undefined && isCalm && wall() - since > PROMPT_MS) {
          fail(`the event of an outcome was sent ${wall() - since} ms after the start of its attempt`)
        }
      },
      objectCommitted: ({ kind }, key, after) => {
        if (kind !== 'EVENT_LOG' || !key.startsWith('event/') || after === undefined) return
        const { event_id, verification_id, body } = after as RecordedEvent
        logged.set(event_id, (logged.get(event_id) ?? 0) + 1)
        const { sequence } = JSON.parse(body) as { readonly sequence: number }
        const before = last.get(verification_id) ?? 0
        last.set(verification_id, sequence)
        // They start again with a second creation by one key. An outcome does not wait for a slow call.
        if (isCalm && !hasSlowCalls && sequence > 1 && sequence <= before)
          fail(`the log has event ${sequence} of ${verification_id} after ${before}`)
      },
      called: ({ session, method, parameters, answer }) => {
        if (method !== 'readCourse' || parameters[1] !== 'timeline' || answer.lost) return
        const { ok, value } = answer.value as { readonly ok: boolean; readonly value: { json: string } }
        if (!ok) return
        const { entries } = JSON.parse(value.json) as { entries: readonly { at: string; last_at: string }[] }
        if (entries.length > TIMELINE_ENTRIES) fail(`the timeline of ${session.name} is too long`)
        const times = entries.map(({ at }) => Date.parse(at))
        if (times.some((at, i) => at < (times[i - 1] ?? 0)))
          fail(`the timeline of ${session.name} is not in order`)
      },
      eventsOver: () => {
        for (const [eventId, session] of queued) {
          const times = logged.get(eventId) ?? 0
          const isExcused = deleted.has(session) || session.party.isErased
          if (times > 1 || (times === 0 && !isExcused)) {
            fail(`an event of a step of ${session.name} is in the log ${times} times`)
          }
        }
      },
    }
  },
}
