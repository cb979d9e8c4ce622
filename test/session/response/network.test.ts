import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { readCounts } from '../../../src/metrics/record.ts'
import { openNetwork, untilDeadline } from '../../../src/session/response/network.ts'
import { SANDBOX_ORIGIN } from '../../../src/trust/anchors/sandbox-anchor.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('the metrics count each fetch by the first accepted media type and by the result', async () => {
  const { fetchResource } = openNetwork(env, false)
  const counted = () => [...readCounts('fetches').counters.values()].map((each) => ({ ...each }))
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

const resource = { accept: 'application/json', limit: 100 }
const LOOPBACK = 'http://127.0.0.1:8080/list'

it('fetches can reach loopback only in test mode', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}'))
  expect(await openNetwork(env, false).fetchResource({ ...resource, url: LOOPBACK })).toMatchObject({
    ok: true,
  })
  expect(await openNetwork(env, true).fetchResource({ ...resource, url: LOOPBACK })).toEqual({
    ok: false,
    error: 'forbidden',
  })
  expect(fetched.mock.calls.map(([url]) => url)).toEqual([LOOPBACK])
})

it('fetches reach the sandbox by its service binding, in test mode only', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('there is no such host'))
  const url = `${SANDBOX_ORIGIN}/status`
  const SANDBOX = { fetch: vi.fn(async () => new Response('{}')) }
  const bound = { ...env, SANDBOX: SANDBOX as never }
  expect(await openNetwork(bound, false).fetchResource({ ...resource, url })).toMatchObject({ ok: true })
  expect(SANDBOX.fetch).toHaveBeenCalledWith(url, expect.anything())
  expect((await openNetwork(bound, true).fetchResource({ ...resource, url })).ok).toBe(false)
  expect(SANDBOX.fetch).toHaveBeenCalledTimes(1)
})

it('the network functions are made once for each mode, and each mode has its own shared cache', async () => {
  const [live, test] = [openNetwork(env, true), openNetwork(env, false)]
  expect(openNetwork(env, true).fetchResource).toBe(live.fetchResource)
  const name = `jwt https://status.example/${crypto.randomUUID()}`
  await test.sharedCache.put(name, { body: new Uint8Array([1]), fetchedAt: 1 }, 60)
  expect(await test.sharedCache.get(name, 1)).toEqual({ body: new Uint8Array([1]), fetchedAt: 1 })
  expect(await live.sharedCache.get(name, 1)).toBeUndefined()
})

it('a look-up that takes too long fails at the deadline for the whole response', async () => {
  const network = openNetwork(env, false)
  const inTimeOf = (deadline: number) => untilDeadline(network, deadline).fetchResource.limited?.inTime
  const never = new Promise<string>(() => undefined)
  expect(await inTimeOf(Date.now() + 20)?.(never, 'late')).toBe('late')
  expect(await inTimeOf(Date.now() - 1_000)?.(never, 'late')).toBe('late')
  const soon = new Promise<string>((resolve) => setTimeout(() => resolve('found'), 20))
  expect(await inTimeOf(Date.now() + 60_000)?.(soon, 'late')).toBe('found')
})
