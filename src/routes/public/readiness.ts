// `/readyz`: readiness of the service, and warnings about what will soon make it fail. A wallet rejects a
// request whose certificate has expired. Without a warning, only the person with the wallet would notice.

import type { Readiness } from '../../api/responses/public.ts'
import { isoTime } from '../../codec/date-time.ts'
import { type Config, loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import type { CertificateDates } from '../../relying-party/directory.ts'
import { damagedSessions } from '../../relying-party/document/damaged-sessions.ts'
import { damagedDays } from '../../relying-party/index/damaged-days.ts'
import type { TrustListHealth } from '../../relying-party/trust-lists/trust-lists.ts'
import { isClockSuspect } from '../../session/store/refusals-by-time.ts'
import type { ChainLifetime } from '../../trust/x509/chain-lifetime.ts'
import type { AppContext } from '../edge/context.ts'
import { type ServiceHealth, serviceHealth } from './service-health.ts'

/** Warning about something that the operator must do. `expires_at`: ISO 8601 in UTC. */
type Warning =
  | {
      readonly code: 'verifier_certificate_expires_soon' | 'verifier_certificate_not_valid'
      readonly expires_at: string
    }
  /**
   * Number of relying parties whose certificate expires soon, and the earliest expiry. This route is public,
   * so it does not name the relying parties.
   */
  | {
      readonly code: 'relying_party_certificate_expires_soon'
      readonly relying_parties: number
      readonly expires_at: string
    }
  | { readonly code: 'relying_party_certificate_expired'; readonly relying_parties: number }
  /** Number of lists that are stale or were never fetched. This route does not name the lists. */
  | { readonly code: 'trust_list_stale'; readonly trust_lists: number }
  /** Number of lists whose newest version was refused, that have no anchor, or whose signers will change. */
  | {
      readonly code: 'trust_list_refused' | 'trust_list_empty' | 'trust_list_signers_change'
      readonly trust_lists: number
    }
  /** `npm start` made the certificate itself, and `BASE_URL` is public. No wallet trusts this certificate. */
  | { readonly code: 'self_made_verifier_certificate' }
  /**
   * Days of the list of verifications that cannot be read. Each day has its own Durable Object. `objects`:
   * file names of these Durable Objects. The names do not reveal the relying party.
   */
  | { readonly code: 'list_day_damaged'; readonly objects: string[] }
  /** Durable Objects that sessions share, and that cannot be read. Calls for these sessions get 503. */
  | { readonly code: 'sessions_damaged'; readonly objects: string[] }
  /**
   * `CLIENT_IP_HEADER` is missing, and `BASE_URL` is public. Limits by address do not work, and callers share
   * the limits of unknown addresses.
   */
  | { readonly code: 'client_ip_header_missing' }
  /** The directory cannot be read. Certificates of relying parties and trust lists are not checked. */
  | { readonly code: 'directory_unavailable' }
  /** Storage cannot be written. Create requests and wallet responses get 503. */
  | { readonly code: 'storage_not_writable' }
  /** Most refusals of the last minute have a reason about a time, so the clock may be wrong. */
  | { readonly code: 'clock_suspect' }

/** Sends the readiness and the warnings. Only an invalid configuration throws an error, which becomes 500. */
export async function readiness(c: AppContext): Promise<Response> {
  const now = Date.now()
  const { isReady, warnings } = judgeReadiness(c.env, await serviceHealth(c.env, now), now)
  const headers = { 'Cache-Control': 'no-store', ...(isReady ? {} : { 'Retry-After': '60' }) }
  const body: Readiness = { status: isReady ? 'ready' : 'not_ready', warnings: [...warnings] }
  return c.json(body, isReady ? 200 : 503, headers)
}

/**
 * Returns the readiness at `now` (Unix milliseconds). The service is ready if its own certificate is valid
 * now, and if storage can be written or the directory can be read. Problems of single relying parties are
 * warnings, because other relying parties are not affected.
 */
export function judgeReadiness(
  env: Env,
  health: ServiceHealth,
  now: number,
): { readonly isReady: boolean; readonly warnings: readonly Warning[] } {
  const config = loadConfig(env)
  const { relyingPartyCertificates, trustLists, isStorageWritable } = health
  const isDirectoryRead = relyingPartyCertificates !== null && trustLists !== null
  const warnings = [
    ...ownWarnings(health.verifierCertificate, now),
    ...(config.verifier.isSelfMade ? [{ code: 'self_made_verifier_certificate' } as const] : []),
    ...addressWarnings(config),
    ...relyingPartyWarnings(relyingPartyCertificates),
    ...trustListWarnings(trustLists),
    ...damageWarnings('list_day_damaged', damagedDays()),
    ...damageWarnings('sessions_damaged', damagedSessions()),
    ...(isDirectoryRead ? [] : [{ code: 'directory_unavailable' } as const]),
    ...selfWarnings(isStorageWritable, now),
  ]
  const isValid = warnings.every(({ code }) => code !== 'verifier_certificate_not_valid')
  return { isReady: isValid && (isStorageWritable || isDirectoryRead), warnings }
}

/**
 * Returns a warning if the addresses of callers are unknown. On Cloudflare there is no listening port, and
 * the edge reports the address.
 */
function addressWarnings({ isLocal, listeningPort, clientIpHeader }: Config): readonly Warning[] {
  const isMissing = !isLocal && listeningPort !== null && clientIpHeader === null
  return isMissing ? [{ code: 'client_ip_header_missing' }] : []
}

function selfWarnings(isStorageWritable: boolean, now: number): readonly Warning[] {
  return [
    ...(isStorageWritable ? [] : [{ code: 'storage_not_writable' } as const]),
    ...(isClockSuspect(now) ? [{ code: 'clock_suspect' } as const] : []),
  ]
}

function ownWarnings(lifetime: ChainLifetime | null, now: number): readonly Warning[] {
  if (lifetime === null) return []
  const { validFrom, expiresAt, renewFrom } = lifetime
  const expires_at = isoTime(expiresAt)
  if (now < validFrom || now > expiresAt) return [{ code: 'verifier_certificate_not_valid', expires_at }]
  return now >= renewFrom ? [{ code: 'verifier_certificate_expires_soon', expires_at }] : []
}

function relyingPartyWarnings(dates: CertificateDates | null): readonly Warning[] {
  if (dates === null) return []
  const { expired, toRenew, nextExpiry } = dates
  const warnings: Warning[] = []
  if (expired > 0) warnings.push({ code: 'relying_party_certificate_expired', relying_parties: expired })
  if (toRenew > 0 && nextExpiry !== null) {
    const expires_at = isoTime(nextExpiry)
    warnings.push({ code: 'relying_party_certificate_expires_soon', relying_parties: toRenew, expires_at })
  }
  return warnings
}

function damageWarnings(
  code: 'list_day_damaged' | 'sessions_damaged',
  objects: readonly string[],
): readonly Warning[] {
  return objects.length === 0 ? [] : [{ code, objects: [...objects] }]
}

function trustListWarnings(lists: ServiceHealth['trustLists']): readonly Warning[] {
  const codes = {
    trust_list_stale: ({ isUsable }: TrustListHealth) => !isUsable,
    trust_list_refused: ({ isRefused }: TrustListHealth) => isRefused,
    trust_list_empty: ({ isEmpty }: TrustListHealth) => isEmpty,
    trust_list_signers_change: ({ announcesSigners }: TrustListHealth) => announcesSigners,
  } as const
  const entries = Object.entries(codes) as [keyof typeof codes, (list: TrustListHealth) => boolean][]
  return entries.flatMap(([code, applies]) => {
    const trust_lists = (lists ?? []).filter(applies).length
    return trust_lists === 0 ? [] : [{ code, trust_lists }]
  })
}
