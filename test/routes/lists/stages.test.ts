// Stages of pending sessions in the list of verifications (api/lists): the list asks the sessions.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { reportCapacity } from '../../../src/metrics/capacity.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import { VerificationSession } from '../../../src/session/verification-session.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  post,
  type Setting,
  setUp,
} from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { startAtNoon } from '../../workerd/clock.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()

startAtNoon()
afterEach(() => reportCapacity(null, 0, Number.NEGATIVE_INFINITY))

/** Returns status and stage of each listed verification, newest first. */
async function stages({ headers }: Setting): Promise<readonly string[]> {
  const response = await call(app, 'GET', '/v1/verify', { headers })
  const { verifications } = (await response.json()) as {
    verifications: readonly { readonly status: string; readonly stage: string }[]
  }
  return verifications.map(({ status, stage }) => `${status}, ${stage}`)
}

/** Creates a session, and waits until its entry is confirmed, so that no later step sends it again. */
async function createListed(setting: Setting) {
  const put = vi.spyOn(VerificationIndex.prototype, 'put')
  const session = await createSession(setting)
  await vi.waitFor(async () => expect(await stages(setting)).toEqual(['pending, created']), WAIT)
  put.mockClear()
  return { id: session.verification_id as string, uri: session.wallet_request.request_uri as string, put }
}

describe('the stage of a pending session in the list', () => {
  it('is request_fetched after the fetch of its request, although the fetch sends no entry to the list', async () => {
    const setting = await setUp()
    const { id, uri, put } = await createListed(setting)
    const request = await fetchRequest(uri)
    expect(await stages(setting)).toEqual(['pending, request_fetched'])
    expect(put).not.toHaveBeenCalled()
    expect((await post(id, await goodResponse(setting, request))).status).toBe(200)
    await vi.waitFor(async () => expect(await stages(setting)).toEqual(['verified, done']), WAIT)
    expect(put).toHaveBeenCalledTimes(1)
    expect(put.mock.calls[0]?.[0].entry).toMatchObject({ request_fetched_at: expect.any(Number) })
  })

  it.each([
    ['cannot be asked', () => Promise.reject(new Error('no such machine'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
    ['has ended', async () => ({ ok: true, value: { json: '{"status":"verified","stage":"done"}' } })],
    ['was erased', async () => ({ ok: false, error: 'not_found' })],
  ])('is read from the stored list entry if the session %s', async (_, answer) => {
    const setting = await setUp()
    await fetchRequest((await createListed(setting)).uri)
    const asked = vi.spyOn(VerificationSession.prototype, 'readPublic').mockImplementation(answer as never)
    expect(await stages(setting)).toEqual(['pending, created'])
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('is the stage of its list entry if the process has no capacity to open the session', async () => {
    const setting = await setUp()
    await fetchRequest((await createListed(setting)).uri)
    // The request itself may open four descriptors, and one session four more: 802.
    reportCapacity({ open: 794, limit: 1_000 }, 0, Date.now())
    expect(await stages(setting)).toEqual(['pending, created'])
  })

  it('is read from pending sessions only', async () => {
    const setting = await setUp()
    const { id } = await createListed(setting)
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    await vi.waitFor(async () => expect(await stages(setting)).toEqual(['canceled, done']), WAIT)
    const asked = vi.spyOn(VerificationSession.prototype, 'readPublic')
    await stages(setting)
    expect(asked).not.toHaveBeenCalled()
  })
})
