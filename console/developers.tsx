// Settings of a relying party for its developers: keys, webhook, OpenID Connect clients, and all settings as
// JSON.

import { useState } from 'preact/hooks'
import { call, type Session } from './api.ts'
import { Action, Facts, Loaded, Table, Time, useResource } from './parts.tsx'
import { t } from './texts.ts'

type Key = {
  readonly key_id: string
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
}
type Settings = Readonly<Record<string, unknown>> & {
  readonly webhook: {
    readonly url: string
    readonly events: readonly string[]
    readonly disabled: boolean
  } | null
}
type Client = { readonly client_id: string; readonly name: string; readonly redirect_uris: readonly string[] }

export function Developers({ session }: { readonly session: Session }) {
  const mayManage = session.scopes.includes('settings:manage')
  return (
    <>
      <h1>{t('developers')}</h1>
      <p>
        <a href="/docs">{t('api_reference')}</a>
      </p>
      {!mayManage && <p class="notice">{t('read_only')}</p>}
      {mayManage && (
        <>
          <Keys session={session} />
          <Webhook />
          <Clients />
          <AllSettings />
        </>
      )}
    </>
  )
}

function Keys({ session }: { readonly session: Session }) {
  const { answer, reload } = useResource<{ readonly api_keys: readonly Key[] }>('/v1/api_keys')
  const [shown, setShown] = useState<string | null>(null)
  const [scopes, setScopes] = useState<readonly string[]>(session.scopes)
  const create = async () => {
    const created = await call<{ readonly api_key: string }>('POST', '/v1/api_keys', { scopes })
    if (created.ok) setShown(created.value.api_key)
    reload()
    return created
  }
  const toggle = (scope: string) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
  return (
    <section>
      <h2>{t('api_keys')}</h2>
      <Loaded answer={answer}>
        {({ api_keys }) => (
          <Table
            caption={t('api_keys')}
            columns={[t('id'), t('scope'), t('created_at'), t('expires_at'), '']}
          >
            {api_keys.map(({ key_id, scopes: granted, created_at, expires_at }) => (
              <tr key={key_id}>
                <td>
                  <code>{key_id}</code>
                </td>
                <td>{granted.join(', ')}</td>
                <td>
                  <Time at={created_at} />
                </td>
                <td>
                  <Time at={expires_at} />
                </td>
                <td>
                  <Action
                    label={t('revoke')}
                    kind="danger"
                    confirm={t('revoke_sure')}
                    run={async () => {
                      const revoked = await call('DELETE', `/v1/api_keys/${key_id}`)
                      reload()
                      return revoked
                    }}
                  />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
      <fieldset>
        <legend>{t('new_key')}</legend>
        {session.scopes.map((scope) => (
          <label key={scope}>
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />{' '}
            <code>{scope}</code>
          </label>
        ))}
        <Action label={t('create_key')} kind="primary" run={create} />
      </fieldset>
      {shown && <Secret label={t('new_key')} value={shown} />}
    </section>
  )
}

function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div class="notice" role="status">
      <p>
        <strong>{label}</strong> {t('shown_once')}
      </p>
      <input readOnly value={value} aria-label={label} onFocus={(event) => event.currentTarget.select()} />
    </div>
  )
}

function Webhook() {
  const { answer, reload } = useResource<Settings>('/v1/relying_party')
  const [secret, setSecret] = useState<string | null>(null)
  const [result, setResult] = useState<Readonly<Record<string, unknown>> | null>(null)
  const test = async () => {
    const sent = await call<Readonly<Record<string, unknown>>>('POST', '/v1/webhook/test')
    if (sent.ok) setResult(sent.value)
    return sent
  }
  const rotate = async () => {
    const rotated = await call<{ readonly webhook_secret: string }>('POST', '/v1/webhook/rotate_secret')
    if (rotated.ok) setSecret(rotated.value.webhook_secret)
    return rotated
  }
  return (
    <section>
      <h2>{t('webhook')}</h2>
      <Loaded answer={answer}>
        {({ webhook }) =>
          webhook === null ? (
            <p>{t('no_webhook')}</p>
          ) : (
            <>
              <Facts
                rows={[
                  ['URL', <code key="u">{webhook.url}</code>],
                  [t('events'), webhook.events.join(', ')],
                  [t('status'), t(webhook.disabled ? 'disabled' : 'enabled')],
                ]}
              />
              <div class="actions">
                <Action label={t('test_event')} run={test} />
                <Action label={t('rotate')} confirm={t('rotate_sure')} run={rotate} />
                {webhook.disabled && (
                  <Action
                    label={t('enable')}
                    kind="primary"
                    run={async () => {
                      const enabled = await call('POST', '/v1/webhook/enable')
                      reload()
                      return enabled
                    }}
                  />
                )}
              </div>
              {result && <pre role="status">{JSON.stringify(result, null, 2)}</pre>}
              {secret && <Secret label={t('webhook_secret')} value={secret} />}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function Clients() {
  const { answer } = useResource<{ readonly oidc_clients: readonly Client[] }>('/v1/oidc_clients')
  if (answer?.ok === false && answer.problem.status === 404) return null
  return (
    <section>
      <h2>{t('oidc_clients')}</h2>
      <Loaded answer={answer}>
        {({ oidc_clients }) => (
          <Table caption={t('oidc_clients')} columns={[t('name'), t('id'), t('redirect_uris')]}>
            {oidc_clients.map(({ client_id, name, redirect_uris }) => (
              <tr key={client_id}>
                <td>{name}</td>
                <td>
                  <code>{client_id}</code>
                </td>
                <td>{redirect_uris.join(', ')}</td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </section>
  )
}

/** Every setting as JSON. What is sent is validated as by the API, and so are its messages. */
function AllSettings() {
  const { answer, reload } = useResource<Settings>('/v1/relying_party')
  const [text, setText] = useState('{\n  "retention_seconds": 172800\n}')
  const isJson = parse(text) !== undefined
  return (
    <section>
      <h2>{t('settings')}</h2>
      <Loaded answer={answer}>
        {(settings) => (
          <details>
            <summary>{t('current_settings')}</summary>
            <pre>{JSON.stringify(settings, null, 2)}</pre>
          </details>
        )}
      </Loaded>
      <label for="change">{t('change_settings')}</label>
      <textarea
        id="change"
        rows={8}
        spellcheck={false}
        aria-invalid={!isJson}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {!isJson && <p class="notice bad">{t('not_json')}</p>}
      <Action
        label={t('save')}
        kind="primary"
        run={async () => {
          const saved = await call('PATCH', '/v1/relying_party', parse(text) ?? {})
          reload()
          return saved
        }}
      />
    </section>
  )
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
