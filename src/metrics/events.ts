// Events that the service counts (docs/operating.md), as one table. The values of every label come from our
// own lists: routes, statuses, reasons, formats. An id, name or address is never a label. So the counts
// contain no personal data, and their number is bounded.

/**
 * A kind of event. `labels` distinguish its counters. `timedBy`: the labels of its histograms, if it takes
 * time.
 */
export type EventKind = {
  readonly labels: readonly string[]
  readonly timedBy?: readonly string[]
}

/** The position of a label here is its column number in Analytics Engine. */
export const EVENTS = {
  sessions: { labels: ['protocol', 'mode'] },
  outcomes: {
    labels: ['status', 'reason', 'protocol', 'channel', 'format', 'mode'],
  },
  answers: {
    labels: ['verdict', 'reason', 'protocol', 'channel', 'mode'],
    timedBy: ['protocol'],
  },
  webhook_attempts: {
    labels: ['result', 'attempt', 'mode'],
    timedBy: ['result'],
  },
  fetches: {
    labels: ['media_type', 'result'],
    timedBy: ['media_type'],
  },
  requests: {
    labels: ['audience', 'method', 'route', 'status'],
    timedBy: ['audience'],
  },
} as const satisfies Readonly<Record<string, EventKind>>

export type EventName = keyof typeof EVENTS

/** A value for each label of an event; `null` if it has none. */
export type LabelsOf<Name extends EventName> = Readonly<
  Record<(typeof EVENTS)[Name]['labels'][number], string | null>
>
