// Copies of fetched resources for a caller that keeps them (`createFetchCache`).

import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { utf8 } from '../../src/codec/bytes.ts'
import { createFetchCache } from '../../src/net/cache.ts'
import { type FetchResource, fetchUntil } from '../../src/net/guarded-fetch.ts'
import { createCopies } from '../../src/net/recorded-fetch.ts'
import { err, ok, type Result } from '../../src/result.ts'

const NOW = 1_790_000_000
const ENDLESS = Date.now() + 3_600_000

/** A cache of resources by their address, and its network. */
function world() {
  const state = { fetches: 0, isDown: false, takesMs: 0 }
  const base: FetchResource = async ({ url }) => {
    state.fetches += 1
    if (state.takesMs > 0) await setTimeout(state.takesMs)
    return state.isDown
      ? err('unavailable')
      : ok({ body: utf8(`${url} ${state.fetches}`), contentType: 'text/plain' })
  }
  const read = createFetchCache<Result<object, 'gone'>>({
    read: async (url, { fetchResource }, last) => {
      const found = await fetchResource({ url, accept: 'a/b, c/d', limit: 100 })
      if (found.ok) return ok({ text: found.value.body })
      return last ?? err('gone')
    },
    late: err('gone'),
  })
  const ask = async (now = NOW, deadline = ENDLESS) => {
    const copies = createCopies()
    await read('https://a.example', { now, fetchResource: fetchUntil(base, deadline, copies.add) }, 60)
    return copies.all()
  }
  const askPlainly = () =>
    read('https://a.example', { now: NOW, fetchResource: fetchUntil(base, ENDLESS) }, 60)
  return { state, ask, askPlainly }
}

const copyOf = (number: number, fetched_at = NOW) => ({
  url: 'https://a.example',
  media_type: 'a/b',
  body: utf8(`https://a.example ${number}`),
  fetched_at,
})

it('a caller that keeps copies of fetched resources receives the copies from which its result was made, even if the result is cached', async () => {
  const { state, ask } = world()
  expect(await ask()).toEqual([copyOf(1)])
  expect(await ask(NOW + 30)).toEqual([copyOf(1)])
  expect(state.fetches).toBe(1)
  expect(await ask(NOW + 90)).toEqual([copyOf(2, NOW + 90)])
})

it('a cached result that is used after a failed fetch comes with the copy from which it was made', async () => {
  const { state, ask } = world()
  await ask()
  state.isDown = true
  expect(await ask(NOW + 90)).toEqual([copyOf(1)])
})

it('a caller that keeps copies receives no copy if the fetch fails or the deadline is over', async () => {
  const { state, ask } = world()
  state.isDown = true
  expect(await ask()).toEqual([])
  const slow = world()
  slow.state.takesMs = 50
  expect(await slow.ask(NOW, Date.now() - 1)).toEqual([])
  expect(await slow.ask()).toEqual([copyOf(1)])
})

it('callers that keep no copies share one cached result, which a caller that keeps copies does not use', async () => {
  const { state, ask, askPlainly } = world()
  await askPlainly()
  await askPlainly()
  expect(state.fetches).toBe(1)
  expect(await ask()).toEqual([copyOf(2)])
})
