// Health of everything that expires: the service's certificate, the certificates of its relying parties, and
// the operator's trust lists. `/readyz` sends it as warnings, and `/metrics` as gauges.

import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { directoryStub, isStorageWritable } from '../../relying-party/directory.ts'
import { trustListHealth } from '../../relying-party/trust-lists/trust-lists.ts'
import { resumeAlarms } from '../../session/alarm/interrupted-alarms.ts'
import { chainLifetime } from '../../trust/x509/chain-lifetime.ts'

/** Returns the health at `now`. Times are Unix milliseconds. Throws if the directory cannot be reached. */
export async function serviceHealth(env: Env, now: number) {
  const directory = directoryStub(env)
  const [entries, relyingPartyCertificates, isWritable] = await Promise.all([
    directory.trustLists(),
    directory.certificateDates(now),
    isStorageWritable(env, now),
  ])
  if (isWritable) resumeAlarms(env, now)
  return {
    /** Lifetime of the service's certificate chain; `null` if it cannot be decoded. */
    verifierCertificate: chainLifetime(loadConfig(env).verifier.certificateChainPem),
    /** Summary of the relying parties' own chains. */
    relyingPartyCertificates,
    trustLists: await trustListHealth(env, entries, now),
    isStorageWritable: isWritable,
  }
}
