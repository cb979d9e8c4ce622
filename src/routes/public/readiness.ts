// `/readyz`: whether the service can do its work, and what will soon keep it from it. A wallet refuses a request whose
// certificate has expired, and nobody would be told but the person in front of it.

import { isoTime } from '../../codec/date-time.ts'
import type { CertificateDates } from '../../relying-party/directory.ts'
import type { ChainLifetime } from '../../trust/x509/chain-lifetime.ts'
import type { AppContext } from '../context.ts'
import { serviceHealth } from './service-health.ts'

/** Something to be done by the operator. `expires_at`: ISO 8601 in UTC. */
type Warning =
  | {
      readonly code: 'verifier_certificate_expires_soon' | 'verifier_certificate_not_valid'
      readonly expires_at: string
    }
  /** How many relying parties' own, and when the first of them expires. Anyone may read this, so not whose they are. */
  | {
      readonly code: 'relying_party_certificate_expires_soon'
      readonly relying_parties: number
      readonly expires_at: string
    }
  | { readonly code: 'relying_party_certificate_expired'; readonly relying_parties: number }
  /** A list that vouches for nobody now. */
  | { readonly code: 'trust_list_stale'; readonly trust_list: string }

/**
 * Ready: the configuration is valid, objects answer, and the service's own certificate is in time. A fault in the first two is
 * thrown and becomes 500 or 503. What touches some relying parties alone is warned of: the others are served as ever.
 */
export async function readiness(c: AppContext): Promise<Response> {
  const now = Date.now()
  const found = await serviceHealth(c.env, now)
  const warnings = [
    ...ownWarnings(found.verifierCertificate, now),
    ...relyingPartyWarnings(found.relyingPartyCertificates),
    ...found.trustLists.flatMap(({ name, isUsable }): readonly Warning[] =>
      isUsable ? [] : [{ code: 'trust_list_stale', trust_list: name }],
    ),
  ]
  const isReady = warnings.every(({ code }) => code !== 'verifier_certificate_not_valid')
  const headers = { 'Cache-Control': 'no-store', ...(isReady ? {} : { 'Retry-After': '60' }) }
  return c.json({ status: isReady ? 'ready' : 'not_ready', warnings }, isReady ? 200 : 503, headers)
}

function ownWarnings(lifetime: ChainLifetime | null, now: number): readonly Warning[] {
  if (lifetime === null) return []
  const { validFrom, expiresAt, renewFrom } = lifetime
  const expires_at = isoTime(expiresAt)
  if (now < validFrom || now > expiresAt) return [{ code: 'verifier_certificate_not_valid', expires_at }]
  return now >= renewFrom ? [{ code: 'verifier_certificate_expires_soon', expires_at }] : []
}

function relyingPartyWarnings({ expired, toRenew, nextExpiry }: CertificateDates): readonly Warning[] {
  const warnings: Warning[] = []
  if (expired > 0) warnings.push({ code: 'relying_party_certificate_expired', relying_parties: expired })
  if (toRenew > 0 && nextExpiry !== null) {
    const expires_at = isoTime(nextExpiry)
    warnings.push({ code: 'relying_party_certificate_expires_soon', relying_parties: toRenew, expires_at })
  }
  return warnings
}
