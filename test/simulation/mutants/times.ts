// Mistakes with the times at which something is erased.

import type { Mutant } from './index.ts'

const WAKE_UP = 'src/session/store/wake-up.ts'
const LOGIN = 'src/session/document/login.ts'
const ERASURE = 'src/relying-party/index/metadata-erasure.ts'

export const TIME_MUTANTS: readonly Mutant[] = [
  {
    name: 'no alarm erases a login',
    clause: /the login of/,
    changes: [
      {
        path: WAKE_UP,
        replaced: 'return Math.min(...due, loginErasedAt(document), erasure)',
        by: 'return Math.min(...due, erasure)',
      },
    ],
  },
  {
    name: 'a login is kept a hundred times as long',
    clause: /the login of/,
    changes: [
      {
        path: LOGIN,
        replaced: 'return ended_at + (isSuccess ? PROMPT_MS + TOKEN_MS : UNSUCCESSFUL_MS)',
        by: 'return ended_at + 100 * (isSuccess ? PROMPT_MS + TOKEN_MS : UNSUCCESSFUL_MS)',
      },
    ],
  },
  {
    name: 'a session is erased seven days late',
    changes: [
      {
        path: WAKE_UP,
        replaced: 'return eventsDue(document).length === 0 ? latest - QUEUED_EVENT_WAIT_MS : latest',
        by: 'return latest',
      },
    ],
  },
  {
    name: 'erasures are spread over ten hours',
    changes: [
      {
        path: 'src/session/store/spread.ts',
        replaced: 'export const ERASURE_SPREAD_MS = 3_600_000',
        by: 'export const ERASURE_SPREAD_MS = 36_000_000',
      },
    ],
  },
  {
    name: 'an Idempotency-Key is kept for ten days',
    clause: /Idempotency-Key/,
    changes: [
      {
        path: 'src/session/document/document.ts',
        replaced: 'export const IDEMPOTENCY_MS = 86_400_000',
        by: 'export const IDEMPOTENCY_MS = 864_000_000',
      },
    ],
  },
  {
    name: 'a code lives a hundred minutes',
    changes: [
      { path: LOGIN, replaced: 'export const CODE_MS = 60_000', by: 'export const CODE_MS = 6_000_000' },
    ],
  },
  {
    name: 'a change for the list waits for the Idempotency-Key',
    clause: /the list .* has an end|has lost/,
    changes: [
      {
        path: WAKE_UP,
        replaced: 'return listing === undefined ? keep_until : Math.min(listing.next_call_at, clear_at)',
        by: 'return listing === undefined || keep_until > 0 ? keep_until : Math.min(listing.next_call_at, clear_at)',
      },
    ],
  },
  {
    name: 'the log is asked again after hours',
    clause: /the log .* has an end/,
    changes: [
      {
        path: 'src/session/delivery/publishing.ts',
        replaced: '  const wait = Math.min(FIRST_WAIT_MS * 2 ** (calls - 1), LONGEST_WAIT_MS)',
        by: '  const wait = FIRST_WAIT_MS * 2 ** (calls + 8) + 0 * LONGEST_WAIT_MS',
      },
    ],
  },
  {
    name: 'metadata is erased once in ten hours',
    clause: /metadata of/,
    changes: [
      {
        path: ERASURE,
        replaced: 'const METADATA_ROUND_MS = 3_600_000',
        by: 'const METADATA_ROUND_MS = 36_000_000',
      },
    ],
  },
  {
    name: 'the event log keeps a week more',
    clause: /an event of/,
    changes: [
      {
        path: 'src/relying-party/events/event-days.ts',
        replaced: 'export const DAYS_KEPT = 30',
        by: 'export const DAYS_KEPT = 37',
      },
    ],
  },
]
