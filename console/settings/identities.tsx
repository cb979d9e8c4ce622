// Identities with which a relying party signs its requests: its own, and further ones for the browser.

import type { Settings } from '../../packages/client/src/wire.ts'
import { type Answer, call } from '../api.ts'
import { Expiry } from '../expiry.tsx'
import { Action, announce, Facts, Time } from '../parts.tsx'
import { t } from '../texts.ts'
import { Form, Line, Lines, parsed, textOf } from './form.tsx'
import {
  type IdentityChange,
  toBody,
  toChange,
  type VerifierChange,
  withIdentity,
  withoutIdentity,
  withReplaced,
} from './verifier-change.ts'

/** Limit of the API. */
const FURTHER_IDENTITIES = 3

type Verifier = NonNullable<Settings['verifier']>
type Identity = Pick<Verifier, 'certificate'> & {
  readonly chain: string
  /** Pointer of the identity in the settings. */
  readonly at: string
  /** True if a root or an attestation is stored, which a new first certificate removes. */
  readonly hasMore: boolean
}
type Change = (changed: (current: VerifierChange) => VerifierChange | undefined) => Promise<Answer<unknown>>

export function Identities({
  settings,
  place,
  onChange,
}: {
  readonly settings: Pick<Settings, 'verifier' | 'warnings'>
  readonly place: string
  readonly onChange: () => void
}) {
  const identities = identitiesOf(settings.verifier)
  const change: Change = async (changed) => {
    const saved = await changeVerifier(place, changed)
    if (saved.ok) onChange()
    return saved
  }
  const count = identities.length
  return (
    <section>
      <h2>{t('identities')}</h2>
      <p class="soft">{t('identities_hint')}</p>
      {count === 0 && <p>{t('no_identity')}</p>}
      {identities.map((identity) => (
        <OneIdentity key={identity.chain} {...{ identity, change }} warnings={settings.warnings} />
      ))}
      {count > FURTHER_IDENTITIES ? (
        <p class="soft">{t('identities_full', { count: FURTHER_IDENTITIES })}</p>
      ) : (
        <details>
          <summary>{t('add_identity')}</summary>
          <IdentityForm
            label={t('add_identity')}
            at={count === 0 ? FIRST : `${FIRST}/further/${count - 1}`}
            hint={t('private_key_hint')}
            send={(added) => change((current) => withIdentity(current, added))}
          />
        </details>
      )}
    </section>
  )
}

const FIRST = '/verifier'

function identitiesOf(verifier: Settings['verifier']): readonly Identity[] {
  const { certificate_chain_pem: chain = null, certificate = null, further = [] } = verifier ?? {}
  const hasMore = Boolean(verifier?.attestation_jwt ?? verifier?.root_certificate_pem)
  const first = chain === null ? [] : [{ chain, certificate, at: FIRST, hasMore }]
  const others = further.map((one, i) => ({
    chain: one.certificate_chain_pem,
    certificate: one.certificate,
    at: `${FIRST}/further/${i}`,
    hasMore: false,
  }))
  return [...first, ...others]
}

function OneIdentity({
  identity,
  change,
  warnings,
}: {
  readonly identity: Identity
  readonly change: Change
  readonly warnings: Settings['warnings']
}) {
  const { at, chain, certificate, hasMore } = identity
  const title = at === FIRST ? t('own_identity') : t('further_identity', { number: Number(at.at(-1)) + 1 })
  const replaceLabel = t('replace_identity', { name: title })
  const replace = async (replacement: IdentityChange) => {
    const saved = await change((current) => withReplaced(current, chain, replacement))
    if (saved.ok) announce(t('done', { label: replaceLabel }))
    return saved
  }
  return (
    <section class="card identity" aria-label={title}>
      <h3>
        {title} {certificate && <Expiry from={certificate.valid_from} until={certificate.expires_at} />}
      </h3>
      {certificate && <CertificateFacts certificate={certificate} />}
      {warnings
        .filter(({ pointer }) => isAbout(pointer, at))
        .map(({ code, pointer, message }) => (
          <p key={code + pointer} class="notice">
            {message}
          </p>
        ))}
      <details>
        <summary>{replaceLabel}</summary>
        <IdentityForm
          label={replaceLabel}
          at={at}
          hint={`${t('private_key_hint')} ${t('private_key_stays')}${hasMore ? ` ${t('replaced_removes')}` : ''}`}
          send={replace}
        />
      </details>
      {at !== FIRST && (
        <div class="actions">
          <Action
            label={t('remove')}
            kind="danger"
            confirm={t('remove_identity_sure', { name: certificate?.subject ?? title })}
            run={() => change((current) => withoutIdentity(current, chain))}
          />
        </div>
      )}
    </section>
  )
}

function CertificateFacts({
  certificate: { subject, dns_names, valid_from, expires_at, sha256 },
}: {
  readonly certificate: NonNullable<Identity['certificate']>
}) {
  return (
    <Facts
      rows={[
        [t('claimed.subject'), subject],
        [t('domains'), dns_names.join(', ')],
        [t('valid_from'), <Time key="from" at={valid_from} />],
        [t('expires_at'), <Time key="until" at={expires_at} />],
        [t('claimed.certificate_sha256'), <code key="sha256">{sha256}</code>],
      ]}
    />
  )
}

/** Returns true for a warning about this identity. Other identities are below `/verifier` too. */
function isAbout(pointer: string, at: string): boolean {
  const isInside = pointer === at || pointer.startsWith(`${at}/`)
  return isInside && (at !== FIRST || !/^\/verifier\/(further|reader_certificates)(\/|$)/.test(pointer))
}

/** The form of a certificate chain and its private key. */
function IdentityForm({
  label,
  at,
  hint,
  send,
}: {
  readonly label: string
  readonly at: string
  readonly hint: string
  readonly send: (identity: IdentityChange) => Promise<Answer<unknown>>
}) {
  const save = async (fields: FormData, form: HTMLFormElement) => {
    const key = textOf(fields, 'signing_jwk')
    const saved = await send({
      certificate_chain_pem: textOf(fields, 'certificate_chain_pem'),
      ...(key !== '' && { signing_jwk: parsed(key) }),
    })
    if (saved.ok) form.reset()
    return saved
  }
  return (
    <Form label={label} action={t('save')} send={save}>
      <Lines
        name="certificate_chain_pem"
        label={t('certificate_chain')}
        pointer={`${at}/certificate_chain_pem`}
        hint={t('certificate_chain_hint')}
        rows={6}
      />
      <Line
        name="signing_jwk"
        label={t('private_key')}
        pointer={`${at}/signing_jwk`}
        hint={hint}
        type="password"
      />
    </Form>
  )
}

/**
 * Changes the identities as they are now, not as they were read before. `changed` returns `undefined` if the
 * identity is no longer there.
 */
async function changeVerifier(
  place: string,
  changed: (current: VerifierChange) => VerifierChange | undefined,
): Promise<Answer<unknown>> {
  const current = await call<Settings>('GET', place)
  if (!current.ok) return current
  const verifier = changed(toChange(current.value.verifier))
  if (verifier === undefined) return { ok: false, problem: { ...GONE, detail: t('identity_gone') } }
  return call('PATCH', place, { verifier: toBody(verifier) })
}

const GONE = { status: 0, code: 'identity_changed', request_id: null, errors: [] }
