// The event log over HTTP (api/events): contents after a kill, personal data on the disk, and waiting polls.

import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { readFilesBelow } from '../../support/reading/live-files.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { finish, relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'
import { WAIT } from '../../support/wait.ts'

const stage = useOwnStage()

type Page = {
  readonly events: readonly Readonly<Record<string, unknown>>[]
  readonly next: string
  readonly has_more: boolean
}

/** Returns all events, read page by page. */
async function eventsOf(rp: RelyingParty, limit = 100) {
  const events: Page['events'][number][] = []
  let query = ''
  for (;;) {
    const response = await rp.call('GET', `/v1/events?limit=${limit}${query}`)
    const page = (await expectStatus(response, 200)) as Page
    events.push(...page.events)
    if (!page.has_more) return events
    query = `&after=${page.next}`
  }
}

/** Returns the sessions of the events when there are at least `count`. */
async function sessionsInLog(rp: RelyingParty, count: number, limit = 100): Promise<readonly unknown[]> {
  for (;;) {
    const events = await eventsOf(rp, limit)
    if (events.length >= count) return events.map(({ verification_id }) => verification_id)
    await setTimeout(50)
  }
}

it('the event log contains every outcome of a killed service once and in order', async () => {
  stage.receiver.answer({ act: 'reset' })
  const rp = await relyingPartyOf(stage)
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    const { session } = await finish(stage, {}, OVER_18, rp)
    ids.push(session.verification_id)
    await sessionsInLog(rp, ids.length)
  }
  const last = await finish(stage, {}, OVER_18, rp)
  ids.push(last.session.verification_id)
  await stage.service.server.kill9()
  await stage.service.server.restart()
  expect(await sessionsInLog(rp, 4)).toEqual(ids)
  expect(await sessionsInLog(rp, 4, 1)).toEqual(ids)
})

it('DELETE removes the metadata from the disk, and keeps the events without metadata', async () => {
  const canary = 'canary-9d1f6c2e'
  const rp = await relyingPartyOf(stage)
  const { session } = await finish(stage, {}, { ...OVER_18, metadata: { who: canary } }, rp)
  await sessionsInLog(rp, 1)
  expect(JSON.stringify(await eventsOf(rp))).toContain(canary)
  const files = () =>
    readFilesBelow(stage.service.server.stateDir)
      .filter(([, content]) => content.includes(canary))
      .map(([path]) => path)
  const before = files()
  expect(before.length).toBeGreaterThan(0)
  const path = `/v1/verify/${session.verification_id}`
  expect((await rp.call('DELETE', path)).status).toBe(204)
  expect(await eventsOf(rp)).toMatchObject([{ status: 'verified', metadata: {}, encrypted_claims: null }])
  // The write-ahead log of the sessions' object has the metadata until the object is put away.
  await vi.waitFor(() => expect(files()).toEqual([]), { ...WAIT, interval: 500 })
})

it('a waiting poll gets a response when the session ends, even after 70 polls whose connections broke', async () => {
  const session = await stage.rp.create()
  const path = `/v1/verify/${session.verification_id}?wait=25`
  for (let i = 0; i < 7; i++) {
    await Promise.all(Array.from({ length: 10 }, () => abandonedPoll(path)))
  }
  const other = await stage.rp.create()
  const unchanged = stage.rp.call('GET', `/v1/verify/${other.verification_id}?wait=25`)
  const waiting = stage.rp.call('GET', path)
  await setTimeout(1_500)
  expect((await stage.rp.call('POST', `/v1/verify/${session.verification_id}/cancel`)).status).toBe(200)
  // A poll without a change waits 25 s, on a slow machine too.
  expect(await Promise.race([waiting, unchanged])).toBe(await waiting)
  expect(await expectStatus(await waiting, 200)).toMatchObject({ status: 'canceled' })
  await stage.rp.call('POST', `/v1/verify/${other.verification_id}/cancel`)
  await unchanged
})

/**
 * Starts a poll and breaks its connection. A caller that merely stops reading looks like a patient caller.
 */
async function abandonedPoll(path: string): Promise<void> {
  const { hostname, port } = new URL(stage.service.server.origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.rp.api_key}\r\n\r\n`)
  await setTimeout(200)
  socket.resetAndDestroy()
}
