// Mistakes with lists of verifications and with events of steps.

import type { Mutant } from './index.ts'

const INDEXING = 'src/session/listing/indexing.ts'
const ENTRY = 'src/session/listing/entry.ts'
const CHANGED_ENTRY = 'src/session/store/changed-entry.ts'
const REMAINDER = 'src/session/listing/remainder.ts'
const INDEX = 'src/relying-party/index/verification-index.ts'
const PUBLISHING = 'src/session/delivery/publishing.ts'
const END = 'src/session/end/end-session.ts'

export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: 'an entry counts as stored before the answer',
    changes: [
      {
        path: INDEXING,
        replaced:
          '  const { ok: isStored } = await putEntry(env, document, toEntry(document, pending.revision))\n',
        by: `  store.remember({ ...document, pending_index_entry: { ...pending, next_call_at: null } })
  if (!(await putEntry(env, document, toEntry(document, pending.revision))).ok) return
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
        replaced: '(isRemoved(before) || before.revision >= listed.revision)',
        by: 'isRemoved(before)',
      },
    ],
  },
  {
    name: 'DELETE leaves the entry',
    changes: [
      {
        path: REMAINDER,
        replaced: 'entry === null ? removeEntry(env, listing) : putEntry(env, listing, entry)',
        by: 'removeEntry && entry === null ? true : putEntry(env, listing, entry as never)',
      },
    ],
  },
  {
    name: 'a repeated DELETE is not_found before the entry is removed',
    focus: { requestLost: 0.4 },
    clause: /its DELETE got not_found/,
    changes: [
      {
        path: REMAINDER,
        replaced: 'if (listing?.entry !== null || listing.relying_party_id !== relyingPartyId)',
        by: 'if (listing?.entry !== null || listing.calls > 0)',
      },
    ],
  },
  {
    name: 'the earlier list of a deleted relying party gets no change',
    clause: /the metadata of .* after its erasure/,
    changes: [
      {
        path: 'src/relying-party/index/verification-index.ts',
        replaced: "if (added === 'deleted') return this.mayBeElsewhere ? 'old' : added",
        by: "if (added === 'deleted') return added",
      },
    ],
  },
  {
    name: 'a removal that fails is forgotten',
    changes: [
      {
        path: REMAINDER,
        replaced: '  if (!sent.ok) return sent\n',
        by: '  if (!sent.ok) {\n    await store.erase(undefined)\n    return sent\n  }\n',
      },
    ],
  },
  {
    name: 'an erasure forgets what the list does not have',
    focus: { clockJumps: 3, requestLost: 0.4 },
    changes: [
      {
        path: REMAINDER,
        replaced: 'if (pending === undefined || pending.next_call_at === null) return',
        by: 'if (pending !== null) return',
      },
    ],
  },
  {
    name: 'a dead event is not listed',
    changes: [
      {
        path: CHANGED_ENTRY,
        replaced: '[document.status, webhookResult(document), reportedAttempts(document.attempt_count)]',
        by: '[document.status, reportedAttempts(document.attempt_count)]',
      },
    ],
  },
  {
    name: 'the result of an attempt waits for the list',
    changes: [
      {
        path: 'src/session/delivery/delivering.ts',
        replaced: '      recordAttempt({ livemode }, delivery, outcome)\n',
        by: '      recordAttempt({ livemode }, delivery, outcome)\n      await reportEntry(context)\n',
      },
    ],
  },
  {
    name: 'a result counts as sent with an earlier entry',
    changes: [
      {
        path: END,
        replaced: '(entry.next_call_at === null || entry.revision === context.sentRevision)',
        by: 'entry.revision === context.sentRevision && entry.calls > 99',
      },
    ],
  },
  {
    name: 'a result that was sent before a crash is not corrected',
    changes: [
      {
        path: 'src/session/store/store.ts',
        replaced: 'withNextRevision(readDocument(slot.read()))',
        by: '(withNextRevision, readDocument(slot.read()))',
      },
    ],
  },
  {
    name: 'metadata is stored in clear text',
    changes: [
      {
        path: 'src/relying-party/index/sealed-metadata.ts',
        replaced:
          'return seal({ key: await this.#sealingKey(), aad: entryKey }, JSON.stringify(metadata), randomBytes(12))',
        by: 'return [entryKey, JSON.stringify(metadata), void seal, void randomBytes][1] as string',
      },
    ],
  },
  {
    name: 'an entry that arrives after DELETE is stored',
    focus: { slowCall: 0.4 },
    changes: [
      {
        path: INDEX,
        replaced: '    const counted = before ? {',
        by: '    if (!before) return\n    const counted = before ? {',
      },
    ],
  },
  {
    name: 'metadata is listed while an event may wait',
    changes: [
      {
        path: ENTRY,
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
          '      this.ctx.storage.kv.put(DAY, day) // first: if it throws, memory and storage still agree\n      this.#day = day\n',
        by: '      this.#day = day\n      this.ctx.storage.kv.put(DAY, day)\n',
      },
    ],
  },
  {
    name: 'an end is not listed',
    changes: [
      {
        path: CHANGED_ENTRY,
        replaced: '[document.status, webhookResult(document), reportedAttempts(document.attempt_count)]',
        by: '[document.request_fetched, document.held !== null]',
      },
    ],
  },
  {
    name: 'the event of an outcome waits for those of steps',
    changes: [
      {
        path: END,
        replaced:
          '      ? inBackground(() => postAll(context, webhook, markBegun(deliveries, started), report.write))',
        by: '      ? inBackground(() => publishSteps(context).then(() => postAll(context, webhook, markBegun(deliveries, started), report.write)))',
      },
      {
        path: END,
        replaced: 'import { goesWithEvent, newLogEntry, publish }',
        by: 'import { goesWithEvent, newLogEntry, publish, publishSteps }',
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
