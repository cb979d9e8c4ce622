// The list of relying parties, and a form for a new relying party.

import { useEffect, useState } from 'preact/hooks'
import { type Answer, call } from '../api.ts'
import { Action, Loaded, Table, Time } from '../parts.tsx'
import { Form, Line, Switch, textOf } from '../settings/form.tsx'
import { Secret } from '../settings/secret.tsx'
import { t } from '../texts.ts'

export type Party = {
  readonly relying_party_id: string
  readonly name: string
  readonly livemode: boolean
  readonly created_at: string
  readonly verifier_certificate_expires_at: string | null
}
export type PartyPage = { readonly relying_parties: readonly Party[]; readonly next_cursor: string | null }
type Created = Party & { readonly api_key: string; readonly webhook_secret: string }

export function RelyingParties() {
  const [answer, setAnswer] = useState<Answer<PartyPage> | null>(null)
  const [created, setCreated] = useState<Created | null>(null)
  const read = async (after?: string) => {
    const page = await readParties(after)
    const before = after !== undefined && answer?.ok ? answer.value.relying_parties : []
    const all = page.ok
      ? { ...page, value: { ...page.value, relying_parties: [...before, ...page.value.relying_parties] } }
      : page
    setAnswer(all)
    return page
  }
  useEffect(() => void read(), [])
  const create = async (fields: FormData) => {
    const name = textOf(fields, 'name')
    const sent = await call<Created>('POST', '/v1/admin/relying_parties', {
      name,
      livemode: fields.has('livemode'),
    })
    if (sent.ok) setCreated(sent.value)
    if (sent.ok) void read()
    return sent
  }
  return (
    <section>
      <h2>{t('relying_parties')}</h2>
      <Loaded answer={answer}>
        {({ relying_parties, next_cursor }) => (
          <>
            <Parties parties={relying_parties} />
            {next_cursor !== null && (
              <div class="actions">
                <Action label={t('more')} run={() => read(next_cursor)} />
              </div>
            )}
          </>
        )}
      </Loaded>
      {created && (
        <>
          <p>
            <a href={`#/operator/${created.relying_party_id}`}>{t('open_party', { name: created.name })}</a>
          </p>
          <Secret label={t('new_key')} value={created.api_key} />
          <Secret label={t('webhook_secret')} value={created.webhook_secret} />
        </>
      )}
      <details>
        <summary>{t('new_party')}</summary>
        <Form label={t('new_party')} action={t('create')} send={create}>
          <Line name="name" label={t('name')} />
          <Switch name="livemode" isOn={false} label={t('live_mode')} />
        </Form>
      </details>
    </section>
  )
}

/** Reads a page of relying parties. */
export function readParties(after?: string): Promise<Answer<PartyPage>> {
  const query = new URLSearchParams({ limit: '100', ...(after !== undefined && { after }) })
  return call<PartyPage>('GET', `/v1/admin/relying_parties?${query}`)
}

function Parties({ parties }: { readonly parties: readonly Party[] }) {
  if (parties.length === 0) return <p>{t('no_parties')}</p>
  return (
    <Table caption={t('relying_parties')} columns={COLUMNS.map((column) => t(column))}>
      {parties.map(({ relying_party_id, name, livemode, created_at }) => (
        <tr key={relying_party_id}>
          <td>
            <a href={`#/operator/${relying_party_id}`}>{name}</a>
          </td>
          <td>{t(livemode ? 'live_mode' : 'test_mode')}</td>
          <td>
            <Time at={created_at} />
          </td>
          <td>
            <code>{relying_party_id}</code>
          </td>
        </tr>
      ))}
    </Table>
  )
}

const COLUMNS = ['name', 'mode', 'created', 'id']
