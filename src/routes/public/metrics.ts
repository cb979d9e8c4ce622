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
    {
      name: 'boot',
      help: 'This process.',
      samples: [{ labels: { boot_id: configOf(env).bootId ?? '' }, value: 1 }],
    },
    {
      name: 'alarms_repaired',
      help: 'Lost alarms that the start set again.',
      samples: [{ labels: {}, value: configOf(env).alarmsRepaired }],
    },
    {
      name: 'certificate_expires_in_seconds',
      help: 'Until a verifier certificate expires.',
      samples: [
        ...until(verifierCertificate?.expiresAt, { of: 'service' }),
        ...until(relyingPartyCertificates.nextExpiry, { of: 'relying_parties' }),
      ],
    },
    {
      name: 'certificates_expired',
      help: "Relying parties' own.",
      samples: [{ labels: {}, value: relyingPartyCertificates.expired }],
    },
    {
      name: 'storage_writable',
      help: 'Whether storage can be written.',
      samples: [{ labels: {}, value: isStorageWritable ? 1 : 0 }],
    },
    {
      name: 'trust_list_usable',
      help: 'Whether it vouches for anybody.',
      samples: trustLists.map(({ name, isUsable }) => ({
        labels: { trust_list: name },
        value: isUsable ? 1 : 0,
      })),
    },
    {
      name: 'trust_list_usable_for_seconds',
      help: 'Until it is stale.',
      samples: trustLists.flatMap(({ name, usableUntil }) => until(usableUntil, { trust_list: name })),
    },
  ]
}

type Sample = Gauge['samples'][number]
