// Limits of the token endpoint (api/limits): by address before authentication, by client after it.

import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { call, createRelyingParty } from '../edge/edge-app.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const app = createApp()
const { TOKEN_RATE_LIMIT: _, ...bare } = env
const world = { ...bare, CLIENT_IP_HEADER: 'x-client-ip' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

type Client = { readonly relying_party_id: string; readonly api_key: string }

function ask(
  client: Client,
  address?: string,
  secret = client.api_key,
  inWorld: object = world,
): Promise<Response> {
  const form = { grant_type: 'client_credentials', client_id: client.relying_party_id, client_secret: secret }
  return call(app, 'POST', '/oauth/token', {
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(address !== undefined && { 'x-client-ip': address }),
    },
    body: `${new URLSearchParams(form)}`,
    env: inWorld as typeof env,
  })
}

async function statuses(asked: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(asked)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const times = (count: number, one: (index: number) => Promise<Response>) =>
  Array.from({ length: count }, (_, i) => one(i))

it('a client gets 60 tokens in 10 s, from all IP addresses together, then 429 as an OAuth error with Retry-After', async () => {
  const [client, other]: Client[] = [await createRelyingParty(), await createRelyingParty()]
  expect(await statuses(times(70, (i) => ask(client!, `192.0.2.${i}`)))).toEqual({ 200: 60, 429: 10 })
  const response = await ask(client!)
  expect(response.headers.get('Retry-After')).toBe('1')
  expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' })
  expect((await ask(other!)).status).toBe(200)
  vi.setSystemTime(NOW + 5_000)
  expect(await statuses(times(40, () => ask(client!)))).toEqual({ 200: 30, 429: 10 })
})

it('only a caller with the secret can use up the limit of a client', async () => {
  const client = await createRelyingParty()
  const wrong = `${client.api_key.slice(0, -1)}${client.api_key.endsWith('A') ? 'E' : 'A'}`
  expect(await statuses(times(100, (i) => ask(client, `198.51.100.${i}`, wrong)))).toEqual({ 401: 100 })
  expect((await ask(client)).status).toBe(200)
})

it('an IP address may make 60 calls in 10 s, for any client_id', async () => {
  const client = await createRelyingParty()
  expect(await statuses(times(70, () => ask(client, '203.0.113.1', 'junk')))).toEqual({ 401: 60, 429: 10 })
  expect((await ask(client, '203.0.113.1')).status).toBe(429)
  expect((await ask(client, '203.0.113.2')).status).toBe(200)
})

it('the platform’s limiter counts token calls if the platform has a limiter', async () => {
  const client = await createRelyingParty()
  const limit = vi.fn(async ({ key }: { key: string }) => ({ success: key.startsWith('address') }))
  const platform = { ...world, TOKEN_RATE_LIMIT: { limit } }
  expect((await ask(client, '203.0.113.9', client.api_key, platform)).status).toBe(429)
  const keys = limit.mock.calls.map(([{ key }]) => key)
  expect(keys).toEqual(['address 203.0.113.9', `client ${client.relying_party_id}`])
})
