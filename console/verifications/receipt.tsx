// The receipt of an ended verification, verified here as an auditor verifies it: only with the published
// keys.

import { useState } from 'preact/hooks'
import { type Receipt as Claims, verifyReceipt } from '../../packages/client/src/receipt.ts'
import type { ServiceKeys } from '../../packages/client/src/service-jws.ts'
import { call, readPublic } from '../api.ts'
import { Action, Facts, known, Time } from '../parts.tsx'
import { t } from '../texts.ts'

type Checked = { readonly receipt: string; readonly claims: Claims | null; readonly error: string | null }

type ReceiptProps = { readonly path: string; readonly id: string; readonly issuer: string }

export function Receipt({ path, id, issuer }: ReceiptProps) {
  const [checked, setChecked] = useState<Checked | null>(null)
  const read = async () => {
    const answer = await call<string>('GET', `${path}/receipt`)
    if (!answer.ok) return answer
    const keys = await readPublic<ServiceKeys>('/.well-known/jwks.json')
    if (!keys.ok) return keys
    const expected = { jwks: keys.value, issuer, verificationId: id }
    const result = await verifyReceipt(answer.value, expected)
    setChecked({
      receipt: answer.value,
      claims: result.ok ? result.value : null,
      error: result.ok ? null : result.error,
    })
    return answer
  }
  return (
    <section class="card">
      <h2>{t('receipt')}</h2>
      <p class="soft">{t('receipt_hint')}</p>
      <div class="actions">
        <Action label={t('check_receipt')} run={read} />
      </div>
      {checked && (
        <>
          <p role="status">
            <span class={`result ${checked.error === null ? 'pass' : 'fail'}`}>
              {checked.error === null ? t('receipt_valid') : t('receipt_invalid', { error: checked.error })}
            </span>
          </p>
          {checked.claims && <Facts rows={factsOf(checked.claims)} />}
          <textarea readOnly rows={5} value={checked.receipt} aria-label={t('receipt')} />
        </>
      )}
    </section>
  )
}

function factsOf(claims: Claims) {
  return [
    [t('status'), known('status', claims.status)],
    [t('ended'), <Time key="ended" at={claims.ended_at} />],
    [t('reason'), claims.reason],
    [t('level'), claims.assurance_level && known('level', claims.assurance_level)],
    ['policy_hash', <code key="policy">{claims.policy_hash}</code>],
    ['request_hash', claims.request_hash && <code key="request">{claims.request_hash}</code>],
  ] as const
}
