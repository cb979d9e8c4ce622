// `/metrics` (docs/operating.md): counts of this process since its start, and the health of certificates and
// trust lists. On Cloudflare the route sends 404, because one isolate has only its own counts. There,
// Analytics Engine has the counts of all isolates.

import { waitUntil } from 'cloudflare:workers'
import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { CONTENT_TYPES, formatFor, type Gauge, writeMetrics } from '../../metrics/exposition.ts'
import { processGauges } from '../../metrics/process-measures.ts'
import { readCounts } from '../../metrics/record.ts'
import { isStorageWritable, sessionCountsStub } from '../../relying-party/directory.ts'
import type { SessionCounts } from '../../relying-party/session-counts.ts'
import { inBackground } from '../../session/store/background.ts'
import { collectedNotes, storeNotes } from '../../session/store/session-notes.ts'
import { VERSION } from '../../version.ts'
import { cameByCloudflare, readTable } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { judgeReadiness } from './readiness.ts'
import { readSource, serviceHealth } from './service-health.ts'

/** Sends the metrics, in a format that the caller accepts. The route requires a token. */
export async function sendMetrics(c: AppContext): Promise<Response> {
  if (cameByCloudflare(c.req.raw)) return problem(c, 'not_found')
  const now = Date.now()
  const [health, sessions] = await Promise.all([healthGauges(c, now), sessionGauges(c, now)])
  const gauges = [...health, ...sessions, ...processGauges()]
  const format = formatFor(c.req.header('Accept'))
  const help = await readTable<Record<string, string>>(c.env.ASSETS, 'metrics.json').catch(() => ({}))
  return c.body(writeMetrics(format, { counted: readCounts, gauges, help }), 200, {
    'Content-Type': CONTENT_TYPES[format],
    'Cache-Control': 'no-store',
    Vary: 'Accept',
  })
}

/**
 * Returns the gauges of the health at `now` (Unix milliseconds). A value that cannot be read has no sample.
 */
async function healthGauges({ env }: AppContext, now: number): Promise<readonly Gauge[]> {
  const health = await serviceHealth(env, now)
  const { isReady, warnings } = judgeReadiness(env, health, now)
  const { verifierCertificate, relyingPartyCertificates } = health
  const trustLists = health.trustLists ?? []
  // null: there is no expiry. 0: the list cannot be read or was never fetched. Both give no sample.
  const until = (time: number | null | undefined, labels: Sample['labels']): readonly Sample[] =>
    time ? [{ labels, value: (time - now) / 1000 }] : []
  return [
    gauge('build_info', [{ labels: { version: VERSION }, value: 1 }]),
    gauge('boot', [{ labels: { boot_id: loadConfig(env).bootId ?? '' }, value: 1 }]),
    gauge('alarms_repaired', [{ labels: {}, value: loadConfig(env).alarmsRepaired }]),
    gauge('ready', [{ labels: {}, value: isReady ? 1 : 0 }]),
    gauge(
      'warning',
      warnings.map(({ code }) => ({ labels: { code }, value: 1 })),
    ),
    gauge('certificate_expires_in_seconds', [
      ...until(verifierCertificate?.expiresAt, { of: 'service' }),
      ...until(relyingPartyCertificates?.nextExpiry, { of: 'relying_parties' }),
    ]),
    gauge(
      'certificates_expired',
      relyingPartyCertificates === null ? [] : [{ labels: {}, value: relyingPartyCertificates.expired }],
    ),
    gauge('storage_writable', [{ labels: {}, value: health.isStorageWritable ? 1 : 0 }]),
    gauge(
      'trust_list_usable',
      trustLists.map(({ name, isUsable }) => ({ labels: { trust_list: name }, value: isUsable ? 1 : 0 })),
    ),
    gauge(
      'trust_list_usable_for_seconds',
      trustLists.flatMap(({ name, usableUntil }) => until(usableUntil, { trust_list: name })),
    ),
  ]
}

/** Returns the gauges of all sessions. If they cannot be counted, the gauges have no sample. */
async function sessionGauges({ env }: AppContext, now: number): Promise<readonly Gauge[]> {
  const counts = (await readSource('sessions', () => countSessions(env, now))) ?? []
  const each = (read: (count: SessionCounts) => number) =>
    counts.map((count) => ({ labels: { mode: count.livemode ? 'live' : 'test' }, value: read(count) }))
  return [
    gauge(
      'sessions_pending',
      each(({ pending }) => pending),
    ),
    gauge(
      'webhooks_queued',
      each(({ queuedEvents }) => queuedEvents),
    ),
    gauge(
      'webhooks_dead',
      each(({ deadEvents }) => deadEvents),
    ),
  ]
}

/**
 * Counts the sessions by their stored notes and by their notes in memory. So the counts need no write first.
 * The notes in memory are stored afterwards.
 */
async function countSessions(env: Env, now: number): Promise<readonly SessionCounts[]> {
  const counts = await sessionCountsStub(env).sessionCounts(now, collectedNotes())
  waitUntil(
    inBackground(async () => {
      // A failed write would stop the object that counts the sessions.
      if (await isStorageWritable(env, now)) await storeNotes(env)
    }),
  )
  return counts
}

function gauge(name: string, samples: readonly Sample[]): Gauge {
  return { name, samples }
}

type Sample = Gauge['samples'][number]
