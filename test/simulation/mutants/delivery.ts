// Mistakes with webhooks and with the event log.

import type { Mutant } from './index.ts'

const DELIVERING = 'src/session/delivery/delivering.ts'
const PUBLISHING = 'src/session/delivery/publishing.ts'
const END = 'src/session/end/end-session.ts'
const LOG = 'src/relying-party/events/day-events.ts'

export const DELIVERY_MUTANTS: readonly Mutant[] = [
  {
    name: 'count after sending',
    changes: [
      {
        path: DELIVERING,
        replaced: '  store.commit({ ...document, deliveries })\n  if (unwanted',
        by: '  if (unwanted',
      },
      {
        path: DELIVERING,
        replaced: '  await postAll(context, webhook, outcomes)\n',
        by: `  await postAll(context, webhook, outcomes)
  store.commit({ ...(store.session() ?? document), deliveries })
`,
      },
    ],
  },
  {
    name: 'automatic attempts are not counted',
    changes: [
      {
        path: 'src/webhook/outbox.ts',
        replaced: '      automatic_attempts: attempt,\n',
        by: '      automatic_attempts: delivery.automatic_attempts,\n',
      },
    ],
  },
  {
    name: 'a seventh attempt',
    changes: [
      {
        path: 'src/webhook/schedule.ts',
        replaced: '24 * HOUR] as const',
        by: '24 * HOUR, 24 * HOUR] as const',
      },
    ],
  },
  {
    name: 'an erasure does not wait for a webhook',
    clause: /erased while its event was queued/,
    changes: [
      {
        path: 'src/session/store/wake-up.ts',
        replaced: 'return eventsDue(document).length === 0 ?',
        by: 'return eventsDue({ ...document, deliveries: [] }).length === 0 ?',
      },
    ],
  },
  {
    name: 'commit, then send',
    changes: [
      {
        path: END,
        replaced: 'store.commit({ ...ended, deliveries }, end.evidence?.parts)',
        by: `store.commit({ ...ended, deliveries: [] })
  if (canPost && isKnown) {
    for (const { body } of ended.deliveries) void fetch(webhook.url, { method: 'POST', body }).catch(() => undefined)
    return true
  }`,
      },
    ],
  },
  {
    name: 'an end without its event and its log entry',
    changes: [
      {
        path: END,
        replaced: 'store.commit({ ...ended, deliveries }, end.evidence?.parts)',
        by: `store.commit({ ...ended, deliveries: [], pending_log_entry: null })
  return true`,
      },
    ],
  },
  {
    name: 'no end queues a webhook',
    changes: [
      {
        path: END,
        replaced:
          "const isWanted = webhook === 'unknown' || webhook?.events.some((type) => type === event_type)",
        by: 'const isWanted = false',
      },
    ],
  },
  {
    name: 'an end without its log entry',
    changes: [
      {
        path: END,
        replaced: 'store.commit({ ...ended, deliveries }, end.evidence?.parts)',
        by: 'store.commit({ ...ended, deliveries, pending_log_entry: null })',
      },
    ],
  },
  {
    name: 'an unreachable log counts as confirmed',
    changes: [
      {
        path: PUBLISHING,
        replaced:
          "if (recording === 'unreachable') return repeatSoon(store)\n  const current = store.session()",
        by: `const current = store.session()
  if (recording === 'unreachable' && current) return store.remember({ ...current, pending_log_entry: null })`,
      },
    ],
  },
  {
    name: 'the log takes an event twice',
    changes: [
      {
        path: LOG,
        replaced: "if (!isNew && this.#holds(event)) return 'recorded'",
        by: "if (!isNew && entry.verification_id === '' && this.#holds(event)) return 'recorded'",
      },
    ],
  },
  {
    name: 'the log orders events by a clock that was set back',
    focus: { clockJumps: 3, answerLost: 0.2, requestLost: 0.1 },
    changes: [
      {
        path: LOG,
        replaced: `    const arrived_at = Math.max(now, this.#lastArrival)
    const delay = arrived_at - event.created_at
    const prompt = delay >= -CLOCK_SKEW_MS && delay <= PROMPT_MS
`,
        by: `    const arrived_at = now
    const prompt = now - event.created_at <= PROMPT_MS
`,
      },
    ],
  },
  {
    name: 'a day that is over takes no event, and no other day is asked',
    focus: { atMidnight: true, requestLost: 0.1, answerLost: 0.2 },
    changes: [
      {
        path: PUBLISHING,
        replaced: "if (recording === 'recorded') return store.remember(",
        by: "if (recording === 'recorded' || recording === 'closed') return store.remember(",
      },
    ],
  },
]
