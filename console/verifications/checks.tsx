// The checks with their clauses, and how the level of assurance was derived.

import type { AssuranceStep, Verification, VerifiedCredential } from '../../packages/client/src/wire.ts'
import { known, Table, Time } from '../parts.tsx'
import { t } from '../texts.ts'

export function Checks({ trace }: Pick<Verification, 'trace'>) {
  if (trace.length === 0) return null
  return (
    <section>
      <h2>{t('checks')}</h2>
      <Table caption={t('checks')} columns={[t('check'), t('clause'), t('result')]} stacks>
        {trace.map(({ id, clause, result }, index) => (
          <tr key={`${id} ${index}`}>
            <td>
              <code>{id}</code>
            </td>
            <td>{clause}</td>
            <td>
              <span class={`result ${result}`}>{known('result', result)}</span>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

export function Derivation({ steps }: { readonly steps: readonly AssuranceStep[] }) {
  if (steps.length === 0) return null
  return (
    <section>
      <h2>{t('derivation')}</h2>
      <Table caption={t('derivation')} columns={[t('derivation_basis'), t('source'), t('level')]}>
        {steps.map((step, index) => (
          <tr key={`${step.step} ${index}`}>
            <td>{known('derivation', step.step)}</td>
            <td>
              <Source step={step} />
            </td>
            <td>{known('level', step.level)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

/** The anchor, list or status from which a step follows. */
function Source({ step: { id, anchor, list, status, as_of } }: { readonly step: AssuranceStep }) {
  const parts = [
    id,
    anchor,
    list && `${list.name}${list.sequence === null ? '' : ` #${list.sequence}`}`,
    status,
  ]
  const time = as_of ?? list?.trust_as_of
  return (
    <>
      {parts.filter(Boolean).join(' · ') || '–'}
      {time && (
        <span class="soft">
          {' '}
          ({t('as_of')} <Time at={time} />)
        </span>
      )}
    </>
  )
}

export function Credentials({ credentials }: { readonly credentials: readonly VerifiedCredential[] }) {
  if (credentials.length === 0) return null
  const columns = ['credential_type', 'format', 'issuer', 'credential_status', 'level']
  return (
    <section>
      <h2>{t('credentials')}</h2>
      <Table caption={t('credentials')} columns={columns.map((name) => t(name))} stacks>
        {credentials.map((credential) => (
          <tr key={credential.id}>
            <td>{credential.credential_type}</td>
            <td>{credential.format}</td>
            <td>{credential.issuer ?? '–'}</td>
            <td>{credential.status === null ? '–' : known('revocation', credential.status)}</td>
            <td>{known('level', credential.assurance_level)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
