// Mistakes with rows: of lists and their counters, of names that work once, of the directory and the gauges.

import type { Mutant } from './index.ts'

const SESSION = 'src/session/session.ts'
const INDEX = 'src/relying-party/index/verification-index.ts'
const ONCE = 'src/relying-party/oidc/once.ts'
const COUNTS = 'src/relying-party/session-counts.ts'

export const ROW_MUTANTS: readonly Mutant[] = [
  {
    name: 'an entry is listed before its session is written',
    changes: [
      {
        path: SESSION,
        replaced: '    this.#store.commit(document)\n',
        by: `    if (input.isIndexed) await putEntry(this.#env, document, toEntry(document, 1))
    this.#store.commit(document)
`,
      },
      {
        path: SESSION,
        replaced: "import { eraseOnRequest, keepListing } from './listing/remainder.ts'\n",
        by: `import { toEntry } from './listing/entry.ts'
import { putEntry } from './listing/indexing.ts'
import { eraseOnRequest, keepListing } from './listing/remainder.ts'
`,
      },
    ],
  },
  {
    name: 'a removed entry keeps the id and the metadata',
    changes: [
      {
        path: INDEX,
        replaced: "{ ...before, verification_id: '', sealed_metadata: null }",
        by: 'before',
      },
    ],
  },
  {
    name: 'the mask of a removed id stays',
    clause: /has the mask for the id of/,
    changes: [
      {
        path: INDEX,
        replaced: '    if (before && isPlaced(before)) this.#idsOfDay().remove(before)\n',
        by: '',
      },
    ],
  },
  {
    name: 'two ids have the same mask',
    clause: /by the same bytes/,
    changes: [
      {
        path: 'src/relying-party/index/listed-ids.ts',
        replaced: '        place = Math.max(place, id_place + 1)\n',
        by: '        void id_place\n',
      },
    ],
  },
  {
    name: 'counters count a changed entry twice',
    changes: [
      {
        path: 'src/relying-party/index/day-counters.ts',
        replaced: '      if (before !== undefined) part.counters.add(before, -1)\n',
        by: '',
      },
    ],
  },
  {
    name: 'counters are erased with the entries',
    changes: [{ path: INDEX, replaced: '    kv.put(COUNTS, counts)\n', by: '    kv.put(COUNTS, [])\n' }],
  },
  {
    name: 'a login does not keep its pushed request',
    changes: [
      {
        path: ONCE,
        replaced: 'sql.exec(kept, keptName(name), expiresAt, row.name)',
        by: 'void kept',
      },
    ],
  },
  {
    name: 'any client opens a pushed request',
    changes: [{ path: ONCE, replaced: 'row?.value.startsWith(`', by: 'row?.value.includes(` ` || `' }],
  },
  {
    name: 'a pushed request is opened after its time',
    changes: [
      {
        path: ONCE,
        replaced: 'AND expires_at > ?',
        by: 'AND expires_at + 60000 > ?',
      },
    ],
  },
  {
    name: 'an assertion is accepted again',
    changes: [
      { path: ONCE, replaced: 'INSERT INTO oidc_once', by: 'INSERT OR REPLACE INTO oidc_once' },
      { path: ONCE, replaced: "return err('known')", by: 'void 0' },
    ],
  },
  {
    name: 'an assertion is accepted again when it has expired on its way',
    focus: { slowCall: 0.4 },
    changes: [
      {
        path: ONCE,
        replaced: "if (expiresAt <= now) return err('expired')",
        by: "if (now < 0) return err('expired')",
      },
    ],
  },
  {
    name: 'names that could not be erased stay',
    focus: { fullDisks: 2 },
    clause: /is still stored/,
    changes: [
      {
        path: 'src/relying-party/wake-up.ts',
        replaced: 'const guard = storage.setAlarm(again)',
        by: 'const guard = undefined',
      },
    ],
  },
  {
    name: 'the directory keeps a deleted relying party',
    changes: [
      {
        path: 'src/relying-party/registry.ts',
        replaced: 'return (await directoryStub(env).remove(relyingPartyId)) || existed',
        by: 'return existed',
      },
    ],
  },
  {
    name: 'the gauges keep a session that is over',
    changes: [
      {
        path: COUNTS,
        replaced: "      sql.exec('DELETE FROM session_notes WHERE verification_id = ?', verification_id)\n",
        by: '',
      },
    ],
  },
  {
    name: 'the gauges count a queued event as dead',
    changes: [
      {
        path: COUNTS,
        replaced: 'sum(dead_events) AS deadEvents',
        by: 'sum(queued_events + dead_events) AS deadEvents',
      },
    ],
  },
]
