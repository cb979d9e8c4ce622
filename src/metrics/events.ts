// Table of the events that the service counts (docs/operating.md). Every label value comes from a fixed list:
// routes, statuses, reasons, formats. An id, a name or an address is never a label value. So the counters
// contain no personal data, and the number of counters is bounded.

/**
 * A kind of event. There is one counter for each combination of values of `labels`. A kind with `timedBy`
 * also has histograms of its durations: one for each combination of values of the labels in `timedBy`.
 */
export type EventKind = {
  readonly labels: readonly string[]
  readonly timedBy?: readonly string[]
}

/**
 * The order of `labels` fixes the columns in Analytics Engine: `blob1` is the event name, `blob2` the first
 * label.
 */
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
  time_stamps: {
    labels: ['result', 'mode'],
    timedBy: ['result'],
  },
  evidence_pushes: {
    labels: ['result', 'mode'],
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

/** Value of each label of an event. `null` means that the event has no value for the label. */
export type LabelsOf<Name extends EventName> = Readonly<
  Record<(typeof EVENTS)[Name]['labels'][number], string | null>
>
