// The pages of the operator: the state of the service, its relying parties and its trust lists.

import { CertificatesByExpiry } from './operator/certificates.tsx'
import { Metrics } from './operator/metrics.tsx'
import { Readiness } from './operator/readiness.tsx'
import { RelyingParties } from './operator/relying-parties.tsx'
import { RelyingParty } from './operator/relying-party.tsx'
import { TrustLists } from './operator/trust-lists.tsx'
import { Zone } from './parts.tsx'
import { t } from './texts.ts'

/** `id`: the relying party that is opened; empty for none. */
export function Operator({ id }: { readonly id: string }) {
  if (id !== '') return <RelyingParty key={id} id={id} />
  return (
    <>
      <h1>{t('operator')}</h1>
      <Zone />
      <Readiness />
      <RelyingParties />
      <TrustLists />
      <CertificatesByExpiry />
      <Metrics />
    </>
  )
}
