// Fetches and lifetime of a list (Token Status List §8.4), with a given clock.

import { generateKeyPair } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { FETCH_CACHE } from '../../../src/limits.ts'
import type { FetchError, FetchResource } from '../../../src/net/guarded-fetch.ts'
import { STATUS_LIST_JWT } from '../../../src/trust/status/status-jwt.ts'
import { checkStatus } from '../../../src/trust/status/status-list.ts'
import { NOW } from '../fixtures.ts'
import { context, deflate, goodClaims, jwksAnchor, makeJwt, URI, web, word } from './status-fixtures.ts'

const good = await makeJwt()
const stranger = jwksAnchor({ issuer: 'https://other.example' })

async function ask(fetchResource: FetchResource, now = NOW, uri = URI, index = 2): Promise<string> {
  return word(await checkStatus({ uri, index, form: STATUS_LIST_JWT }, context({ fetchResource, now })))
}

/** Number of fetches after look-ups at these seconds after the first look-up. */
async function fetchesAt(answer: string | { fault: FetchError }, seconds: readonly number[]) {
  const { fetchResource, asked } = web(async () => answer)
  await ask(fetchResource)
  const counts: number[] = []
  for (const each of seconds) {
    await ask(fetchResource, NOW + each)
    counts.push(asked.length)
  }
  return counts
}

describe('a status list', () => {
  it('is fetched once for all its entries', async () => {
    const { fetchResource, asked } = web(async () => good)
    expect(await ask(fetchResource, NOW, URI, 0)).toBe('invalid')
    expect(await ask(fetchResource, NOW, URI, 1)).toBe('suspended')
    expect(await ask(fetchResource, NOW, URI, 12)).toBe('index_out_of_range')
    expect(asked.length).toBe(1)
  })

  it('is fetched once for all callers at the same time', async () => {
    const { fetchResource, asked } = web(async () => good)
    const found = await Promise.all([0, 1, 2, 3].map((index) => ask(fetchResource, NOW, URI, index)))
    expect(found).toEqual(['invalid', 'suspended', 'valid', 'other'])
    expect(asked.length).toBe(1)
  })

  it('is fetched again for a later request if the first fetch takes too long', async () => {
    let answer: (body: string) => void = () => {}
    const first = new Promise<string>((resolve) => {
      answer = resolve
    })
    const bodies = [first, Promise.resolve(good)]
    const { fetchResource, asked } = web(() => bodies.shift() as Promise<string>)
    const hanging = ask(fetchResource)
    expect(await ask(fetchResource, NOW + FETCH_CACHE.pendingSeconds + 1)).toBe('valid')
    expect(asked.length).toBe(2)
    answer(good)
    expect(await hanging).toBe('valid')
  })

  it('is fetched again for a waiting request if the first fetch never ends', async () => {
    vi.useFakeTimers()
    const bodies = [new Promise<string>(() => undefined), Promise.resolve(good)]
    const { fetchResource } = web(() => bodies.shift() as Promise<string>)
    void ask(fetchResource)
    const waiting = ask(fetchResource)
    await vi.advanceTimersByTimeAsync(FETCH_CACHE.pendingSeconds * 1000)
    vi.useRealTimers()
    expect(await waiting).toBe('valid')
  })

  it('is used for its `ttl`', async () => {
    expect(await fetchesAt(good, [599, 600])).toEqual([1, 2])
  })

  it('is used for five minutes without a `ttl`', async () => {
    expect(await fetchesAt(await makeJwt({ ttl: undefined }), [299, 300])).toEqual([1, 2])
  })

  it('is used for at most one day, even if its `ttl` is longer', async () => {
    const long = await makeJwt({ ttl: 1e9, exp: undefined })
    expect(await fetchesAt(long, [86_399, 86_400])).toEqual([1, 2])
  })

  it('is used for at least three seconds, even if its `ttl` is shorter', async () => {
    expect(await fetchesAt(await makeJwt({ ttl: 0.1 }), [2, 3])).toEqual([1, 2])
  })

  it('is not used after its `exp`, even if its `ttl` is longer', async () => {
    const bodies = [await makeJwt({ exp: NOW + 10 }), good]
    const { fetchResource } = web(async () => bodies.shift() as string)
    expect(await ask(fetchResource, NOW)).toBe('valid')
    expect(await ask(fetchResource, NOW + 10)).toBe('valid') // the second one
    expect(bodies).toEqual([])
  })

  it('is fetched again if the clock was set back by more than its `ttl`', async () => {
    expect(await fetchesAt(good, [-599, -1200])).toEqual([1, 2])
  })

  it('reports the time of its fetch as `asOf`, even if it is used later', async () => {
    const { fetchResource } = web(async () => good)
    const reference = { uri: URI, index: 2, form: STATUS_LIST_JWT } as const
    for (const now of [NOW, NOW + 7]) {
      const found = await checkStatus(reference, context({ fetchResource, now }))
      expect(found).toEqual({ ok: true, value: { status: 'valid', asOf: NOW } })
    }
  })

  it('is cached only for the fetch function that fetched it', async () => {
    await ask(web(async () => good).fetchResource)
    const none = web(async () => ({ fault: 'forbidden' }))
    expect(await ask(none.fetchResource)).toBe('address_forbidden')
  })

  it('a cached status list is not trusted if no anchor of the later request trusts its signer', async () => {
    const { fetchResource, asked } = web(async () => good)
    expect(await ask(fetchResource)).toBe('valid')
    const reference = { uri: URI, index: 2, form: STATUS_LIST_JWT } as const
    const found = await checkStatus(reference, context({ fetchResource, anchors: [stranger] }))
    expect(word(found)).toBe('untrusted_signer')
    expect(asked.length).toBe(1)
  })
})

describe('a failed status list', () => {
  it.each<FetchError>(['unavailable', 'forbidden', 'too_large'])(
    'is cached for two seconds if its fetch fails with %s',
    async (fault) => {
      expect(await fetchesAt({ fault }, [1, 2])).toEqual([1, 2])
    },
  )

  it('is cached for two seconds if it cannot be decoded', async () => {
    expect(await fetchesAt('junk', [1, 2])).toEqual([1, 2])
  })

  it('is cached for two seconds if its signature is invalid, whatever its `ttl` is', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    expect(await fetchesAt(await makeJwt({}, {}, privateKey), [1, 2])).toEqual([1, 2])
  })
})

describe('the cache of status lists', () => {
  it('has a limited number of lists, and drops the oldest list first', async () => {
    const { fetchResource, asked } = web(async () => makeJwt({ sub: asked.at(-1)?.url }))
    for (let i = 0; i <= FETCH_CACHE.names; i++) await ask(fetchResource, NOW, `${URI}/${i}`)
    const before = asked.length
    expect(await ask(fetchResource, NOW, `${URI}/1`)).toBe('valid')
    expect(asked.length).toBe(before)
    expect(await ask(fetchResource, NOW, `${URI}/0`)).toBe('valid')
    expect(asked.length).toBe(before + 1)
  })

  it('has a limited number of bytes, and drops the oldest list first', async () => {
    // Hardly compressible: with its decoded parts, one list takes more than a third of the cache.
    const bytes = crypto.getRandomValues(new Uint8Array(65_536))
    const noise = Uint8Array.from(
      { length: 600_000 },
      (_, i) => bytes[i % 65_536]! ^ ((i * 2654435761) >>> 24),
    )
    noise[0] = 0
    const status_list = { ...goodClaims.status_list, bits: 8, lst: encodeBase64url(deflate(noise)) }
    const { fetchResource, asked } = web(async () => makeJwt({ sub: asked.at(-1)?.url, status_list }))
    const lists = [1, 2, 3, 4].map((i) => `${URI}/${i}`)
    for (const uri of lists) expect(await ask(fetchResource, NOW, uri, 0)).toBe('valid')
    await ask(fetchResource, NOW, lists[3], 0)
    expect(asked.length).toBe(4)
    await ask(fetchResource, NOW, lists[0], 0)
    expect(asked.length).toBe(5)
  })
})
