// Mistakes with writes, alarms and erasure.

import type { Mutant } from './index.ts'

const STORE = 'src/session/store/store.ts'
const SLOT = 'src/session/store/slot.ts'
const END = 'src/session/end/end-session.ts'

export const STORAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'two writes instead of one',
    changes: [
      {
        path: END,
        replaced: 'store.commit({ ...ended, deliveries }, end.evidence?.parts)',
        by: `store.commit({ ...ended, pending_log_entry: null })
  setTimeout(() => {
    const current = store.session()
    if (current) store.commit({ ...current, deliveries, pending_log_entry: ended.pending_log_entry })
  }, 0)`,
      },
    ],
  },
  {
    name: 'alarm after the write',
    changes: [
      {
        path: SLOT,
        replaced: '      })\n    setAlarm(wakeUp)',
        by: '      })\n    setTimeout(() => setAlarm(wakeUp), 0)',
      },
    ],
  },
  {
    name: 'memory before the write',
    changes: [
      {
        path: STORE,
        replaced: '    slot.write(document, wakeUpOf(document), parts)',
        by: '    current = document\n    slot.write(document, wakeUpOf(document), parts)',
      },
    ],
  },
  {
    name: 'memory before the erasure',
    changes: [
      {
        path: STORE,
        replaced: 'const erased = slot.erase(rest,',
        by: 'current = undefined\n      const erased = slot.erase(rest,',
      },
    ],
  },
  {
    name: 'state after the answer',
    changes: [
      {
        path: 'src/session/response/process-response.ts',
        replaced: ': endSession(context, { ...end, login }, { webhook, now })\n  if (isApplied)',
        by: ': (setTimeout(() => endSession(context, { ...end, login }, { webhook, now }), 0), true)\n  if (isApplied)',
      },
    ],
  },
  {
    name: 'check, then act',
    changes: [
      {
        path: 'src/session/response/process-response.ts',
        replaced: ': endSession(context, { ...end, login }, { webhook, now })\n  if (isApplied)',
        by: `: endSession({ ...context, store: { ...context.store, session: () => document } }, { ...end, login }, { webhook, now })
  if (isApplied)`,
      },
    ],
  },
  {
    name: 'no watchdog',
    changes: [
      {
        path: 'src/session/alarm/run-alarm.ts',
        replaced: 'if (!isErasure) store.arm(now + WATCHDOG_MS)\n',
        by: '',
      },
    ],
  },
  {
    name: 'no watchdog for an erasure',
    focus: { clockJumps: 3, fullDisks: 2 },
    changes: [
      {
        path: 'src/session/alarm/run-alarm.ts',
        replaced: '    if (isErasure) store.arm(now + WATCHDOG_MS)\n',
        by: '',
      },
    ],
  },
  {
    name: 'an alarm that came early is taken for set',
    changes: [{ path: 'src/session/alarm/run-alarm.ts', replaced: '  store.forgetAlarm()\n', by: '' }],
  },
  {
    name: 'no repair of a lost alarm',
    changes: [
      {
        path: SLOT,
        replaced: '        if (known === null || isLate) setAlarm(wakeUp)\n',
        by: '        void isLate\n',
      },
    ],
  },
  {
    name: 'an erased session sets its alarm again',
    clause: /still has an alarm/,
    changes: [
      {
        path: STORE,
        replaced: 'slot.setAlarm(wakeUp === null ? null : Math.max(wakeUp, notBefore))',
        by: 'slot.setAlarm(Math.max(wakeUp ?? Date.now() + 86_400_000, notBefore))',
      },
    ],
  },
  {
    name: 'expiry erases the session instead of ending it',
    changes: [
      {
        path: 'src/session/end/timeouts.ts',
        replaced: 'endSession(context, expiredEnd(document), { webhook, now })',
        by: 'await context.store.erase(buildRemainder(document, now))',
      },
    ],
  },
  {
    name: 'a tombstone over the document, without erasure',
    changes: [
      {
        path: SLOT,
        replaced: 'const deleted = storage.deleteAll()',
        by: "const deleted = Promise.resolve()\n      storage.kv.put('erased', storage.kv.get(KEY) ?? null)",
      },
    ],
  },
  {
    name: 'the file is erased before the list has the removal',
    clause: /still listed after its DELETE/,
    changes: [
      {
        path: 'src/session/listing/remainder.ts',
        replaced: 'if (remainder?.listing === undefined) await store.erase(remainder)',
        by: 'if (remainder !== null) await store.erase(remainder)',
      },
    ],
  },
  {
    name: 'the file is not erased once the list has the removal',
    changes: [
      {
        path: 'src/session/listing/remainder.ts',
        replaced: 'await store.erase(key.keep_until <= Date.now() ? undefined : key)',
        by: 'await store.replace(key)',
      },
    ],
  },
  {
    name: 'no tombstone',
    changes: [
      { path: SLOT, replaced: '      if (rest !== null) write(rest.document, rest.wakeUp)\n', by: '' },
    ],
  },
  {
    name: 'the answer of a receiver writes an erased session back',
    focus: { badReceiver: 0.95, eviction: 0, crash: 0 },
    changes: [
      {
        path: 'src/session/delivery/delivering.ts',
        replaced: `      const { event_id: eventId, body } = delivery
      // Each`,
        by: `      const { event_id: eventId, body } = delivery
      const kept = store.session()
      // Each`,
      },
      {
        path: 'src/session/delivery/delivering.ts',
        replaced: `      const document = store.session()
      if (document === undefined) return
      const attempted`,
        by: `      const document = store.session() ?? kept
      if (document === undefined) return
      const attempted`,
      },
    ],
  },
]
