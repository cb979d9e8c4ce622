// Mistakes with objects that sessions share.

import type { Mutant } from './index.ts'

const SHARED = 'src/session/shared-sessions.ts'
const SLOT = 'src/session/store/shared-slot.ts'
const TABLE = 'src/session/store/slot-table.ts'

type SharedMutant = Omit<Mutant, 'form'>

const MISTAKES: readonly SharedMutant[] = [
  {
    name: 'the work of a session waits for that of the one before',
    focus: { isCalm: true, slowCall: 0, badReceiver: 0.95 },
    changes: [
      {
        path: SHARED,
        replaced: '  readonly #failed = new Map<number, number>()\n',
        by: '  readonly #failed = new Map<number, number>()\n  #last = Promise.resolve()\n',
      },
      {
        path: SHARED,
        replaced: '      this.#work(row, onWait).then(() => {',
        by: '      (this.#last = this.#last.then(() => this.#work(row, onWait))).then(() => {',
      },
    ],
  },
  {
    name: 'a call waits for the work of other sessions',
    focus: { isCalm: true, slowCall: 0, badReceiver: 0.95 },
    changes: [
      {
        path: SHARED,
        replaced: '  readonly #failed = new Map<number, number>()\n',
        by: '  readonly #failed = new Map<number, number>()\n  #last = Promise.resolve()\n',
      },
      {
        path: SHARED,
        replaced: '      this.#work(row, onWait).then(() => {',
        by: '      (this.#last = this.#work(row, onWait)).then(() => {',
      },
      {
        path: SHARED,
        replaced: '(session) => Reflect.apply(session[name], session, args))',
        by: '(session) => this.#last.then(() => Reflect.apply(session[name], session, args)))',
      },
    ],
  },
  {
    name: 'a failure ends the work of an object',
    changes: [
      {
        path: SHARED,
        replaced: "      logError('background_fault', error)\n      this.#failed",
        by: '      throw error\n      this.#failed',
      },
    ],
  },
  {
    name: 'work that a crash cuts off is not repeated',
    changes: [
      { path: SHARED, replaced: 'const isWorking = this.#running.size > 0', by: 'const isWorking = false' },
    ],
  },
  {
    name: 'a session is dropped from memory during a call',
    focus: { slowCall: 0.4 },
    clause: /^session \w\.\w+: Error: the session was dropped/,
    changes: [
      {
        path: SHARED,
        replaced: 'if (calls > 0 || this.#age - usedAt < IDLE_MS)',
        by: 'if (this.#age - usedAt < IDLE_MS / 30)',
      },
    ],
  },
  {
    name: 'a jump of the clock drops sessions from memory',
    changes: [
      {
        path: SHARED,
        replaced: 'Math.min(Math.max(now - this.#agedAt, 0), LONGEST_GAP_MS)',
        by: 'Math.abs(now - this.#agedAt)',
      },
    ],
  },
  {
    name: 'the row is written without its time',
    changes: [
      {
        path: TABLE,
        replaced: "'UPDATE slots SET wake_at = ?, data = ? WHERE place = ?', wakeAt, data, row.place",
        by: "'UPDATE slots SET data = ? WHERE place = ?', data, row.place",
      },
    ],
  },
  {
    name: 'a free row keeps its mark',
    changes: [
      {
        path: TABLE,
        replaced: 'SET wake_at = ?, mark = ?, data = zeroblob(?) WHERE',
        by: 'SET wake_at = ?, data = zeroblob(?) WHERE',
      },
      { path: TABLE, replaced: 'exec(update, NEVER, FREE, START', by: 'exec(update, NEVER, START' },
    ],
  },
  {
    name: 'a free row keeps its document',
    changes: [{ path: TABLE, replaced: 'data = zeroblob(?) WHERE', by: 'data = substr(data, 1, ?) WHERE' }],
  },
  {
    name: 'a row that is freed is deleted',
    clause: /the file of/,
    changes: [
      {
        path: TABLE,
        replaced:
          "    const update = 'UPDATE slots SET wake_at = ?, mark = ?, data = zeroblob(?) WHERE place = ?'\n",
        by: "    const update = 'DELETE FROM slots WHERE ?1 > 0 AND ?2 <> ?3 AND place = ?4'\n",
      },
    ],
  },
  {
    name: 'a document that moves leaves its row',
    changes: [{ path: TABLE, replaced: '    if (row !== undefined) this.free(row)\n', by: '' }],
  },
  {
    name: 'the row of an erased session keeps the id',
    changes: [
      {
        path: SLOT,
        replaced: '!document.erased || document.listing !== undefined ? address',
        by: 'true ? address',
      },
    ],
  },
  {
    name: 'an earlier alarm does not change the row',
    changes: [
      {
        path: SLOT,
        replaced: '      if (at < (row.wakeUp ?? Infinity)) row = table.setWakeUp(row, at)\n',
        by: '',
      },
    ],
  },
  {
    name: 'a watcher gets the states of all sessions of an object',
    changes: [{ path: SLOT, replaced: 'ctx.getWebSockets(id)', by: 'ctx.getWebSockets()' }],
  },
]

export const SHARED_MUTANTS: readonly Mutant[] = MISTAKES.map((mistake) => ({ ...mistake, form: 'shared' }))
