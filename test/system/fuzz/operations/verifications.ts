// Good requests of a relying party about its verifications.

import { expectStatus, OVER_18, type RelyingParty } from '../../../support/service/service.ts'
import { WAIT } from '../../../support/wait.ts'
import { drawGoodQuery, drawTime, type Pair } from '../parameters.ts'
import type { Recipe } from './operation.ts'
import { FAILURE_RETURN_URL, RETURN_URL, type World } from './world.ts'

const CREATIONS: readonly object[] = [
  OVER_18,
  { ...OVER_18, metadata: { order: '4711' }, locale: 'de', purpose: 'Wine is sold to adults.' },
  { ...OVER_18, credential_types: ['pid', 'age_attestation'], credential_match: 'any', expires_in: 60 },
  { ...OVER_18, required_session_binding: 'page' },
  { ...OVER_18, return_url: RETURN_URL, required_session_binding: 'relying_party' },
  { ...OVER_18, return_url: RETURN_URL, failure_return_url: FAILURE_RETURN_URL, anchor_sets: ['banks'] },
  { ...OVER_18, request_options: { response_mode: 'direct_post' }, qr_code: false },
  { credential_types: ['pid'], scope: ['family_name', 'birthdate'], required_assurance_level: 'low' },
]

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03'

/** A session in any status. */
const anySession: Recipe = async ({ stable, sessions }, random) => {
  const { verification_id: id } = random.pick(await sessions())
  return { path: { id }, token: stable.api_key }
}

/** A session of its own, which the request may end. */
const newSession: Recipe = async ({ stable, session }) => {
  const { verification_id: id } = await session()
  return { path: { id }, token: stable.api_key }
}

/** A session whose evidence can be read and erased. */
const withEvidence: Recipe = async ({ kept }) => {
  const { id, token } = await kept()
  return { path: { id }, token }
}

export const VERIFICATIONS = {
  'POST /v1/verify': ({ stable }, random) => ({
    token: stable.api_key,
    json: random.pick(CREATIONS),
    headers: random.pick([{}, { 'idempotency-key': `key-${random.below(1e9)}` }, { traceparent: TRACE }]),
  }),
  'GET /v1/verify': async ({ stable, sessions }, random) => {
    await sessions()
    const metadata: readonly Pair[] = random.below(8) === 0 ? [['metadata.order', '4711']] : []
    const query = [...drawGoodQuery(random, 'GET /v1/verify'), ...metadata]
    return { token: stable.api_key, query: random.below(3) === 0 ? await nextPage(stable, query) : query }
  },
  'GET /v1/verify/:id': async ({ stable, sessions }, random) => {
    const { verification_id: id, client_token } = random.pick(await sessions())
    const token = random.pick([stable.api_key, client_token])
    // A long poll for a version above 0 returns at once.
    const query: readonly Pair[] = [
      ['wait', '1'],
      ['after_version', '0'],
    ]
    return { path: { id }, token, query: query.slice(0, random.pick([0, 2])) }
  },
  'DELETE /v1/verify/:id': newSession,
  'POST /v1/verify/:id/cancel': newSession,
  'POST /v1/test/verify/:id/outcome': async (world, random) => ({
    ...(await newSession(world, random)),
    json: { reason: random.pick(['verified', 'session_expired', 'access_denied', 'value_mismatch']) },
  }),
  'GET /v1/verify/:id/openid4vp': newSession,
  'GET /v1/verify/:id/qr': async ({ stable, session }, random) => {
    const { verification_id: id, client_token } = await session()
    const accept = random.pick(['*/*', 'image/png', 'image/svg+xml;q=0.9, image/*;q=0.1'])
    return { path: { id }, token: random.pick([stable.api_key, client_token]), headers: { accept } }
  },
  'POST /v1/verify/:id/return': async ({ stable, returned }) => {
    const { session, browser, redirectUri } = await returned()
    const address = new URL(await browser.comeBack(redirectUri))
    const json = { return_code: address.searchParams.get('return_code') }
    return { path: { id: session.verification_id }, token: stable.api_key, json }
  },
  'GET /v1/verify/:id/receipt': async ({ stable, verified }) => ({
    path: { id: (await verified()).verification_id },
    token: stable.api_key,
  }),
  'GET /v1/verify/:id/evidence': withEvidence,
  'DELETE /v1/verify/:id/evidence': withEvidence,
  'GET /v1/evidence/materials/:sha256': async ({ material }) => {
    const { sha256, token } = await material()
    return { path: { sha256 }, token }
  },
  'GET /v1/verify/:id/timeline': anySession,
  'GET /v1/verify/:id/deliveries': anySession,
  'POST /v1/verify/:id/deliveries/:delivery/redeliver': async (world) => {
    const { id, delivery } = await deliveryOf(world)
    return { path: { id, delivery }, token: world.stable.api_key }
  },
  'POST /v1/webhook/redeliver': async ({ stable, verified }, random) => {
    await verified()
    const [from, to] = [-3_600_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const after = random.below(3) === 0 ? { after: await lastCursor(stable) } : {}
    return { token: stable.api_key, json: { from, to, ...after } }
  },
  'GET /v1/events': async ({ stable, verified }, random) => {
    await verified()
    const after = random.pick(['latest', await lastCursor(stable)])
    const query = drawGoodQuery(random, 'GET /v1/events')
    return { token: stable.api_key, query: random.below(4) === 0 ? query : [...query, ['after', after]] }
  },
  'GET /v1/insights': ({ stable }, random) => {
    const [one = '', other = ''] = [drawTime(random), drawTime(random)]
    const [from, to] = Date.parse(one) < Date.parse(other) ? [one, other] : [other, one]
    const step = drawGoodQuery(random, 'GET /v1/insights').filter(([name]) => name === 'step')
    return { token: stable.api_key, query: [['from', from], ['to', to], ...step] }
  },
  'GET /v1/wallets': ({ stable }) => ({ token: stable.api_key }),
} as const satisfies Readonly<Record<string, Recipe>>

/** Returns the query with the cursor of its second page, if it has one. */
async function nextPage(rp: RelyingParty, query: readonly Pair[]): Promise<readonly Pair[]> {
  const filters = query.filter(([name]) => name !== 'limit')
  const search = new URLSearchParams([...filters, ['limit', '1']].map(([...pair]) => pair))
  const page = await expectStatus(await rp.call('GET', `/v1/verify?${search}`), 200)
  const { next } = page as { next: string | null }
  return next === null ? query : [...query, ['after', next]]
}

async function lastCursor(rp: RelyingParty): Promise<string> {
  const page = await expectStatus(await rp.call('GET', '/v1/events?limit=1'), 200)
  return (page as { next: string }).next
}

/** Cancels a session, and returns the delivery of its event. */
async function deliveryOf({ stable, session }: World) {
  const { verification_id: id } = await session()
  await expectStatus(await stable.call('POST', `/v1/verify/${id}/cancel`), 200)
  for (const end = Date.now() + WAIT.timeout; ; ) {
    const log = await expectStatus(await stable.call('GET', `/v1/verify/${id}/deliveries`), 200)
    const [first] = (log as { deliveries: readonly { delivery_id: string }[] }).deliveries
    if (first !== undefined) return { id, delivery: first.delivery_id }
    if (Date.now() > end) throw new Error('the event of a canceled session has no delivery')
  }
}
