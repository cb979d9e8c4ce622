// Mistakes with evidence.

import type { Mutant } from './index.ts'

const STORED = 'src/session/evidence/stored-evidence.ts'

const MISTAKES: readonly Omit<Mutant, 'hasEvidence'>[] = [
  {
    name: 'an outcome is written without its evidence',
    changes: [
      {
        path: 'src/session/end/end-session.ts',
        replaced: 'store.commit({ ...ended, deliveries }, end.evidence?.parts)',
        by: `store.commit({ ...ended, deliveries })
  const { parts } = end.evidence ?? {}
  if (parts) setTimeout(() => store.session() && store.commit({ ...store.session() } as SessionDocument, parts), 0)`,
      },
    ],
  },
  {
    name: 'a failure to seal is an outcome without evidence',
    changes: [
      {
        path: 'src/session/response/seal-evidence.ts',
        replaced: 'if (terms === undefined || !isKept(terms, end)) return ok(undefined)',
        by: 'if (terms === undefined || !isKept(terms, end) || Math.random() < 0.1) return ok(undefined)',
      },
    ],
  },
  {
    name: 'erased evidence keeps its bytes',
    changes: [
      {
        path: STORED,
        replaced: 'return storedParts(before) > 0 && storedParts(after) === 0',
        by: 'return storedParts(before) > 0 && after.evidence === undefined && !after.held?.evidence',
      },
    ],
  },
  {
    name: 'a success that lapses keeps its evidence',
    changes: [
      {
        path: STORED,
        replaced: 'const stored = evidence ?? held?.evidence',
        by: 'const stored = held ? undefined : evidence',
      },
    ],
  },
  {
    name: 'an erased row leaves its evidence',
    form: 'shared',
    changes: [
      {
        path: STORED,
        replaced: 'if (after?.erased !== false) return before?.request?.evidence === true',
        by: 'if (after?.erased !== false) return false',
      },
    ],
  },
  {
    name: 'the deletion of a relying party reaches no session',
    changes: [
      {
        path: 'src/relying-party/relying-party.ts',
        replaced: '    if (!(await eraseEvidence(this.env, this.#id))) return\n',
        by: '',
      },
    ],
  },
]

export const EVIDENCE_MUTANTS: readonly Mutant[] = MISTAKES.map((mutant) => ({
  hasEvidence: true,
  ...mutant,
}))
