// Copies that isolates share: a copy saves a fetch, and is used no longer than the original.

import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import type { FetchResource } from '../../../src/net/guarded-fetch.ts'
import type { SharedCache, SharedCopy } from '../../../src/net/shared-cache.ts'
import { STATUS_LIST_JWT } from '../../../src/trust/status/status-jwt.ts'
import { checkStatus } from '../../../src/trust/status/status-list.ts'
import { NOW } from '../fixtures.ts'
import { context, jwksAnchor, makeJwt, URI, web, word } from './status-fixtures.ts'

const good = await makeJwt() // `ttl` 600, `exp` in 1000 s
const brief = await makeJwt({ ttl: 5 })
const stranger = jwksAnchor({ issuer: 'https://other.example' })

/** A cache that all isolates share, and its stored copies. */
function shared(copy?: SharedCopy) {
  const copies = new Map<string, SharedCopy>(copy === undefined ? [] : [[`jwt ${URI}`, copy]])
  const puts: number[] = []
  const sharedCache: SharedCache = {
    get: async (name) => copies.get(name),
    put: async (name, put, seconds) => {
      puts.push(seconds)
      copies.set(name, put)
    },
  }
  return { sharedCache, copies, puts }
}

/** An isolate with a cache of its own, and a web in which the list is `body`. */
function isolate(sharedCache: SharedCache, body: string | { fault: 'unavailable' } = good) {
  const { fetchResource, asked } = web(async () => body)
  const ask = async (now = NOW, anchors = [jwksAnchor()]) =>
    word(await checkStatus(REFERENCE, context({ fetchResource, now, sharedCache, anchors })))
  return { ask, asked }
}

const REFERENCE = { uri: URI, index: 2, form: STATUS_LIST_JWT } as const
const copyOf = (text: string, fetchedAt = NOW): SharedCopy => ({ body: utf8(text), fetchedAt })

describe('a status list that one isolate fetched', () => {
  it('is not fetched again by another isolate', async () => {
    const { sharedCache } = shared()
    const [one, other] = [isolate(sharedCache), isolate(sharedCache)]
    expect(await one.ask()).toBe('valid')
    expect(await other.ask(NOW + 1)).toBe('valid')
    expect([one.asked.length, other.asked.length]).toEqual([1, 0])
  })

  it('is shared unchanged until its `ttl` ends', async () => {
    const { sharedCache, copies, puts } = shared()
    await isolate(sharedCache).ask()
    expect([...copies]).toEqual([[`jwt ${URI}`, copyOf(good)]])
    expect(puts).toEqual([600])
  })

  it('is shared until its `exp` if this is before the end of its `ttl`', async () => {
    const { sharedCache, puts } = shared()
    await isolate(sharedCache, await makeJwt({ exp: NOW + 60 })).ask()
    expect(puts).toEqual([60])
  })

  it('is shared only after its signature is verified', async () => {
    const { sharedCache, copies } = shared()
    const { privateKey } = await generateKeyPair('ES256')
    expect(await isolate(sharedCache).ask(NOW, [stranger])).toBe('untrusted_signer')
    expect(await isolate(sharedCache, await makeJwt({}, {}, privateKey)).ask()).toBe('invalid_signature')
    expect(await isolate(sharedCache, 'junk').ask()).toBe('malformed_token')
    expect(copies.size).toBe(0)
  })
})

describe('a shared copy of a status list', () => {
  const gone = { fault: 'unavailable' } as const

  it('is used until its `ttl` has passed since its fetch', async () => {
    const { ask } = isolate(shared(copyOf(good, NOW - 590)).sharedCache, gone)
    expect([await ask(NOW), await ask(NOW + 9), await ask(NOW + 10)]).toEqual([
      'valid',
      'valid',
      'not_fetched',
    ])
  })

  it('is not used after its `exp`', async () => {
    const { sharedCache } = shared(copyOf(await makeJwt({ exp: NOW + 10 })))
    expect(await isolate(sharedCache, gone).ask(NOW + 9)).toBe('valid')
    expect(await isolate(sharedCache, gone).ask(NOW + 10)).toBe('not_fetched')
  })

  it('is verified with the anchors of the relying party that uses it', async () => {
    const { ask } = isolate(shared(copyOf(good)).sharedCache, gone)
    expect(await ask(NOW, [stranger])).toBe('untrusted_signer')
  })

  it.each([
    ['is not a list', 'junk'],
    ['has passed its `ttl`', brief],
  ])('a shared copy of a status list that %s is ignored', async (_, text) => {
    const { ask, asked } = isolate(shared(copyOf(text, NOW - 60)).sharedCache)
    expect(await ask()).toBe('valid')
    expect(asked.length).toBe(1)
  })

  it('a shared copy of a status list with an invalid signature is replaced by a fetched list after two seconds', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const { sharedCache, copies } = shared(copyOf(await makeJwt({}, {}, privateKey), NOW - 60))
    const { ask } = isolate(sharedCache)
    expect(await ask()).toBe('invalid_signature')
    expect(await ask(NOW + 2)).toBe('valid')
    expect(copies.get(`jwt ${URI}`)).toEqual(copyOf(good, NOW + 2))
  })

  it('a shared copy of a status list with the `sub` of another list is rejected', async () => {
    const { sharedCache } = shared(copyOf(await makeJwt({ sub: `${URI}/other` })))
    expect(await isolate(sharedCache, gone).ask()).toBe('another_list')
  })
})

it('a status list is fetched even if there is no shared cache', async () => {
  const fetchResource: FetchResource = web(async () => good).fetchResource
  expect(word(await checkStatus(REFERENCE, context({ fetchResource })))).toBe('valid')
})
