// Health of what expires: the service's certificate, those of its relying parties, and the operator's trust
// lists. `/readyz` turns it into warnings, `/metrics` into gauges.

import { configOf } from '../../config.ts'
import type { Env } from '../../env.ts'
import { type CertificateDates, directoryOf } from '../../relying-party/directory.ts'
import { type TrustListHealth, trustListHealth } from '../../relying-party/trust-lists/trust-lists.ts'
import { type ChainLifetime, chainLifetime } from '../../trust/x509/chain-lifetime.ts'

/** Times are Unix milliseconds. */
type ServiceHealth = {
  /** Lifetime of the service's certificate chain; `null` where it cannot be decoded. */
  readonly verifierCertificate: ChainLifetime | null
  /** The relying parties' own chains, together. */
  readonly relyingPartyCertificates: CertificateDates
  readonly trustLists: readonly TrustListHealth[]
}

/** Returns the health at `now` (Unix milliseconds). Throws where the directory cannot be reached. */
export async function serviceHealth(env: Env, now: number): Promise<ServiceHealth> {
  const directory = directoryOf(env)
  const [entries, relyingPartyCertificates] = await Promise.all([
    directory.trustLists(),
    directory.certificateDates(now),
  ])
  return {
    verifierCertificate: chainLifetime(configOf(env).verifier.certificateChainPem),
    relyingPartyCertificates,
    trustLists: await trustListHealth(env, entries, now),
  }
}
