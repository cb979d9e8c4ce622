// Every end of a session is in the event log of its relying party exactly once. The write that ends it queues
// the entry. `DELETE` may erase an end before it is in the log.

import { isStepEvent } from '../../../src/relying-party/document/settings.ts'
import type { RecordedEvent } from '../../../src/relying-party/events/day-events.ts'
import { documentOf, isEnd, type Property } from '../ledger.ts'
import { MARKER, type Session } from '../world.ts'

export const eventLog: Property = {
  name: 'every event in the log exactly once',
  watch: ({ sessions, fail }) => {
    const ends = new Map<string, { readonly session: Session; readonly status: string }>()
    const erased = new Set<Session>()
    const logged = new Map<string, number>()
    return {
      committed: (session, before, after) => {
        const document = documentOf(after)
        if (isEnd(before, after) && document?.pending_log_entry === null) {
          fail(`the write that ends ${session.name} queues no log entry`)
        }
        const delivery = document?.deliveries.find((one) => !isStepEvent(one))
        const eventId = delivery?.event_id ?? document?.pending_log_entry?.event_id
        if (document !== undefined && document.status !== 'pending' && eventId !== undefined) {
          ends.set(eventId, { session, status: document.status })
        }
      },
      called: ({ session, method }) => {
        if (method === 'erase') erased.add(session)
      },
      objectCommitted: ({ kind }, key, after) => {
        if (kind !== 'EVENT_LOG' || !key.startsWith('event/') || after === undefined) return
        const { event_id: eventId, body } = after as RecordedEvent
        const times = (logged.get(eventId) ?? 0) + 1
        logged.set(eventId, times)
        const name = ends.get(eventId)?.session.name ?? eventId
        if (times > 1) fail(`the event of ${name} is in the log ${times} times`)
        if (body.includes(MARKER)) fail(`the log has the metadata of ${name}`)
        const { status, event_type } = JSON.parse(body) as { status: string; event_type: string }
        if (isStepEvent({ event_type })) return
        if (ends.get(eventId)?.status !== status) fail(`the log has an end of ${name} that is not written`)
      },
      eventsOver: () => {
        for (const [eventId, { session }] of ends) {
          const isExcused = erased.has(session) || session.party.isErased
          if (!logged.has(eventId) && !isExcused) fail(`the end of ${session.name} is not in the log`)
        }
        for (const session of sessions) {
          const isCounted = [...ends.values()].filter((one) => one.session === session).length
          if (isCounted > 1) fail(`${session.name} has ${isCounted} events`)
        }
      },
    }
  },
}
