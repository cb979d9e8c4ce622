// Metrics of a service that runs as one process: counters of objects and of the edge are in one place.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { mintIssuerPki } from '../support/certificates/certificates.ts'
import { ageOf, makeAuthority, makePerson } from '../support/people/person.ts'
import { type Family, readOpenMetrics } from '../support/reading/open-metrics.ts'
import { type Receiver, startReceiver } from '../support/service/receiver.ts'
import {
  type CreatedSession,
  OVER_18,
  type OwnService,
  type RelyingParty,
  startService,
} from '../support/service/service.ts'
import { settledDelivery } from '../support/service/stage.ts'
import { WAIT } from '../support/wait.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`

let service: OwnService
let receiver: Receiver
let rp: RelyingParty
let session: CreatedSession

/**
 * Creates one session that is refused once and then verified. Its event is delivered at the second attempt,
 * by hand.
 */
beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
  receiver.answer((_, index) => ({ status: index === 0 ? 500 : 200 }))
  const authority = await makeAuthority()
  const person = await makePerson(authority)
  rp = await service.relyingParty({ webhook: { url: receiver.url }, trust_anchors: [authority.anchor()] })
  session = await rp.create(OVER_18, { traceparent: TRACEPARENT })
  const request = await service.wallet.receive(session.wallet_request.uri)
  const stranger = await makePerson(await makeAuthority('https://stranger.example'))
  await service.wallet.present(request, await ageOf(stranger, request))
  await service.wallet.present(request, await ageOf(person, request))
  const { delivery_id } = await settledDelivery(rp, session.verification_id, 1)
  await rp.call('POST', `/v1/verify/${session.verification_id}/deliveries/${delivery_id}/redeliver`)
  await settledDelivery(rp, session.verification_id, 2)
})
afterAll(async () => {
  await receiver?.close()
  await service?.stop()
})

async function scrape(token: string | null = metricsToken(), accept = '*/*'): Promise<Response> {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  return service.fetch('/metrics', { headers: { accept, ...authorization } })
}

function metricsToken(): string {
  return readFileSync(join(service.server.stateDir, 'keys', 'metrics-token'), 'utf8')
}

async function scraped(name: string) {
  return samplesOf(readOpenMetrics(await (await scrape()).text()), name)
}

function samplesOf(families: readonly Family[], name: string) {
  const family = families.find((one) => `wallet_verifier_${name}` === one.name)
  return family?.samples.map(({ labels, value }) => ({ ...labels, value })) ?? []
}

it('GET /metrics shows counts of sessions, responses, webhooks and requests', async () => {
  const answer = await scrape()
  expect(answer.headers.get('content-type')).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  )
  const families = readOpenMetrics(await answer.text())
  const protocol = 'openid4vp-1.0'
  expect(samplesOf(families, 'sessions')).toEqual([{ protocol, mode: 'test', value: 1 }])
  const counted = { protocol, channel: 'qr', mode: 'test', value: 1 }
  expect(samplesOf(families, 'outcomes')).toEqual([
    { status: 'verified', reason: '', format: 'dc+sd-jwt', ...counted },
  ])
  expect(samplesOf(families, 'answers')).toEqual([
    { verdict: 'refused', reason: 'untrusted_issuer', ...counted },
    { verdict: 'decided', reason: '', ...counted },
  ])
  expect(samplesOf(families, 'webhook_attempts')).toEqual([
    { result: 'refused', attempt: '1', mode: 'test', value: 1 },
    { result: 'delivered', attempt: 'manual', mode: 'test', value: 1 },
  ])
  expect(samplesOf(families, 'requests')).toContainEqual({
    audience: 'wallet',
    method: 'POST',
    route: '/v1/verify/:id/callback',
    status: '200',
    value: 1,
  })
})

it('GET /metrics shows the remaining lifetime of the service’s certificate, and the boot id', async () => {
  const families = readOpenMetrics(await (await scrape()).text())
  const [certificate] = samplesOf(families, 'certificate_expires_in_seconds')
  expect(certificate).toMatchObject({ of: 'service' })
  expect(certificate?.value).toBeGreaterThan(300 * 86_400)
  const { boot_id } = (await (await service.fetch('/healthz')).json()) as { boot_id: string }
  expect(samplesOf(families, 'boot')).toEqual([{ boot_id, value: 1 }])
})

it('GET /metrics shows which trust lists are usable, and how long they remain usable', async () => {
  const services = [{ credential_types: ['pid'], assurance_level: 'high' }]
  const { pem } = (await mintIssuerPki()).root
  const url = 'http://127.0.0.1:9/list'
  const missing = {
    kind: 'etsi_lote',
    url,
    signers: [{ x509_ca_pem: pem }],
    services: [{ ...services[0], type: 'x' }],
  }
  for (const list of [
    { name: 'kept', kind: 'pem_bundle', pem, services },
    { name: 'missing', ...missing },
  ]) {
    const created = await service.fetch('/v1/admin/trust_lists', {
      method: 'POST',
      headers: { authorization: `Bearer ${service.server.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ livemode: false, ...list }),
    })
    expect(created.status, await created.clone().text()).toBe(201)
  }
  const families = readOpenMetrics(await (await scrape()).text())
  expect(samplesOf(families, 'trust_list_usable')).toEqual([
    { trust_list: 'kept', value: 1 },
    { trust_list: 'missing', value: 0 },
  ])
  expect(samplesOf(families, 'storage_writable')).toEqual([{ value: 1 }])
  // A bundle does not expire, and a list that was never fetched has no expiry.
  expect(samplesOf(families, 'trust_list_usable_for_seconds')).toEqual([])
  expect(samplesOf(families, 'fetches')).toEqual([
    { media_type: 'application/jose', result: 'unavailable', value: 1 },
  ])
})

it('GET /metrics contains no id, no address and no secret', async () => {
  const text = await (await scrape()).text()
  for (const known of [session.verification_id, rp.relying_party_id, rp.api_key, receiver.url, TRACE_ID]) {
    expect(text).not.toContain(known)
  }
})

it('GET /metrics requires the metrics token or the operator’s token', async () => {
  expect((await scrape(null)).status).toBe(401)
  expect((await scrape(rp.api_key)).status).toBe(401)
  expect((await scrape(service.server.adminToken)).status).toBe(200)
})

it('the metrics token gives access to GET /metrics only', async () => {
  const headers = { authorization: `Bearer ${metricsToken()}` }
  expect((await service.fetch('/v1/admin/relying_parties', { headers })).status).toBe(401)
})

it('GET /metrics shows the version, and the memory, descriptors and disk that the launcher measures', async () => {
  expect(await scraped('build_info')).toEqual([{ version: VERSION, value: 1 }])
  const measured = ['process_resident_memory_bytes', 'process_open_fds', 'process_max_fds']
  await vi.waitFor(
    async () => {
      const families = readOpenMetrics(await (await scrape()).text())
      const readGauge = (name: string) => families.find((one) => one.name === name)?.samples[0]?.value
      for (const name of measured) expect(readGauge(name), name).toBeGreaterThan(10)
      for (const name of ['state_bytes', 'state_free_bytes'])
        expect(readGauge(`wallet_verifier_${name}`), name).toBeGreaterThan(10_000)
    },
    { ...WAIT, interval: 200 },
  )
})

it.for([
  ['application/openmetrics-text', 'openmetrics.parser'],
  ['text/plain', 'parser'],
] as const)(
  'GET /metrics responds as %s, which the parser of Prometheus can read, if prometheus_client is installed',
  async ([accept, module], { skip }) => {
    const answer = await scrape(metricsToken(), accept)
    expect(answer.headers.get('content-type')).toMatch(new RegExp(`^${accept}; version=`))
    const program = `import sys
try:
    from prometheus_client.${module} import text_fd_to_metric_families as parse
except ModuleNotFoundError:
    sys.exit(77)
print(sum(len(family.samples) for family in parse(sys.stdin)))`
    const text = await answer.text()
    const run = spawnSync('python3', ['-c', program], { input: text, encoding: 'utf8' })
    if (run.error !== undefined || run.status === 77) return skip('prometheus_client is not installed')
    expect(run.stderr).toBe('')
    expect(Number(run.stdout)).toBe(text.split('\n').filter((line) => /^[a-z]/.test(line)).length)
  },
)

it('each webhook attempt of a session is a new span in the trace of the request that created the session', async () => {
  const traces = (await receiver.received(2)).map(({ headers }) => String(headers.traceparent))
  for (const trace of traces) expect(trace).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`))
  expect(new Set([TRACEPARENT, ...traces]).size).toBe(3)
})

it('only the log line of the create request contains the trace id of this request', () => {
  const lines = service.server
    .output()
    .split('\n')
    .filter((line) => line.includes(TRACE_ID))
  expect(lines.map((line) => JSON.parse(line).route)).toEqual(['/v1/verify'])
})

it.each(['docs/prometheus.rules.yml', 'docs/grafana.json'])(
  'every metric that %s names exists',
  async (file) => {
    const rules = readFileSync(file, 'utf8')
    const families = readOpenMetrics(await (await scrape()).text())
    const suffixes: Readonly<Record<string, readonly string[]>> = {
      counter: ['_total'],
      histogram: ['_bucket'],
    }
    const known = families.flatMap(({ name, type }) =>
      (suffixes[type] ?? ['']).map((suffix) => name + suffix),
    )
    const used = [...rules.matchAll(/\b(?:wallet_verifier|process)_\w+/g)].map(([name]) => name)
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter((name) => !known.includes(name))).toEqual([])
  },
)

describe('the session gauges', () => {
  const modes = (test: number) => [
    { mode: 'test', value: test },
    { mode: 'live', value: 0 },
  ]
  const GAUGES = ['sessions_pending', 'webhooks_queued', 'webhooks_dead']
  const counts = async () => {
    const families = readOpenMetrics(await (await scrape()).text())
    return GAUGES.map((name) => samplesOf(families, name))
  }

  it('change when a session is created, canceled with a queued event, or erased, and survive restarts and a kill', async () => {
    const failing = await startReceiver()
    failing.answer(() => ({ status: 500 }))
    expect(await counts()).toEqual([modes(0), modes(0), modes(0)])
    const party = await service.relyingParty({ webhook: { url: failing.url } })
    const [first, second] = [await party.create(OVER_18), await party.create(OVER_18)]
    expect(await counts()).toEqual([modes(2), modes(0), modes(0)])

    await party.call('POST', `/v1/verify/${first.verification_id}/cancel`)
    await settledDelivery(party, first.verification_id, 1)
    const waiting = [modes(1), modes(1), modes(0)]
    expect(await counts()).toEqual(waiting)

    await service.server.restart()
    expect(await counts()).toEqual(waiting)
    await service.server.kill9()
    await service.server.restart()
    expect(await counts()).toEqual(waiting)

    const third = await party.create(OVER_18)
    await service.server.restart() // nothing has read the gauges since the creation
    expect(await counts()).toEqual([modes(2), modes(1), modes(0)])
    await party.call('DELETE', `/v1/verify/${third.verification_id}`)

    await party.call('DELETE', `/v1/verify/${first.verification_id}`)
    await party.call('DELETE', `/v1/verify/${second.verification_id}`)
    expect(await counts()).toEqual([modes(0), modes(0), modes(0)])
    await failing.close()
  })
})
