// How a session ends: one step from the pending document to a finished one, with the event it owes to webhook and log
// (CONTRACT 4, 7). Pure; the object calls it in the one synchronous stretch between reading the status and the write.

import type { WebhookEndpoint } from '../../relying-party/settings/settings.ts'
import { serialiseEvent } from '../../webhook/event.ts'
import { enqueue } from '../../webhook/outbox.ts'
import { terminalEvent } from '../delivery/event.ts'
import { oweLogEntry } from '../delivery/publishing.ts'
import type { Outcome, SessionDocument } from '../document.ts'
import { type SessionEvent, transition } from '../state.ts'

/** What ends a session, and what the world was at that moment. */
export type Ending = {
  readonly event: SessionEvent
  readonly outcome: Outcome
  /** Digest of the answer that ends it; null where no answer does. */
  readonly winner: string | null
  readonly now: number
  /** The service's own address. */
  readonly baseUrl: string
  /** Where the event goes; null: nowhere. Unknown: it is owed all the same, and delivery decides. */
  readonly webhook: WebhookEndpoint | null | 'unknown'
  /** Fresh random identifiers. */
  readonly eventId: string
  readonly deliveryId: string
}

/** The finished document; `undefined` where the session's status refuses the event. All generations die with it. */
export function endSession(document: SessionDocument, ending: Ending): SessionDocument | undefined {
  const status = transition(document.status, ending.event)
  if (status === undefined) return undefined
  const { verifier } = document
  const ended: SessionDocument = {
    ...document,
    status,
    version: document.version + 1,
    ended_at: ending.now,
    verified_at: status === 'verified' ? ending.now : null,
    outcome: ending.outcome,
    winner: ending.winner,
    generations: [],
    // The keys' last use is over: what signs for the session is erased with what opens its answers.
    verifier: verifier.sealed_signing_jwk === null ? verifier : { ...verifier, sealed_signing_jwk: '' },
  }
  const owed_to_log = oweLogEntry(ending.eventId, ending.now)
  return { ...ended, deliveries: oweEvent(ended, ending), owed_to_log }
}

function oweEvent(document: SessionDocument, ending: Ending): SessionDocument['deliveries'] {
  const { webhook, eventId, deliveryId, now, baseUrl } = ending
  const event = terminalEvent(document, eventId, baseUrl)
  const isWanted = webhook === 'unknown' || webhook?.events.some((type) => type === event.event_type)
  if (!isWanted) return document.deliveries
  const { event_type, sequence } = event
  return enqueue(document.deliveries, {
    deliveryId,
    eventId,
    eventType: event_type,
    sequence,
    body: serialiseEvent(event),
    now,
  })
}
