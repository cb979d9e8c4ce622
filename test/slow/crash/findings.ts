// Rules that must hold after the crashes (api/outcome and api/webhooks). The evidence is the responses to
// callers, the receipts of a receiver, and the service's later answers. Each finding lists the sessions or
// events that break one rule; good runs have empty lists.

import type { SealedAnswer } from './archive.ts'
import type { DeletedSession } from './deletions.ts'
import type { Receipt } from './failing-receiver.ts'
import type { FinishedSession } from './load.ts'

/** The service's answer about a session afterwards, or null for an unknown session. */
export type ServiceResponse = {
  readonly status: string
  readonly session_binding?: string | null
  readonly evidence?: { readonly manifest_sha256: string } | null
  readonly deliveries: readonly {
    readonly event_id: string
    readonly attempts: readonly { readonly attempt: number; readonly manual: boolean }[]
  }[]
} | null

export type ListedSession = { readonly verification_id: string; readonly status: string }

export type Evidence = {
  /** Every session whose creation was acknowledged and, unless it expired, whose outcome was. */
  readonly sessions: readonly FinishedSession[]
  readonly answers: ReadonlyMap<string, ServiceResponse>
  /** The answer about the evidence of each session; empty in a run without evidence. */
  readonly sealed: ReadonlyMap<string, SealedAnswer>
  readonly receipts: readonly Receipt[]
  /** The session of each event in the event log, in its order. */
  readonly logged: readonly string[]
  /** The entries of the list of verifications. */
  readonly listed: readonly ListedSession[]
  /** Sessions that may have met a build that has no list. */
  readonly unlistable: ReadonlySet<string>
  /** Sessions that were deleted while the service was killed. */
  readonly deleted: readonly DeletedSession[]
  /** Metadata of deleted sessions that a file has. */
  readonly readable: ReadonlySet<string>
}

export type Findings = {
  /** Sessions whose outcome the service does not return (any more). */
  readonly forgotten: readonly string[]
  /** Sessions whose event the receiver never accepted. */
  readonly undelivered: readonly string[]
  /** Sessions whose event is not once in the event log. */
  readonly notLoggedOnce: readonly string[]
  /** Sessions that are not once in the list of verifications. */
  readonly notListedOnce: readonly string[]
  /** Sessions that the list has with another status. */
  readonly listedOtherwise: readonly string[]
  /** Sessions with more than one event. */
  readonly doubled: readonly string[]
  /** Events that differ from the acknowledged outcome, or do not have number 1. */
  readonly contradicted: readonly string[]
  /** Events sent more than six times. */
  readonly oversent: readonly string[]
  /** Events sent more often than their log shows: an attempt must be counted before it is sent. */
  readonly uncounted: readonly string[]
  /** Events whose bytes differ between attempts. */
  readonly altered: readonly string[]
  /** Events of unknown sessions, except the expiry of a session that no caller got. */
  readonly unknown: readonly string[]
  /** Logins whose client got tokens, and whose session does not show the redemption. */
  readonly unredeemed: readonly string[]
  /** Logins whose code worked twice, or whose access token outlived the second use. */
  readonly redeemedTwice: readonly string[]
  /** Logins that ended as their session did not, or with tokens about another session. */
  readonly misjudged: readonly string[]
  /** Sessions whose evidence is missing, cannot be opened, or has another digest than the result. */
  readonly unproven: readonly string[]
  /** Sessions with evidence that was erased, or that nobody asked for. */
  readonly overproven: readonly string[]
  /** Deleted sessions of which something is left, and its place: a response, an entry in the list, a file. */
  readonly undeleted: readonly string[]
  /** Sessions whose `DELETE` was not cut off, and was not 204. */
  readonly misdeleted: readonly string[]
  /** Deleted sessions whose `Idempotency-Key` was lost, although no request for it was cut off. */
  readonly keyLost: readonly string[]
}

const AUTOMATIC_ATTEMPTS = 6

/** Finds broken rules of a run. */
export function findingsOf(evidence: Evidence): Findings {
  const { sessions, answers, sealed, receipts, logged, listed, unlistable, deleted, readable } = evidence
  const inLog = Map.groupBy(logged, (verificationId) => verificationId)
  const inList = Map.groupBy(listed, ({ verification_id }) => verification_id)
  const bySession = Map.groupBy(receipts, ({ verificationId }) => verificationId)
  const byEvent = [...Map.groupBy(receipts, ({ eventId }) => eventId)]
  const known = new Map(sessions.map((session) => [session.verificationId, session]))
  // If a kill cuts off the start of a login, its caller starts another login. On a slow machine the first
  // session expires before the run ends.
  const isAbandoned = ({ verificationId, event }: Receipt) =>
    !known.has(verificationId) && event.event_type === 'verification.expired'
  const receiptsOf = ({ verificationId }: FinishedSession) => bySession.get(verificationId) ?? []
  const sessionsWhere = (breaks: (session: FinishedSession) => boolean) =>
    sessions.filter(breaks).map(({ verificationId }) => verificationId)
  const deletedWhere = (breaks: (session: DeletedSession) => boolean) =>
    deleted.filter(breaks).map(({ verificationId }) => verificationId)
  const leftOf = ({ verificationId, marker, listed, read, again }: DeletedSession) => [
    ...(listed ? ['listed after its DELETE'] : []),
    ...(inList.has(verificationId) ? ['listed at the end'] : []),
    ...(read === 404 ? [] : [`GET ${read}`]),
    ...(again === 404 ? [] : [`DELETE ${again}`]),
    ...(readable.has(marker) ? ['in a file'] : []),
  ]
  const eventsWhere = (breaks: (sent: readonly Receipt[], eventId: string) => boolean) =>
    byEvent.filter(([eventId, sent]) => breaks(sent, eventId)).map(([eventId]) => eventId)

  return {
    forgotten: sessionsWhere(({ verificationId, end }) => answers.get(verificationId)?.status !== end),
    undelivered: sessionsWhere((session) => !receiptsOf(session).some(({ accepted }) => accepted)),
    notLoggedOnce: sessionsWhere(({ verificationId }) => inLog.get(verificationId)?.length !== 1),
    notListedOnce: sessionsWhere(({ verificationId }) => {
      const times = inList.get(verificationId)?.length ?? 0
      return times > 1 || (times === 0 && !unlistable.has(verificationId))
    }),
    listedOtherwise: sessionsWhere(({ verificationId, end }) => {
      const mayBe = unlistable.has(verificationId) ? [end, 'pending'] : [end]
      return (inList.get(verificationId) ?? []).some(({ status }) => !mayBe.includes(status))
    }),
    doubled: sessionsWhere((session) => new Set(receiptsOf(session).map(({ eventId }) => eventId)).size > 1),
    contradicted: eventsWhere((sent) => sent.some((receipt) => contradicts(receipt, known))),
    oversent: eventsWhere((sent) => sent.length > AUTOMATIC_ATTEMPTS),
    uncounted: eventsWhere(
      (sent, eventId) => !sent.every(isAbandoned) && sent.length > countedAttempts(sent, eventId, answers),
    ),
    altered: eventsWhere((sent) => new Set(sent.map(({ digest }) => digest)).size > 1),
    unknown: eventsWhere((sent) => sent.some((one) => !known.has(one.verificationId) && !isAbandoned(one))),
    unredeemed: sessionsWhere(
      ({ verificationId, login }) =>
        login?.end === 'redeemed' && answers.get(verificationId)?.session_binding !== 'relying_party',
    ),
    redeemedTwice: sessionsWhere(
      ({ login }) => login?.end === 'redeemed' && String(login.again) !== '200,400,401',
    ),
    misjudged: sessionsWhere(({ end, verificationId, login }) => {
      if (login === undefined) return false
      const isAnothers = login.end === 'redeemed' && login.subject !== verificationId
      return isAnothers || (login.end === 'denied') !== (end === 'rejected')
    }),
    unproven: sessionsWhere(({ verificationId, evidence }) => {
      const digest = answers.get(verificationId)?.evidence?.manifest_sha256
      return evidence === 'kept' && (digest === undefined || sealed.get(verificationId)?.digest !== digest)
    }),
    overproven: sessionsWhere(({ verificationId, evidence }) => {
      const { status } = sealed.get(verificationId) ?? {}
      return evidence !== 'kept' && status !== undefined && status !== (evidence === 'erased' ? 410 : 404)
    }),
    undeleted: deleted.flatMap((session) => {
      const left = leftOf(session)
      return left.length === 0 ? [] : [`${session.verificationId}: ${left.join(', ')}`]
    }),
    misdeleted: deletedWhere(({ tries, status }) => status !== 204 && (tries === 1 || status !== 404)),
    keyLost: deletedWhere(({ tries, recreated }) => recreated !== 410 && (tries === 1 || recreated !== 201)),
  }
}

function contradicts(
  { verificationId, event }: Receipt,
  known: ReadonlyMap<string, FinishedSession>,
): boolean {
  const end = known.get(verificationId)?.end
  if (end === undefined) return false // reported as `unknown`
  const { event_type, status, sequence } = event
  return event_type !== `verification.${end}` || status !== end || sequence !== 1
}

function countedAttempts(
  sent: readonly Receipt[],
  eventId: string,
  answers: ReadonlyMap<string, ServiceResponse>,
): number {
  const log = sent.flatMap(({ verificationId }) => answers.get(verificationId)?.deliveries ?? [])
  return log.find(({ event_id }) => event_id === eventId)?.attempts.length ?? 0
}
