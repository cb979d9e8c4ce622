// The list of API keys, a form for a new key, and the revocation of a key.

import { useState } from 'preact/hooks'
import type { ApiKey } from '../../packages/client/src/wire.ts'
import { call } from '../api.ts'
import { Action, Table, Time } from '../parts.tsx'
import { t } from '../texts.ts'
import { Choices, Form, Line, textOf } from './form.tsx'
import { Secret } from './secret.tsx'

/** Scopes of API keys. The API grants only the scopes of the calling key. */
const SCOPES = [
  'verify:create',
  'verify:read',
  'verify:request',
  'webhooks:manage',
  'settings:manage',
  'claims:encrypt',
  'evidence:read',
]

const COLUMNS = ['name', 'id', 'scopes', 'created', 'expires_at', 'last_used', 'actions']

export function ApiKeys({
  keys,
  place,
  scopes = SCOPES,
  onChange,
}: {
  readonly keys: readonly ApiKey[]
  readonly place: string
  /** Scopes that the caller may grant. */
  readonly scopes?: readonly string[]
  readonly onChange: () => void
}) {
  const [secret, setSecret] = useState<string | null>(null)
  const create = async (fields: FormData) => {
    const expiry = textOf(fields, 'expires_at')
    const name = textOf(fields, 'name')
    const created = await call<{ readonly api_key: string }>('POST', place, {
      scopes: fields.getAll('scopes'),
      ...(name !== '' && { name }),
      ...(expiry !== '' && { expires_at: new Date(expiry).toISOString() }),
    })
    if (created.ok) setSecret(created.value.api_key)
    if (created.ok) onChange()
    return created
  }
  return (
    <section>
      <h2>{t('api_keys')}</h2>
      <Table caption={t('api_keys')} columns={COLUMNS.map((column) => t(column))} stacks>
        {keys.map((key) => (
          <tr key={key.key_id}>
            <td>{key.name ?? '–'}</td>
            <td>
              <code>{key.key_id}</code>
            </td>
            <td>{key.scopes.join(', ')}</td>
            <td>
              <Time at={key.created_at} />
            </td>
            <td>
              <Time at={key.expires_at} />
            </td>
            <td>
              <Time at={key.last_used_at} />
            </td>
            <td>
              <Action
                label={t('revoke')}
                kind="danger"
                confirm={t('revoke_sure', { key: key.name ?? key.key_id })}
                run={async () => {
                  const revoked = await call('DELETE', `${place}/${key.key_id}`)
                  if (revoked.ok) onChange()
                  return revoked
                }}
              />
            </td>
          </tr>
        ))}
      </Table>
      {secret && <Secret label={t('new_key')} value={secret} />}
      <details>
        <summary>{t('new_key')}</summary>
        <Form label={t('new_key')} action={t('create_key')} send={create}>
          <Line name="name" label={t('name')} hint={t('key_name_hint')} />
          <Choices legend={t('scopes')} name="scopes" options={scopes} chosen={[]} />
          <Line name="expires_at" label={t('expires_at')} type="datetime-local" hint={t('expires_hint')} />
        </Form>
      </details>
    </section>
  )
}
