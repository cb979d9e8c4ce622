// Health of everything that expires: the service's certificate, the certificates of its relying parties, and
// the operator's trust lists. `/readyz` sends this health as warnings, and `/metrics` as gauges. Monitors
// must get a response even while something is broken. So each source has its own time limit, and only a
// source that fails is left out.

import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { logLine } from '../../metrics/log-line.ts'
import { loggedError } from '../../metrics/platform-error.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { directoryStub, isStorageWritable } from '../../relying-party/directory.ts'
import { trustListHealth } from '../../relying-party/trust-lists/trust-lists.ts'
import { resumeAlarms } from '../../session/alarm/interrupted-alarms.ts'
import { chainLifetime } from '../../trust/x509/chain-lifetime.ts'

/** Time limit of each source. A monitor waits ten seconds by default. */
const SOURCE_MS = 7_000

export type ServiceHealth = Awaited<ReturnType<typeof serviceHealth>>

/** Returns the health at `now`. Times are Unix milliseconds. Rejects only for an invalid configuration. */
export async function serviceHealth(env: Env, now: number) {
  const { verifier } = loadConfig(env)
  const directory = directoryStub(env)
  const [trustLists, relyingPartyCertificates, isWritable] = await Promise.all([
    readSource('trust_lists', async () => trustListHealth(env, await directory.trustLists(), now)),
    readSource('relying_party_certificates', async () => directory.certificateDates(now)),
    isStorageWritable(env, now),
  ])
  if (isWritable) resumeAlarms(env, now)
  return {
    /** Lifetime of the service's certificate chain; `null` if it cannot be decoded. */
    verifierCertificate: chainLifetime(verifier.certificateChainPem),
    /** Summary of the relying parties' own chains; `null` if the directory cannot be read. */
    relyingPartyCertificates,
    /** Health of the operator's trust lists; `null` if the directory cannot be read. */
    trustLists,
    isStorageWritable: isWritable,
  }
}

/** Returns what `read` returns; `null` if `read` rejects or is too late. Both failures are logged. */
export async function readSource<T>(source: string, read: () => Promise<T>): Promise<T | null> {
  try {
    const value = await withDeadline(read(), SOURCE_MS, null)
    if (value === null) logLine('error', 'health_unreadable', { source, error: 'Timeout' })
    return value
  } catch (error) {
    logLine('error', 'health_unreadable', { source, ...loggedError(error) })
    return null
  }
}
