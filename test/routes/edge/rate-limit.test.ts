import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Env } from '../../../src/env.ts'
import {
  clientAddress,
  limitCreations,
  memoryBucket,
  takeWalletCall,
} from '../../../src/routes/edge/rate-limit.ts'
import { call, edgeApp, json } from './edge-app.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

/** The service where the platform binds no rate limiter. */
const { CREATION_RATE_LIMIT: _, WALLET_RATE_LIMIT: __, ...bare } = env

const app = edgeApp((routes) => {
  routes.get(
    '/test/create/:key',
    async (c) => (await limitCreations(c, c.req.param('key'))) ?? c.text('created'),
  )
  routes.get('/test/wallet', async (c) => c.json(await takeWalletCall(c)))
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a bucket in memory', () => {
  it('allows as many calls at once as its limit, then as many as the elapsed time has refilled', () => {
    const take = memoryBucket({ limit: 10, period: 1000 })
    const taken = (now: number, tries: number) =>
      Array.from({ length: tries }, () => take('key', now)).filter(Boolean).length
    expect(taken(NOW, 20)).toBe(10)
    expect(taken(NOW + 99, 5)).toBe(0)
    expect(taken(NOW + 100, 5)).toBe(1)
    expect(taken(NOW + 600, 20)).toBe(5)
    expect(taken(NOW + 60_000, 20)).toBe(10)
  })

  it('limits each key separately', () => {
    const take = memoryBucket({ limit: 1, period: 1000 })
    expect([take('a', NOW), take('a', NOW), take('b', NOW)]).toEqual([true, false, true])
  })

  it('refills nothing while the clock runs backwards', () => {
    const take = memoryBucket({ limit: 1, period: 1000 })
    expect([take('a', NOW), take('a', NOW - 60_000), take('a', NOW - 60_000)]).toEqual([true, false, false])
  })

  it('allows one more call after a call is given back, but never more calls at once than its limit', () => {
    const take = memoryBucket({ limit: 2, period: 1000 })
    const tries = () => Array.from({ length: 3 }, () => take('key', NOW))
    expect(tries()).toEqual([true, true, false])
    take('key', NOW, -1)
    expect(tries()).toEqual([true, false, false])
    for (let i = 0; i < 5; i++) take('key', NOW, -1)
    expect(tries()).toEqual([true, true, false])
  })

  it('drops the least recently used key first when it is full', () => {
    const take = memoryBucket({ limit: 1, period: 1000 }, 2)
    take('a', NOW)
    take('b', NOW)
    take('a', NOW) // refused, but used
    take('c', NOW)
    expect([take('a', NOW), take('b', NOW)]).toEqual([false, true])
  })
})

describe('creations of sessions', () => {
  const codes = async (key: string, tries: number, world: Env = bare) => {
    const all = await Promise.all(
      Array.from({ length: tries }, () => call(app, 'GET', `/test/create/${key}`, { env: world })),
    )
    return all.map(({ status }) => status)
  }

  it('are limited to 100 a second for each key, then get 429 with Retry-After', async () => {
    const statuses = await codes('one', 101)
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    const response = await call(app, 'GET', '/test/create/one', { env: bare })
    expect(response.headers.get('Retry-After')).toBe('1')
    expect([response.status, (await json(response)).code]).toEqual([429, 'rate_limited'])
    expect(await codes('two', 1)).toEqual([200])
    vi.setSystemTime(NOW + 1000)
    expect(await codes('one', 1)).toEqual([200])
  })

  it('are limited for each key by the platform’s limiter if the platform has a limiter', async () => {
    const limit = vi.fn(async () => ({ success: false }))
    expect(await codes('three', 1, { ...env, CREATION_RATE_LIMIT: { limit } })).toEqual([429])
    expect(limit).toHaveBeenCalledWith({ key: 'three' })
  })

  it('are limited by the bucket in memory if the platform’s limiter fails', async () => {
    const limit = () => Promise.reject(new Error('limiter down'))
    const statuses = await codes('four', 101, { ...env, CREATION_RATE_LIMIT: { limit } })
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  })
})

describe('calls of wallets', () => {
  const world = { ...bare, CLIENT_IP_HEADER: 'x-client-ip' }

  it('are limited to 60 in 10 s for each IP address', async () => {
    const from = async (address: string, tries: number) => {
      const headers = { 'x-client-ip': address }
      const all = Array.from({ length: tries }, () =>
        json(call(app, 'GET', '/test/wallet', { headers, env: world })),
      )
      return (await Promise.all(all)).filter(Boolean).length
    }
    expect(await from('192.0.2.1', 70)).toBe(60)
    expect(await from('192.0.2.2', 1)).toBe(1)
    vi.setSystemTime(NOW + 5000)
    expect(await from('192.0.2.1', 70)).toBe(30)
  })

  it('calls of wallets from one IPv6 network of 64 bits share one limit', async () => {
    const from = async (addresses: readonly string[]) => {
      const all = addresses.map((address) =>
        json(call(app, 'GET', '/test/wallet', { headers: { 'x-client-ip': address }, env: world })),
      )
      return (await Promise.all(all)).filter(Boolean).length
    }
    const many = Array.from({ length: 70 }, (_, i) => `2001:db8:1:2:${i}::${i}`)
    expect(await from(many)).toBe(60)
    expect(await from(['2001:db8:1:3::1'])).toBe(1)
  })

  it('calls of wallets from an unknown IP address are not limited by address', async () => {
    const all = Array.from({ length: 70 }, () => json(call(app, 'GET', '/test/wallet', { env: world })))
    expect((await Promise.all(all)).every(Boolean)).toBe(true)
  })
})

describe('the caller’s IP address', () => {
  const request = (isCloudflare: boolean) => {
    const headers = { 'cf-connecting-ip': '192.0.2.7', 'x-real-ip': '192.0.2.8' }
    const cf = isCloudflare ? { colo: 'AMS' } : { clientIp: '192.0.2.9:1234' } // what workerd sets by itself
    return new Request('https://verifier.example', { headers, cf })
  }

  it('is read from Cloudflare’s header only if the request came through Cloudflare', () => {
    expect(clientAddress(request(true), null)).toBe('192.0.2.7')
    expect(clientAddress(request(false), null)).toBeUndefined()
  })

  it.each([
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff:1:2:3', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::ffff:192.0.2.8', 'ffff:c000:208'],
    ['::FFFF:c000:208', 'ffff:c000:208'],
    ['192.0.2.8', '192.0.2.8'],
    ['192.0.2.8:4711', '192.0.2.8:4711'],
    ['not:an:address', 'not:an:address'],
  ])('%s is counted as %s', (address, network) => {
    const headers = { 'x-real-ip': address }
    expect(clientAddress(new Request('https://verifier.example', { headers }), 'x-real-ip')).toBe(network)
  })

  it('is read from the header that the operator configured', () => {
    expect(clientAddress(request(true), 'x-real-ip')).toBe('192.0.2.8')
    expect(clientAddress(request(false), 'x-absent')).toBeUndefined()
  })
})
