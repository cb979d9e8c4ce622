// What must hold after the crashes (CONTRACT 4 and 7), judged from what callers were told, what a receiver got, and what the
// service says afterwards. Each finding lists the sessions or events that break one rule; all empty is good.

import type { Receipt } from './failing-receiver.ts'
import type { Known } from './load.ts'

/** What the service says of a session afterwards; null where it does not know it. */
export type Told = {
  readonly status: string
  readonly deliveries: readonly {
    readonly event_id: string
    readonly attempts: readonly { readonly attempt: number; readonly manual: boolean }[]
  }[]
} | null

export type Evidence = {
  /** Every session whose creation and, unless it was left to expire, whose outcome was acknowledged. */
  readonly sessions: readonly Known[]
  readonly told: ReadonlyMap<string, Told>
  readonly receipts: readonly Receipt[]
}

export type Findings = {
  /** Sessions whose outcome the service does not tell (any more). */
  readonly forgotten: readonly string[]
  /** Sessions whose event the receiver never took. */
  readonly undelivered: readonly string[]
  /** Sessions with more events than their one. */
  readonly doubled: readonly string[]
  /** Events that say something else than what was acknowledged, or are not numbered 1. */
  readonly contradicted: readonly string[]
  /** Events sent more than six times. */
  readonly oversent: readonly string[]
  /** Events sent more often than their log admits: an attempt must be counted before it leaves. */
  readonly uncounted: readonly string[]
  /** Events whose bytes were not the same in all attempts. */
  readonly altered: readonly string[]
  /** Events of sessions nobody made. */
  readonly unknown: readonly string[]
}

const AUTOMATIC_ATTEMPTS = 6

/** Judges a run. */
export function findingsOf({ sessions, told, receipts }: Evidence): Findings {
  const bySession = Map.groupBy(receipts, ({ verificationId }) => verificationId)
  const byEvent = [...Map.groupBy(receipts, ({ eventId }) => eventId)]
  const known = new Map(sessions.map((session) => [session.verificationId, session]))
  const receiptsOf = ({ verificationId }: Known) => bySession.get(verificationId) ?? []
  const sessionsWhere = (breaks: (session: Known) => boolean) =>
    sessions.filter(breaks).map(({ verificationId }) => verificationId)
  const eventsWhere = (breaks: (sent: readonly Receipt[], eventId: string) => boolean) =>
    byEvent.filter(([eventId, sent]) => breaks(sent, eventId)).map(([eventId]) => eventId)

  return {
    forgotten: sessionsWhere(({ verificationId, end }) => told.get(verificationId)?.status !== end),
    undelivered: sessionsWhere((session) => !receiptsOf(session).some(({ accepted }) => accepted)),
    doubled: sessionsWhere((session) => new Set(receiptsOf(session).map(({ eventId }) => eventId)).size > 1),
    contradicted: eventsWhere((sent) => sent.some((receipt) => contradicts(receipt, known))),
    oversent: eventsWhere((sent) => sent.length > AUTOMATIC_ATTEMPTS),
    uncounted: eventsWhere((sent, eventId) => sent.length > countedAttempts(sent, eventId, told)),
    altered: eventsWhere((sent) => new Set(sent.map(({ digest }) => digest)).size > 1),
    unknown: eventsWhere((sent) => sent.some(({ verificationId }) => !known.has(verificationId))),
  }
}

function contradicts({ verificationId, event }: Receipt, known: ReadonlyMap<string, Known>): boolean {
  const end = known.get(verificationId)?.end
  if (end === undefined) return false // that is another finding
  const { event_type, status, sequence } = event
  return event_type !== `verification.${end}` || status !== end || sequence !== 1
}

function countedAttempts(sent: readonly Receipt[], eventId: string, told: ReadonlyMap<string, Told>): number {
  const log = sent.flatMap(({ verificationId }) => told.get(verificationId)?.deliveries ?? [])
  return log.find(({ event_id }) => event_id === eventId)?.attempts.length ?? 0
}
