// The issuer that a refused credential names, and the form that trusts its signer. Nothing of it is verified.

import { useState } from 'preact/hooks'
import type { Settings } from '../../packages/client/src/wire.ts'
import { Facts, Loaded } from '../parts.tsx'
import { useResource } from '../resource.ts'
import { changeAnchors, NewAnchor } from '../settings/anchors.tsx'
import { OWN } from '../settings/places.ts'
import { t } from '../texts.ts'
import { type ClaimedIssuer as Claimed, nameOf } from './attempts.ts'

type Props = {
  readonly claimed: Claimed
  /** Credential type of the request, if it names one only. */
  readonly type: string | undefined
  readonly mayTrust: boolean
}

export function ClaimedIssuer({ claimed, type, mayTrust }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { iss, subject, issuer, authority_key_identifier, certificate_sha256, certificate_pem } = claimed
  const rows = [
    ['iss', iss],
    [t('claimed.subject'), subject],
    [t('claimed.issuer'), issuer],
    [t('claimed.authority_key_identifier'), authority_key_identifier],
    [t('claimed.certificate_sha256'), certificate_sha256],
  ] as const
  return (
    <div class="claimed">
      <p>
        {t('claimed.before')} <bdi class="name">{nameOf(claimed)}</bdi> {t('claimed.after')}
      </p>
      <Facts rows={rows.filter(([, value]) => value !== null)} />
      {mayTrust && certificate_pem !== null && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{t('claimed.add')}</summary>
          {isOpen && <TrustSigner certificate={certificate_pem} type={type} />}
        </details>
      )}
    </div>
  )
}

function TrustSigner({
  certificate,
  type,
}: {
  readonly certificate: string
  readonly type: string | undefined
}) {
  const { answer } = useResource<Settings>(OWN.settings)
  return (
    <>
      <p class="notice bad">{t('claimed.warning')}</p>
      <Loaded answer={answer}>
        {({ trust_anchors }) => (
          <NewAnchor
            at={`/trust_anchors/${trust_anchors.length}`}
            certificate={certificate}
            {...(type !== undefined && { types: type })}
            add={(anchor) => changeAnchors(OWN.settings, (all) => [...all, anchor])}
          />
        )}
      </Loaded>
    </>
  )
}
