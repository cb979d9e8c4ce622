// What a session reaches of the sandbox: in test mode its issuer's origin, letter by letter, and in live mode nothing.

import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { networkOf } from '../../src/session/network.ts'

const STATUS_LIST = 'https://sandbox.invalid/status/jwt'

/** An environment of its own: what is made for one is kept for it. */
function withSandbox(livemode: boolean) {
  const sandbox = { fetch: vi.fn(async () => new Response('from the sandbox')) }
  const { fetchResource } = networkOf({ ...env, SANDBOX: sandbox as never }, livemode)
  return { sandbox, get: (url: string) => fetchResource({ url, accept: 'text/plain', limit: 100 }) }
}

it('in test mode leads to the sandbox for what its issuer publishes', async () => {
  const { sandbox, get } = withSandbox(false)
  const found = await get(STATUS_LIST)
  expect(found.ok && new TextDecoder().decode(found.value.body)).toBe('from the sandbox')
  expect(sandbox.fetch).toHaveBeenCalledExactlyOnceWith(STATUS_LIST, expect.anything())
})

it('in live mode does not', async () => {
  const { sandbox, get } = withSandbox(true)
  expect(await get(STATUS_LIST)).toEqual({ ok: false, error: 'forbidden' })
  expect(sandbox.fetch).not.toHaveBeenCalled()
})

it.each([
  'http://sandbox.invalid/status/jwt',
  'https://sandbox.invalid:444/status/jwt',
  'https://SANDBOX.invalid/status/jwt',
  'https://x.sandbox.invalid/status/jwt',
  'https://sandbox.invalid@metadata.goog/',
])('leads there for no other spelling: %s', async (url) => {
  const { sandbox, get } = withSandbox(false)
  expect(await get(url)).toEqual({ ok: false, error: 'forbidden' })
  expect(sandbox.fetch).not.toHaveBeenCalled()
})
