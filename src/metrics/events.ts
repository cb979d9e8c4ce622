// Events that the service counts (docs/operating.md), as one table. The values of every label come from our
// own lists: routes, statuses, reasons, formats. An id, name or address is never a label. So the counts
// contain no personal data, and their number is bounded.

/**
 * A kind of event. `labels` distinguish its counters. `timedBy`: the labels of its histograms, if it takes
 * time.
 */
export type EventKind = {
  readonly help: string
  readonly labels: readonly string[]
  readonly timedBy?: readonly string[]
}

/** The position of a label here is its column number in Analytics Engine. */
export const EVENTS = {
  sessions: { help: 'Sessions created.', labels: ['protocol', 'mode'] },
  outcomes: {
    help: 'Sessions ended.',
    labels: ['status', 'reason', 'protocol', 'channel', 'format', 'mode'],
  },
  answers: {
    help: 'Wallet responses evaluated.',
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

/** A value for each label of an event; `null` if it has none. */
export type LabelsOf<Name extends EventName> = Readonly<
  Record<(typeof EVENTS)[Name]['labels'][number], string | null>
>
