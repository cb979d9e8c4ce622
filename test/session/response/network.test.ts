import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { countsOf } from '../../../src/metrics/record.ts'
import { networkOf } from '../../../src/session/response/network.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('counts a fetch by its first media type and its result', async () => {
  const { fetchResource } = networkOf(env, false)
  const counted = () => [...countsOf('fetches').counters.values()].map((each) => ({ ...each }))
  const before = counted()
  const accept = 'application/vc+jwt, application/jwt'
  const answers = [new Response('a'), new Response('aa'), new Response(null, { status: 404 })]
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answers.shift() ?? Response.error())
  for (const url of [
    'https://lists.example.org',
    'https://lists.example.org',
    'https://lists.example.org',
    'http://10.0.0.1',
  ]) {
    await fetchResource({ url, accept, limit: 1 })
  }
  const added = counted().flatMap(({ values, count }) => {
    const earlier = before.find((each) => each.values.join() === values.join())?.count ?? 0
    return count === earlier ? [] : [[...values, count - earlier]]
  })
  expect(added.toSorted()).toEqual(
    ['forbidden', 'ok', 'too_large', 'unavailable'].map((result) => ['application/vc+jwt', result, 1]),
  )
})
