// A session with the client of openapi-typescript and openapi-fetch: generated with default options.

import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'

type Event = components['schemas']['Event'] | components['schemas']['TestEvent']

const env = (name: string): string => process.env[name] ?? assert.fail(`${name} is not set`)
const client = createClient<paths>({
  baseUrl: env('VERIFIER_URL'),
  headers: { Authorization: `Bearer ${env('VERIFIER_API_KEY')}` },
})

const received: Event[] = []
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const isGood = isSigned(body, String(request.headers['x-service-signature']))
  if (isGood) received.push(JSON.parse(body) as Event)
  response.writeHead(isGood ? 204 : 400).end()
}).listen(Number(env('PORT')), '127.0.0.1')

// Only what is asked: every other member of a creation has a default.
const body = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
const verifiedId = await create()
const produced = await client.POST('/v1/test/verify/{id}/outcome', {
  params: { path: { id: verifiedId } },
  body: { reason: 'verified' },
})
assert.equal(produced.data?.verification.status, 'verified')

const read = await client.GET('/v1/verify/{id}', {
  params: { path: { id: verifiedId }, query: { wait: 1, after_version: 1 } },
})
const view = read.data ?? assert.fail(read.error.title)
assert(view.object === 'verification') // narrows the union
assert.equal(view.checks?.age_over_18, true)
const status: string = view.status // a later version may add values

const declinedId = await create()
await client.POST('/v1/test/verify/{id}/outcome', {
  params: { path: { id: declinedId } },
  body: { reason: 'access_denied' },
})
const declined = await client.GET('/v1/verify/{id}', { params: { path: { id: declinedId } } })
assert.equal(declined.data?.status, 'declined')

const wrong = await client.POST('/v1/verify', { body: { ...body, scope: ['shoe_size'] } })
assert.equal(wrong.error?.code, 'unsupported_scope')
assert.equal(wrong.error.errors[0]?.pointer, '/scope/0')

// An event is listed soon after its outcome.
const listEvents = () => client.GET('/v1/events', { params: { query: { limit: 1 } } })
let page = await listEvents()
while (page.data?.has_more === false) page = await listEvents()
assert.deepEqual([page.data?.events.length, page.data?.has_more], [1, true])

const tested = await client.POST('/v1/webhook/test')
assert.equal(tested.data?.event.event_type, 'webhook.test')

while (received.length < 3) await new Promise((resolve) => setTimeout(resolve, 50))
assert.deepEqual(received.map((event) => event.event_type).sort(), [
  'verification.declined',
  'verification.verified',
  'webhook.test',
])
receiver.close()
console.log(`${status}, ${declined.data?.status}, ${received.length} signed events`)

async function create(): Promise<string> {
  const created = await client.POST('/v1/verify', { body })
  return created.data?.verification_id ?? assert.fail(created.error?.title)
}

function isSigned(payload: string, header: string): boolean {
  const [, time = '', mac = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false
  const expected = createHmac('sha256', env('WEBHOOK_SECRET')).update(`${time}.${payload}`).digest()
  return timingSafeEqual(expected, Buffer.from(mac.padEnd(64, '0'), 'hex'))
}
