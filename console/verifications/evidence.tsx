// The sealed evidence of a verification: its state and its digest. It can be fetched and erased here. Its
// content is never shown.

import type { Verification } from '../../packages/client/src/wire.ts'
import { type Answer, call } from '../api.ts'
import { Action, Facts, known, saveFile, Time } from '../parts.tsx'
import { t } from '../texts.ts'

const SCOPE = 'evidence:read'

type Kept = NonNullable<Verification['evidence']>

/** Returns the state of the evidence in words; `undefined` before the end. */
export function evidenceWords({
  status,
  evidence,
}: Pick<Verification, 'status' | 'evidence'>): string | undefined {
  if (status === 'pending') return undefined
  if (evidence === null) return known('evidence', 'none')
  return known('evidence', evidence.erased_at === null ? 'kept' : 'erased')
}

export function Evidence({
  kept,
  id,
  path,
  scopes,
  onErase,
}: {
  readonly kept: Kept
  readonly id: string
  /** Path of the verification. */
  readonly path: string
  readonly scopes: readonly string[]
  readonly onErase: () => Promise<Answer<unknown>>
}) {
  const read = async () => {
    const answer = await call<object>('GET', `${path}/evidence`)
    if (answer.ok) saveFile(`${id}.evidence.json`, JSON.stringify(answer.value), 'application/json')
    return answer
  }
  return (
    <section class="card">
      <h2>{t('evidence')}</h2>
      <p class="soft">{t('evidence_hint')}</p>
      <Facts rows={factsOf(kept)} />
      {!scopes.includes(SCOPE) && <p class="soft">{t('evidence_needs_scope', { scope: SCOPE })}</p>}
      {scopes.includes(SCOPE) && kept.erased_at === null && (
        <div class="actions">
          <Action label={t('fetch_evidence')} run={read} />
          <Action
            label={t('erase_evidence')}
            kind="danger"
            confirm={t('erase_evidence_sure')}
            run={onErase}
          />
        </div>
      )}
    </section>
  )
}

function factsOf({ manifest_sha256, time_stamp, erased_at }: Kept) {
  return [
    ['manifest_sha256', <code key="digest">{manifest_sha256}</code>],
    [t('time_stamp'), known('time_stamp', time_stamp)],
    [t('evidence_erased_at'), erased_at && <Time key="erased" at={erased_at} />],
  ] as const
}
