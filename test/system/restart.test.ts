// End and restart with sessions in every state (CONTRACT 10).

import { describe, expect, it } from 'vitest'
import { begin, finish, respondWithAge, useStage } from '../support/service/stage.ts'

const stage = useStage()

describe.each([
  ['stopped', async () => {}],
  ['killed together with its launcher', () => stage.service.server.kill9()],
])('a service that was %s', (_, end) => {
  it('starts again at once and returns every session unchanged', async () => {
    const ids = await someSessions()
    const before = await Promise.all(ids.map((id) => stage.rp.poll(id)))
    expect(before.map(({ status }) => status)).toEqual(['pending', 'verified', 'declined', 'canceled'])
    await end()
    await stage.service.server.restart()
    expect(await Promise.all(ids.map((id) => stage.rp.poll(id)))).toEqual(before)
  })

  it('accepts the response to a request that was fetched before', async () => {
    const { session, request } = await begin(stage)
    await end()
    await stage.service.server.restart()
    expect((await respondWithAge(stage, request)).status).toBe(200)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  })

  it('serves the same request again, and that of a picture drawn before', async () => {
    const { session, request } = await begin(stage)
    const other = await stage.rp.create()
    await end()
    await stage.service.server.restart()
    const again = await stage.service.wallet.receive(session.wallet_request.uri)
    expect(again.payload.nonce).toBe(request.payload.nonce)
    expect(again.payload.client_metadata).toEqual(request.payload.client_metadata)
    const scanned = await stage.service.wallet.receive(other.wallet_request.uri)
    expect((await respondWithAge(stage, scanned)).status).toBe(200)
  })
})

/** Creates one session in each state that needs no waiting. */
async function someSessions(): Promise<readonly string[]> {
  const [pending, verified, refused, canceled] = await Promise.all([
    begin(stage),
    finish(stage),
    begin(stage),
    begin(stage),
  ])
  await stage.service.wallet.decline(refused.request, 'access_denied')
  await stage.rp.call('POST', `/v1/verify/${canceled.session.verification_id}/cancel`)
  return [pending, verified, refused, canceled].map(({ session }) => session.verification_id)
}
