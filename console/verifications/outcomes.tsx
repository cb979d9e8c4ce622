// A button for each outcome that the sandbox can produce, in test mode.

import { useState } from 'preact/hooks'
import type { Answer, Problem } from '../api.ts'
import { announce, Failure, known } from '../parts.tsx'
import reasons from '../reasons.json'
import { t } from '../texts.ts'

/** Outcomes that are tried most. All other outcomes are behind a summary, by family. */
const FREQUENT = ['verified', 'predicate_false', 'untrusted_issuer', 'credential_revoked', 'access_denied']
const FAMILIES = Map.groupBy(Object.entries(reasons), ([, { family }]) => family)

export function Outcomes({ produce }: { readonly produce: (reason: string) => Promise<Answer<unknown>> }) {
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const run = async (reason: string) => {
    if (busy !== null) return
    setBusy(reason)
    const answer = await produce(reason)
    setBusy(null)
    setProblem(answer.ok ? null : answer.problem)
    if (answer.ok) announce(t('done', { label: reason }))
  }
  const buttons = (codes: readonly string[]) => (
    <div class="actions">
      {codes.map((code) => (
        <button
          key={code}
          type="button"
          aria-busy={busy === code}
          aria-disabled={busy !== null}
          onClick={() => run(code)}
        >
          <code>{code}</code>
        </button>
      ))}
    </div>
  )
  return (
    <section class="card">
      <h2>{t('outcomes')}</h2>
      <p class="soft">{t('outcomes_hint')}</p>
      {buttons(FREQUENT)}
      <details>
        <summary>{t('all_outcomes')}</summary>
        {[...FAMILIES].map(([family, rows]) => (
          <div key={family} class="family">
            <h3>{known('family', family)}</h3>
            {buttons(rows.map(([code]) => code))}
          </div>
        ))}
      </details>
      {problem && <Failure problem={problem} />}
    </section>
  )
}
