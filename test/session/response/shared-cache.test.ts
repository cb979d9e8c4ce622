// The Cache API behind the core's shared cache, in workerd.

import 'cloudflare:test' // the Cache API exists in workerd only

import { afterEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import { createSharedCache } from '../../../src/session/response/shared-cache.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z') / 1000
const LIMIT = 1000
const cache = createSharedCache('https://verifier.example/fetched/test')
const copy = { body: utf8('a list'), fetchedAt: NOW }

afterEach(() => {
  vi.restoreAllMocks()
})

/** An address that no other test writes to. */
const fresh = () => `jwt https://status.example/${crypto.randomUUID()}`

describe('a cached copy', () => {
  it('is returned unchanged, with the time of its fetch', async () => {
    const name = fresh()
    expect(await cache.get(name, LIMIT)).toBeUndefined()
    await cache.put(name, copy, 60)
    expect(await cache.get(name, LIMIT)).toEqual(copy)
    expect(await cache.get(fresh(), LIMIT)).toBeUndefined()
  })

  it('is not returned in live mode if it was stored in test mode', async () => {
    const name = fresh()
    await cache.put(name, copy, 60)
    expect(await createSharedCache('https://verifier.example/fetched/live').get(name, LIMIT)).toBeUndefined()
  })

  it('is not returned if it is larger than the limit', async () => {
    const name = fresh()
    await cache.put(name, copy, 60)
    expect(await cache.get(name, copy.body.length)).toEqual(copy)
    expect(await cache.get(name, copy.body.length - 1)).toBeUndefined()
  })

  it('is stored for the given time, under a key that does not reveal its address', async () => {
    const put = vi.spyOn(caches.default, 'put')
    await cache.put('jwt https://status.example/secret', copy, 60)
    const [address, response] = put.mock.calls[0] ?? []
    expect(address).toMatch(/^https:\/\/verifier\.example\/fetched\/test\/[0-9a-f]{64}$/)
    expect(response?.headers.get('Cache-Control')).toBe('max-age=60')
  })

  it('is ignored if the time of its fetch is missing', async () => {
    const foreign = new Response('a list', { headers: { 'Cache-Control': 'max-age=60' } })
    vi.spyOn(caches.default, 'match').mockResolvedValue(foreign)
    expect(await cache.get(fresh(), LIMIT)).toBeUndefined()
  })
})

it('the cache stores nothing and throws nothing if the platform has no cache', async () => {
  const none = () => {
    throw new Error('no cache here')
  }
  vi.spyOn(caches.default, 'match').mockImplementation(none)
  vi.spyOn(caches.default, 'put').mockImplementation(none)
  await expect(cache.put(fresh(), copy, 60)).resolves.toBeUndefined()
  await expect(cache.get(fresh(), LIMIT)).resolves.toBeUndefined()
})
