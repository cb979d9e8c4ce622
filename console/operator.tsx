// What the operator sees: relying parties, trust lists, and the state of the service.

import { call } from './api.ts'
import { Action, Loaded, Table, Time, useResource } from './parts.tsx'
import { t } from './texts.ts'

type Party = {
  readonly relying_party_id: string
  readonly name: string
  readonly livemode: boolean
  readonly created_at: string
}
type List = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly anchors: number
  readonly fetched_at: string | null
  readonly stale: boolean
}
type Ready = {
  readonly status: string
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

export function Operator() {
  const ready = useResource<Ready>('/readyz', 10_000)
  const parties = useResource<{ readonly relying_parties: readonly Party[] }>(
    '/v1/admin/relying_parties?limit=100',
  )
  const lists = useResource<{ readonly trust_lists: readonly List[] }>('/v1/admin/trust_lists')
  return (
    <>
      <h1>{t('operator')}</h1>
      <section>
        <h2>{t('readiness')}</h2>
        <Loaded answer={ready.answer}>
          {({ status, warnings }) => (
            <>
              <p>{status}</p>
              <ul>
                {(warnings ?? []).map(({ code, message }) => (
                  <li key={code} class="notice">
                    <code>{code}</code> {message}
                  </li>
                ))}
              </ul>
            </>
          )}
        </Loaded>
      </section>
      <section>
        <h2>{t('relying_parties')}</h2>
        <Loaded answer={parties.answer}>
          {({ relying_parties }) => (
            <Table caption={t('relying_parties')} columns={[t('name'), t('id'), t('mode'), t('created_at')]}>
              {relying_parties.map(({ relying_party_id, name, livemode, created_at }) => (
                <tr key={relying_party_id}>
                  <td>{name}</td>
                  <td>
                    <code>{relying_party_id}</code>
                  </td>
                  <td>{t(livemode ? 'live_mode' : 'test_mode')}</td>
                  <td>
                    <Time at={created_at} />
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </Loaded>
      </section>
      <section>
        <h2>{t('trust_lists')}</h2>
        <Loaded answer={lists.answer}>
          {({ trust_lists }) => (
            <Table caption={t('trust_lists')} columns={[t('name'), t('anchors'), t('fetched'), '']}>
              {trust_lists.map(({ name, anchors, fetched_at }) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td>{anchors}</td>
                  <td>
                    <Time at={fetched_at} />
                  </td>
                  <td>
                    <Action
                      label={t('refresh')}
                      run={async () => {
                        const done = await call('POST', `/v1/admin/trust_lists/${name}/refresh`)
                        lists.reload()
                        return done
                      }}
                    />
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </Loaded>
      </section>
    </>
  )
}
