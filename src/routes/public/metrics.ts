// `/metrics` (docs/operating.md): counts of this process since its start, and the health of its certificate
// and lists. On Cloudflare one isolate is one of many, so the route is 404 there: Analytics Engine has the
// counts of all.

import { configOf } from '../../config.ts'
import { type Gauge, OPEN_METRICS_TYPE, writeOpenMetrics } from '../../metrics/open-metrics.ts'
import { countsOf } from '../../metrics/record.ts'
import { cameByCloudflare } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { serviceHealth } from './service-health.ts'

/** Sends the metrics. The route requires the operator's token. */
export async function sendMetrics(c: AppContext): Promise<Response> {
  if (cameByCloudflare(c.req.raw)) return problem(c, 'not_found')
  const gauges = await gaugesAt(c, Date.now())
  return c.body(writeOpenMetrics(countsOf, gauges), 200, {
    'Content-Type': OPEN_METRICS_TYPE,
    'Cache-Control': 'no-store',
  })
}

/** Returns the gauges at `now` (Unix milliseconds). */
async function gaugesAt({ env }: AppContext, now: number): Promise<readonly Gauge[]> {
  const { verifierCertificate, relyingPartyCertificates, trustLists, isStorageWritable } =
    await serviceHealth(env, now)
  // No sample for a time without an end (null), or that never began (0).
  const until = (time: number | null | undefined, labels: Sample['labels']): readonly Sample[] =>
    time ? [{ labels, value: (time - now) / 1000 }] : []
  return [
    gauge('boot', 'This process.', [{ labels: { boot_id: configOf(env).bootId ?? '' }, value: 1 }]),
    gauge('alarms_repaired', 'Lost alarms that the start set again.', [
      { labels: {}, value: configOf(env).alarmsRepaired },
    ]),
    gauge('certificate_expires_in_seconds', 'Until a verifier certificate expires.', [
      ...until(verifierCertificate?.expiresAt, { of: 'service' }),
      ...until(relyingPartyCertificates.nextExpiry, { of: 'relying_parties' }),
    ]),
    gauge('certificates_expired', "Relying parties' own.", [
      { labels: {}, value: relyingPartyCertificates.expired },
    ]),
    gauge('storage_writable', 'Whether storage can be written.', [
      { labels: {}, value: isStorageWritable ? 1 : 0 },
    ]),
    gauge(
      'trust_list_usable',
      'Whether it vouches for anybody.',
      trustLists.map(({ name, isUsable }) => ({ labels: { trust_list: name }, value: isUsable ? 1 : 0 })),
    ),
    gauge(
      'trust_list_usable_for_seconds',
      'Until it is stale.',
      trustLists.flatMap(({ name, usableUntil }) => until(usableUntil, { trust_list: name })),
    ),
  ]
}

function gauge(name: string, help: string, samples: readonly Sample[]): Gauge {
  return { name, help, samples }
}

type Sample = Gauge['samples'][number]
