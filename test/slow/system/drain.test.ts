// SIGTERM (api/running): open requests are answered, new requests get 503, and the end comes within ten
// seconds.

import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OVER_18, type OwnService, type RelyingParty, startService } from '../../support/service/service.ts'
import { WAIT } from '../../support/wait.ts'

const CREATION = JSON.stringify(OVER_18)

let service: OwnService
let rp: RelyingParty
beforeEach(async () => {
  service = await startService()
  rp = await service.relyingParty()
})
afterEach(() => service?.stop())

it('draining the service answers every long poll at once, and the service exits with 0', async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => rp.create()))
  const polls = sessions.map(({ verification_id }) => rp.call('GET', `/v1/verify/${verification_id}?wait=25`))
  await allReceived()
  // A poll that was not answered would be cut off after ten seconds.
  const exit = service.server.end('SIGTERM')
  expect((await Promise.all(polls)).map(({ status }) => status)).toEqual(polls.map(() => 200))
  expect(await exit).toBe(0)
})

it('draining the service answers requests that have begun, and refuses new requests with 503 in the format of their route', async () => {
  const { verification_id } = await rp.create()
  const slow = beginPost('/v1/verify')
  await allReceived()
  const exit = service.server.end('SIGTERM')
  await vi.waitFor(
    async () => expect((await fetch(`${service.server.origin}/readyz`)).status).toBe(503),
    WAIT,
  )
  const poll = await fetch(`${service.server.origin}/v1/verify/${verification_id}`)
  expect([poll.status, poll.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await poll.json()).toMatchObject({ code: 'temporarily_unavailable', retryable: true })
  const wallet = await fetch(`${service.server.origin}/v1/verify/${verification_id}/callback`, {
    method: 'POST',
  })
  expect([wallet.status, await wallet.json()]).toEqual([
    503,
    expect.objectContaining({ error: 'temporarily_unavailable' }),
  ])
  expect(await finishPost(slow)).toBe(201)
  expect(await exit).toBe(0)
})

it('draining the service ends even if connections stay open', async () => {
  const open = beginPost('/v1/verify')
  open.once('error', () => {})
  await allReceived()
  expect(await service.server.end('SIGTERM')).toBe(0)
})

it('draining the service cannot be started through its public port', async () => {
  for (const path of ['/drain', '/control/drain'])
    expect((await fetch(service.server.origin + path, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${service.server.origin}/healthz`)).status).toBe(200)
})

/** Waits until the service has what was sent before. It takes connections and requests in their order. */
async function allReceived(): Promise<void> {
  for (let i = 0; i < 3; i++) await (await fetch(`${service.server.origin}/healthz`)).text()
}

/** Sends the head of a POST and a part of its body. */
function beginPost(path: string): ClientRequest {
  const open = request(service.server.origin + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${rp.api_key}`,
      'content-type': 'application/json',
      'content-length': CREATION.length,
    },
  })
  open.write(CREATION.slice(0, 1))
  return open
}

async function finishPost(open: ClientRequest): Promise<number | undefined> {
  open.end(CREATION.slice(1))
  const [response] = (await once(open, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}
