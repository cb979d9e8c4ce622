// OpenID Connect clients of a relying party. A client is written as JSON: the members of the API.

import { useState } from 'preact/hooks'
import type {
  CreatedOidcClient,
  OidcClient,
  OidcClientList,
  OidcSecret,
} from '../../packages/client/src/wire.ts'
import { call } from '../api.ts'
import { Action, Loaded, Table, Time, useResource } from '../parts.tsx'
import { t } from '../texts.ts'
import { Form, JsonLines, objectOf } from './form.tsx'
import { Secret } from './secret.tsx'

const EXAMPLE = {
  name: 'Corner Wine Shop',
  redirect_uris: ['https://…/callback'],
  policies: [{ name: 'over18', credential_types: ['age_attestation'], scope: ['age_over_18'] }],
}

export function OidcClients({ place }: { readonly place: string }) {
  const { answer, reload } = useResource<OidcClientList>(place)
  const [secret, setSecret] = useState<string | null>(null)
  const [warnings, setWarnings] = useState<CreatedOidcClient['warnings']>([])
  const save = async (method: 'POST' | 'PATCH', path: string, fields: FormData) => {
    const body = objectOf(fields, 'client')
    if (!body.ok) return body
    const saved = await call<CreatedOidcClient>(method, path, body.value)
    if (!saved.ok) return saved
    if (saved.value.client_secret !== undefined) setSecret(saved.value.client_secret)
    setWarnings(saved.value.warnings)
    reload()
    return saved
  }
  return (
    <section>
      <h2>{t('oidc_clients')}</h2>
      <Loaded answer={answer}>
        {({ oidc_clients }) => (
          <>
            {oidc_clients.length === 0 && <p>{t('no_clients')}</p>}
            {oidc_clients.length > 0 && (
              <Table caption={t('oidc_clients')} columns={COLUMNS.map((column) => t(column))}>
                {oidc_clients.map((client) => (
                  <Client key={client.client_id} {...{ client, place, reload, save, setSecret }} />
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
      {secret && <Secret label={t('client_secret')} value={secret} />}
      {warnings.map(({ pointer, code, message }) => (
        <p key={pointer + code} class="notice">
          <code>{pointer}</code> {message}
        </p>
      ))}
      <details>
        <summary>{t('new_client')}</summary>
        <Form label={t('new_client')} action={t('create')} send={(fields) => save('POST', place, fields)}>
          <JsonLines name="client" label={t('client_as_json')} value={JSON.stringify(EXAMPLE, null, 2)} />
        </Form>
      </details>
    </section>
  )
}

const COLUMNS = ['name', 'id', 'redirect_uris', 'policies', 'created', 'actions']

function Client({
  client,
  place,
  reload,
  save,
  setSecret,
}: {
  readonly client: OidcClient
  readonly place: string
  readonly reload: () => void
  readonly save: (method: 'PATCH', path: string, fields: FormData) => ReturnType<typeof call>
  readonly setSecret: (secret: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const { client_id, issuer: _, created_at, ...members } = client
  const path = `${place}/${client_id}`
  const rotate = async () => {
    const rotated = await call<OidcSecret>('POST', `${path}/rotate_secret`)
    if (rotated.ok) setSecret(rotated.value.client_secret)
    return rotated
  }
  const remove = async () => {
    const removed = await call('DELETE', path)
    if (removed.ok) reload()
    return removed
  }
  const hasSecret = client.token_endpoint_auth_method.startsWith('client_secret')
  return (
    <>
      <tr>
        <td>{client.name}</td>
        <td>
          <code>{client_id}</code>
        </td>
        <td>{client.redirect_uris.join(', ')}</td>
        <td>{client.policies.map(({ name }) => String(name)).join(', ')}</td>
        <td>
          <Time at={created_at} />
        </td>
        <td>
          <div class="actions">
            <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {t('change')}
            </button>
            {hasSecret && <Action label={t('rotate')} confirm={t('rotate_client_sure')} run={rotate} />}
            <Action label={t('delete')} kind="danger" confirm={t('delete_client_sure')} run={remove} />
          </div>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={COLUMNS.length}>
            <Form
              label={t('change_client', { name: client.name })}
              action={t('save')}
              send={(fields) => save('PATCH', path, fields)}
            >
              <JsonLines name="client" label={t('client_as_json')} value={JSON.stringify(members, null, 2)} />
            </Form>
          </td>
        </tr>
      )}
    </>
  )
}
