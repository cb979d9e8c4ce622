// Lists of trusted issuers with their freshness and their anchors, and a form for a new list.

import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { Action, Loaded, Table, Time, useResource } from '../parts.tsx'
import { Choice, Form, JsonLines, objectOf } from '../settings/form.tsx'
import { t } from '../texts.ts'

type Names = { readonly trust_lists: readonly { readonly name: string; readonly livemode: boolean }[] }
export type TrustList = {
  readonly name: string
  readonly livemode: boolean
  readonly kind: string
  readonly url?: string
  readonly sequence: number | null
  readonly trust_as_of: string | null
  readonly usable_until: string | null
  readonly anchors: number
  readonly left_out: number
  readonly last_attempt: { readonly at: string; readonly fault: string | null } | null
  /** National lists that a list of lists follows. */
  readonly lists?: readonly {
    readonly territory: string
    readonly sequence: number | null
    readonly anchors: number
    readonly fault: string | null
  }[]
  readonly pinned_signers_announced?: boolean | null
  readonly learned_signers?: readonly string[]
}

export const LISTS = '/v1/admin/trust_lists'

export function TrustLists() {
  const { answer, reload } = useResource<Names>(LISTS)
  return (
    <section>
      <h2>{t('trust_lists')}</h2>
      <Loaded answer={answer}>
        {({ trust_lists }) =>
          trust_lists.length === 0 ? (
            <p>{t('no_lists')}</p>
          ) : (
            <Table caption={t('trust_lists')} columns={COLUMNS.map((column) => t(column))}>
              {trust_lists.map(({ name }) => (
                <Row key={name} name={name} onRemoved={reload} />
              ))}
            </Table>
          )
        }
      </Loaded>
      <details>
        <summary>{t('new_list')}</summary>
        <NewList onCreated={reload} />
      </details>
    </section>
  )
}

const COLUMNS = ['name', 'mode', 'state', 'anchors', 'trust_as_of', 'usable_until', 'last_fetch', 'actions']

function Row({ name, onRemoved }: { readonly name: string; readonly onRemoved: () => void }) {
  const path = `${LISTS}/${encodeURIComponent(name)}`
  const { answer, reload } = useResource<TrustList>(path)
  if (!answer?.ok) {
    return (
      <tr>
        <td>{name}</td>
        <td colSpan={COLUMNS.length - 1}>
          <Loaded answer={answer}>{() => null}</Loaded>
        </td>
      </tr>
    )
  }
  const { livemode, kind, url, anchors, left_out, trust_as_of, usable_until, last_attempt } = answer.value
  const { lists = [], learned_signers = [], pinned_signers_announced } = answer.value
  const fault = last_attempt?.fault ?? null
  const run = async (method: string, to: string, done: () => void) => {
    const sent = await call(method, to)
    if (sent.ok) done()
    return sent
  }
  return (
    <tr>
      <td>
        {name} <br />
        <code>{kind}</code> {url}
      </td>
      <td>{t(livemode ? 'live_mode' : 'test_mode')}</td>
      <td>
        <Freshness list={answer.value} />
        {pinned_signers_announced === false && <p class="soft">{t('signers_change')}</p>}
        {learned_signers.length > 0 && (
          <p class="soft">{t('learned_signers', { count: learned_signers.length })}</p>
        )}
      </td>
      <td>
        {anchors}
        {left_out > 0 && <> ({t('left_out', { count: left_out })})</>}
        {lists.length > 0 && (
          <ul>
            {lists.map((list) => (
              <li key={list.territory}>
                {list.territory} {list.sequence}: {list.anchors} {list.fault && <code>{list.fault}</code>}
              </li>
            ))}
          </ul>
        )}
      </td>
      <td>
        <Time at={trust_as_of} />
      </td>
      <td>
        {trust_as_of !== null && usable_until === null ? (
          t('without_end')
        ) : (
          <Time at={trust_as_of && usable_until} />
        )}
      </td>
      <td>
        <Time at={last_attempt?.at ?? null} /> {fault !== null && <code>{fault}</code>}
      </td>
      <td>
        <div class="actions">
          {kind !== 'pem_bundle' && (
            <Action label={t('refresh')} run={() => run('POST', `${path}/refresh`, reload)} />
          )}
          <Action
            label={t('remove')}
            kind="danger"
            confirm={t('remove_list_sure', { name })}
            run={() => run('DELETE', path, onRemoved)}
          />
        </div>
      </td>
    </tr>
  )
}

/** A list without a copy, or with a copy that is too old, vouches for no issuer. */
function Freshness({ list: { trust_as_of, usable_until } }: { readonly list: TrustList }) {
  const isUsable = trust_as_of !== null && (usable_until === null || Date.parse(usable_until) > Date.now())
  return <span class={`state ${isUsable ? 'delivered' : 'dead'}`}>{t(isUsable ? 'usable' : 'stale')}</span>
}

const PEM = '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----'
const SERVICE = { credential_types: ['pid'], assurance_level: 'high' }
const SIGNED = { url: 'https://…', signers: [{ x509_ca_pem: PEM }] }
const PINNED = { url: 'https://…', signers: [{ x509_certificate_pem: PEM }] }
const EXAMPLES: Readonly<Record<string, object>> = {
  pem_bundle: { name: 'my-issuers', kind: 'pem_bundle', livemode: true, pem: PEM, services: [SERVICE] },
  etsi_lote: {
    name: 'pid-providers',
    kind: 'etsi_lote',
    livemode: true,
    ...SIGNED,
    services: [{ type: '…', ...SERVICE }],
  },
  etsi_tl: {
    name: 'eu-age',
    kind: 'etsi_tl',
    livemode: true,
    ...PINNED,
    schemes: 'eu_age_verification',
    assurance_level: 'low',
  },
  eu_lotl: {
    name: 'eu-qeaa',
    kind: 'eu_lotl',
    livemode: true,
    ...PINNED,
    territories: ['SE'],
    oj_url: null,
    services: [{ type: 'http://uri.etsi.org/TrstSvc/Svctype/EAA/Q', ...SERVICE }],
  },
  vical: {
    name: 'mdl-issuers',
    kind: 'vical',
    livemode: true,
    ...SIGNED,
    services: [{ type: 'org.iso.18013.5.1.mDL', credential_types: ['mdl'], assurance_level: 'high' }],
  },
}

function NewList({ onCreated }: { readonly onCreated: () => void }) {
  const [kind, setKind] = useState('pem_bundle')
  const create = async (fields: FormData) => {
    const body = objectOf(fields, 'list')
    if (!body.ok) return body
    const created = await call('POST', LISTS, body.value)
    if (created.ok) onCreated()
    return created
  }
  return (
    <Form label={t('new_list')} action={t('create')} send={create}>
      <Choice name="kind" label={t('kind')} options={Object.keys(EXAMPLES)} value={kind} onChoose={setKind} />
      <JsonLines
        key={kind}
        name="list"
        label={t('list_as_json')}
        hint={t('list_hint')}
        value={JSON.stringify(EXAMPLES[kind], null, 2)}
      />
    </Form>
  )
}
