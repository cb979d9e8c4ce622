// Mistakes with lists of verifications and with events of steps.

import type { Mutant } from './index.ts'

const INDEXING = 'src/session/listing/indexing.ts'
const INDEX = 'src/relying-party/index/verification-index.ts'
const PUBLISHING = 'src/session/delivery/publishing.ts'
const END = 'src/session/response/end-session.ts'

export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: 'an entry counts as stored before the answer',
    changes: [
      {
        path: INDEXING,
        replaced: '  const isStored = await put(env, shown(document), pending.revision)\n',
        by: `  store.remember({ ...document, pending_index_entry: { ...pending, next_call_at: null } })
  if (!(await put(env, shown(document), pending.revision))) return
  const isStored = true
`,
      },
    ],
  },
  {
    name: 'a late entry replaces a newer one',
    changes: [
      {
        path: INDEX,
        replaced: '(isRemoved(before) || before.revision > entry.revision)',
        by: 'isRemoved(before)',
      },
    ],
  },
  {
    name: 'DELETE leaves the entry',
    changes: [
      {
        path: INDEXING,
        replaced: '  if (!(await removeEntry(env, document))) return false\n',
        by: '  void removeEntry\n',
      },
    ],
  },
  {
    name: 'an entry that arrives after DELETE is stored',
    focus: { slowCall: 0.4 },
    changes: [
      {
        path: INDEX,
        replaced: '    const counted = before === undefined ? null : {',
        by: '    if (before === undefined) return\n    const counted = {',
      },
    ],
  },
  {
    name: 'metadata is listed while an event may wait',
    changes: [
      {
        path: INDEXING,
        replaced: '(ended_at ?? document.expires_at) + document.retention_ms',
        by: '(ended_at ?? document.expires_at) + document.retention_ms + 7 * 86_400_000',
      },
    ],
  },
  {
    name: 'a day of the list is opened in memory first',
    changes: [
      {
        path: INDEX,
        replaced:
          '      this.ctx.storage.kv.put(DAY, day) // first: if it throws, memory must stay like storage\n      this.#day = day\n',
        by: '      this.#day = day\n      this.ctx.storage.kv.put(DAY, day)\n',
      },
    ],
  },
  {
    name: 'an end is not listed',
    changes: [
      {
        path: END,
        replaced: '    ...withChangedEntry(ended, pending_log_entry.next_call_at),\n',
        by: '    ...ended,\n',
      },
    ],
  },
  {
    name: 'the event of an outcome waits for those of steps',
    changes: [
      {
        path: END,
        replaced:
          '    void inBackground(() => postAll(context, webhook, begunOf(deliveries, started), meanwhile))',
        by: '    void meanwhile.then(() => inBackground(() => postAll(context, webhook, begunOf(deliveries, started))))',
      },
    ],
  },
  {
    name: 'the log takes the event of a step as new',
    changes: [
      {
        path: PUBLISHING,
        replaced: '    first: false, //',
        by: '    first: log.calls === 1, //',
      },
    ],
  },
  {
    name: 'events of refused responses have no limit',
    changes: [
      {
        path: 'src/session/delivery/step-events.ts',
        replaced: ' || Date.now() >= steps.refused_at + REFUSAL_MS',
        by: ' || Date.now() >= steps.refused_at',
      },
    ],
  },
]
