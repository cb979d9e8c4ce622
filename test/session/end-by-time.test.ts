// Expiry while a response is verified, and expiry of a login that no wallet has acted on (api/logins).

import { expect, it, vi } from 'vitest'
import type { SessionDocument } from '../../src/session/document/document.ts'
import type { ResponseResult } from '../../src/session/document/results.ts'
import { expireDue } from '../../src/session/end/timeouts.ts'
import type { SessionContext } from '../../src/session/store/context.ts'
import { PENDING } from './recorded-sessions.ts'

const LOGIN = {
  ...PENDING,
  login: {},
  held: null,
  request_fetched: false,
  attempt_count: 0,
} as unknown as SessionDocument

/** Expires a login while a response that arrived in time is verified. Returns how often it was erased. */
async function erasures(changes: Partial<SessionDocument>): Promise<number> {
  let document = LOGIN
  const result = Promise.withResolvers<ResponseResult>()
  const erase = vi.fn(async () => undefined)
  const context = {
    store: { session: () => document, erase },
    inFlight: new Map([['digest', { arrivedAt: LOGIN.expires_at - 1, result: result.promise }]]),
  } as unknown as SessionContext
  const onWait = vi.fn()
  const expiry = expireDue(context, LOGIN.expires_at, onWait)
  expect(onWait).toHaveBeenCalledTimes(1)
  document = { ...LOGIN, ...changes }
  result.resolve({} as ResponseResult)
  await expiry
  return erase.mock.calls.length
}

it('a login is not erased at its expiry if a response that arrived in time has ended the login', async () => {
  expect(await erasures({ status: 'verified' })).toBe(0)
  expect(await erasures({})).toBe(1)
})

it('the expiry of a login does not wait if no response is being verified', async () => {
  let document = LOGIN
  const erase = vi.fn(async () => {
    document = { ...LOGIN, status: 'expired' } as SessionDocument
  })
  const context = { store: { session: () => document, erase }, inFlight: new Map() }
  const onWait = vi.fn()
  await expireDue(context as unknown as SessionContext, LOGIN.expires_at, onWait)
  expect([erase.mock.calls.length, onWait.mock.calls.length]).toEqual([1, 0])
})
