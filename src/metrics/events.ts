// What the service counts of itself (docs/operating.md), as one table. Every label takes its values from lists of ours: routes, statuses,
// reasons, formats. No id, name or address is ever one, so what is counted says nothing of anybody, and cannot grow without end.

/** A kind of event: what tells one from another, and where it takes time, by which of its labels the time is told. */
export type EventKind = {
  readonly help: string
  readonly labels: readonly string[]
  readonly timedBy?: readonly string[]
}

/** In Analytics Engine a label's place here is its column's number. */
export const EVENTS = {
  sessions: { help: 'Sessions created.', labels: ['protocol', 'mode'] },
  outcomes: {
    help: 'Sessions ended.',
    labels: ['status', 'reason', 'protocol', 'channel', 'format', 'mode'],
  },
  answers: {
    help: 'Wallet answers judged.',
    labels: ['verdict', 'reason', 'protocol', 'channel', 'mode'],
    timedBy: ['protocol'],
  },
  webhook_attempts: {
    help: 'Webhook POSTs.',
    labels: ['result', 'attempt', 'mode'],
    timedBy: ['result'],
  },
  fetches: {
    help: 'Outgoing GETs: status and revocation lists, issuer keys, trust lists.',
    labels: ['media_type', 'result'],
    timedBy: ['media_type'],
  },
  requests: {
    help: 'HTTP requests.',
    labels: ['audience', 'method', 'route', 'status'],
    timedBy: ['audience'],
  },
} as const satisfies Readonly<Record<string, EventKind>>

export type EventName = keyof typeof EVENTS

/** A value for each label of an event; `null` where there is none. */
export type LabelsOf<Name extends EventName> = Readonly<
  Record<(typeof EVENTS)[Name]['labels'][number], string | null>
>
