// What the service depends on that comes to an end: its own certificate, those of its relying parties, and the operator's
// lists. `/readyz` makes warnings of it.

import { configOf } from '../../config.ts'
import type { Env } from '../../env.ts'
import { type CertificateDates, directoryOf } from '../../relying-party/directory.ts'
import { type TrustListStanding, trustListStandings } from '../../relying-party/trust-lists/trust-lists.ts'
import { type ChainLifetime, chainLifetime } from '../../trust/x509/chain-lifetime.ts'

/** Times are Unix milliseconds. */
export type Standing = {
  /** The service's own certificate chain; `null` where the configuration has none that can be read. */
  readonly verifierCertificate: ChainLifetime | null
  /** The chains that relying parties have of their own, together. */
  readonly relyingPartyCertificates: CertificateDates
  readonly trustLists: readonly TrustListStanding[]
}

/** How things stand at `now` (Unix milliseconds). Throws where the directory cannot be reached. */
export async function standing(env: Env, now: number): Promise<Standing> {
  const directory = directoryOf(env)
  const [entries, relyingPartyCertificates] = await Promise.all([
    directory.trustLists(),
    directory.certificateDates(now),
  ])
  return {
    verifierCertificate: chainLifetime(configOf(env).verifier.certificateChainPem),
    relyingPartyCertificates,
    trustLists: await trustListStandings(env, entries, now),
  }
}
