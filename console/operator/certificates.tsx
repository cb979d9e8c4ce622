// Certificates of the service and of relying parties, in the order of their expiry.

import { useEffect, useState } from 'preact/hooks'
import { type Answer, call } from '../api.ts'
import { daysLeft, Expiry } from '../expiry.tsx'
import { formatCount } from '../insights/counts.ts'
import { Loaded, Table, Time } from '../parts.tsx'
import { t } from '../texts.ts'
import { readMetrics } from './exposition.ts'
import { readParties } from './relying-parties.tsx'

type Certificate = { readonly owner: string; readonly href: string | null; readonly expiresAt: string }

/** `isWhole`: false if there are more relying parties than were read. */
type Certificates = {
  readonly certificates: readonly Certificate[]
  readonly isWhole: boolean
  readonly isOwnKnown: boolean
}

/** Pages of 100 relying parties that are read. */
const PAGES = 10

export function CertificatesByExpiry() {
  const [answer, setAnswer] = useState<Answer<Certificates> | null>(null)
  useEffect(() => void readCertificates().then(setAnswer), [])
  return (
    <section>
      <h2>{t('certificates')}</h2>
      <Loaded answer={answer}>
        {({ certificates, isWhole, isOwnKnown }) => (
          <>
            {certificates.length === 0 ? <p>{t('no_certificates')}</p> : <Rows certificates={certificates} />}
            {!isWhole && <p class="notice">{t('first_parties', { count: formatCount(PAGES * 100) })}</p>}
            {!isOwnKnown && <p class="soft">{t('own_certificate_unknown')}</p>}
          </>
        )}
      </Loaded>
    </section>
  )
}

function Rows({ certificates }: Pick<Certificates, 'certificates'>) {
  return (
    <Table caption={t('certificates')} columns={COLUMNS.map((column) => t(column))}>
      {certificates.map(({ owner, href, expiresAt }) => (
        <tr key={href ?? ''}>
          <td>{href === null ? owner : <a href={href}>{owner}</a>}</td>
          <td>
            <Time at={expiresAt} />
          </td>
          <td>{daysLeft(expiresAt)}</td>
          <td>
            <Expiry until={expiresAt} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

const COLUMNS = ['owner', 'expires_at', 'days_left', 'state']

async function readCertificates(): Promise<Answer<Certificates>> {
  const found: Certificate[] = []
  let after: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const parties = await readParties(after)
    if (!parties.ok) return parties
    for (const { relying_party_id, name, verifier_certificate_expires_at: expiresAt } of parties.value
      .relying_parties) {
      if (expiresAt !== null) found.push({ owner: name, href: `#/operator/${relying_party_id}`, expiresAt })
    }
    after = parties.value.next_cursor ?? undefined
    if (after === undefined) break
  }
  const own = await ownExpiry()
  if (own !== undefined) found.push({ owner: t('this_service'), href: null, expiresAt: own })
  const certificates = found.sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
  return { ok: true, value: { certificates, isWhole: after === undefined, isOwnKnown: own !== undefined } }
}

/**
 * Returns the expiry of the service's own certificate. Before the expiry is near, only the metrics have it.
 */
async function ownExpiry(): Promise<string | undefined> {
  const metrics = await call<string>('GET', '/metrics')
  if (!metrics.ok) return undefined
  const sample = readMetrics(metrics.value).samples.find(
    ({ name, labels }) =>
      name.endsWith('certificate_expires_in_seconds') && labels.some(([, value]) => value === 'service'),
  )
  return sample && new Date(Date.now() + sample.value * 1000).toISOString()
}
