// Trust anchors of a relying party: the issuers that it trusts.

import { useState } from 'preact/hooks'
import type { Settings, TrustAnchor } from '../../packages/client/src/wire.ts'
import { type Answer, call } from '../api.ts'
import { Action, Table } from '../parts.tsx'
import { t } from '../texts.ts'
import { Choice, Form, Line, Lines, parsed, textOf } from './form.tsx'

/** Members that say what an anchor trusts. An `issuer` has `jwks` too. */
const KINDS = ['x509_ca_pem', 'x509_certificate_pem', 'issuer_url', 'did', 'issuer'] as const
type Kind = (typeof KINDS)[number]
const LEVELS = ['low', 'substantial', 'high']

export function Anchors({
  settings,
  place,
  onChange,
}: {
  readonly settings: Pick<Settings, 'trust_anchors' | 'anchor_sets' | 'livemode'>
  readonly place: string
  readonly onChange: () => void
}) {
  const { trust_anchors, anchor_sets, livemode } = settings
  const change = async (changed: ChangeAnchors): Promise<Answer<unknown>> => {
    const saved = await changeAnchors(place, changed)
    if (saved.ok) onChange()
    return saved
  }
  return (
    <section>
      <h2>{t('trust_anchors')}</h2>
      <p class="soft">{t(livemode ? 'anchors_hint' : 'anchors_hint_test')}</p>
      {trust_anchors.length === 0 ? (
        <p>{t('no_anchors')}</p>
      ) : (
        <Table caption={t('trust_anchors')} columns={COLUMNS.map((column) => t(column))}>
          {trust_anchors.map((anchor, number) => (
            <tr key={String(number)}>
              <td>{anchor.name}</td>
              <td>{anchor.credential_types.join(', ')}</td>
              <td>{anchor.assurance_level}</td>
              <td>
                <code>{kindOf(anchor)}</code> {addressOf(anchor)}
              </td>
              <td>
                <Action
                  label={t('remove')}
                  kind="danger"
                  confirm={t('remove_anchor_sure', { name: anchor.name })}
                  run={() => change((all) => all.filter((one) => !isSame(one, anchor)))}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {anchor_sets.length > 0 && (
        <p>
          {t('anchor_sets')}: {anchor_sets.join(', ')}
        </p>
      )}
      <details>
        <summary>{t('add_anchor')}</summary>
        <NewAnchor
          at={`/trust_anchors/${trust_anchors.length}`}
          add={(anchor) => change((all) => [...all, anchor])}
        />
      </details>
    </section>
  )
}

type ChangeAnchors = (anchors: readonly TrustAnchor[]) => readonly unknown[]

/** Changes the list as it is now, not as it was read before. */
export async function changeAnchors(place: string, changed: ChangeAnchors): Promise<Answer<unknown>> {
  const current = await call<Settings>('GET', place)
  if (!current.ok) return current
  return call('PATCH', place, { trust_anchors: changed(current.value.trust_anchors) })
}

const COLUMNS = ['name', 'credential_types', 'level', 'trusts', 'actions']

/** The form of a new anchor. With a `certificate`, it trusts the signer with this certificate alone. */
export function NewAnchor({
  at,
  add,
  certificate,
  types,
}: {
  /** Pointer of the new anchor. */
  readonly at: string
  /** PEM. */
  readonly certificate?: string
  readonly types?: string
  readonly add: (anchor: object) => Promise<Answer<unknown>>
}) {
  const [kind, setKind] = useState<Kind>(certificate === undefined ? 'x509_ca_pem' : 'x509_certificate_pem')
  const send = async (fields: FormData, form: HTMLFormElement) => {
    const added = await add({
      name: textOf(fields, 'name'),
      credential_types: textOf(fields, 'credential_types')
        .split(/[\s,]+/)
        .filter((type) => type !== ''),
      assurance_level: textOf(fields, 'assurance_level'),
      [kind]: textOf(fields, 'value'),
      ...(kind === 'issuer' && { jwks: parsed(textOf(fields, 'jwks')) }),
    })
    if (added.ok) form.reset()
    return added
  }
  return (
    <Form label={t('add_anchor')} action={t('add_anchor')} send={send}>
      <Line name="name" label={t('name')} pointer={`${at}/name`} />
      <Line
        name="credential_types"
        label={t('credential_types')}
        pointer={`${at}/credential_types`}
        hint={t('anchor_types_hint')}
        {...(types !== undefined && { value: types })}
      />
      <Choice name="assurance_level" label={t('level')} pointer={`${at}/assurance_level`} options={LEVELS} />
      <Choice
        name="kind"
        label={t('trusts')}
        options={KINDS}
        value={kind}
        hint={t(`anchor_kind.${kind}`)}
        onChoose={(value) => setKind(value as Kind)}
      />
      <Lines
        name="value"
        label={kind}
        pointer={`${at}/${kind}`}
        rows={kind.endsWith('pem') ? 6 : 2}
        {...(certificate !== undefined && { value: certificate })}
      />
      {kind === 'issuer' && <Lines name="jwks" label="jwks" pointer={`${at}/jwks`} rows={6} />}
    </Form>
  )
}

function kindOf(anchor: TrustAnchor): string {
  return KINDS.find((kind) => anchor[kind] !== undefined) ?? ''
}

function addressOf({ issuer_url, did, issuer }: TrustAnchor): string {
  return issuer_url ?? did ?? issuer ?? ''
}

function isSame(one: TrustAnchor, other: TrustAnchor): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
