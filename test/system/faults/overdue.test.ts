// Many sessions due at once when the service starts: one start, and every event arrives. At a size that CI
// carries; `npm run faults` runs the full sizes.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import {
  type CreatedSession,
  expectStatus,
  OVER_18,
  type RelyingParty,
} from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'

/**
 * Events that are due, descriptors, the time in which all must arrive, and the seconds in which all are
 * created: the receiver asks for each again after that time.
 */
const SIZES: readonly (readonly [number, number, number, number])[] =
  process.env.FAULTS === 'full'
    ? [
        [1_500, 1_024, 300_000, 200],
        [10_000, 20_000, 300_000, 600],
      ]
    : [[300, 1_024, 60_000, 35]]

/** Callers at a time. */
const CALLERS = 12
/** Time for the service to store the result of the last attempt. */
const SETTLED_MS = 1_000

const stage = useStage()

it.each([...SIZES])(
  '%i events overdue with %i descriptors: one start delivers all within %i ms, and /healthz answers',
  async (count, descriptors, withinMs, createdWithin) => {
    const { server } = stage.service
    const rp = await relyingPartyOf(stage)
    const dueAt = Date.now() + createdWithin * 1000
    stage.receiver.answer(({ at }) => ({
      status: 503,
      headers: { 'retry-after': String(Math.ceil((dueAt - at) / 1000)) },
    }))
    const before = stage.receiver.requests.length
    const ids = await cancelMany(count, rp)
    await stage.receiver.received(before + count)
    await sleep(SETTLED_MS)
    await server.kill9()
    await sleep(dueAt - Date.now() + SETTLED_MS)
    const delivered = new Set<string>()
    stage.receiver.answer(({ body }) => {
      delivered.add(JSON.parse(body.toString()).verification_id)
      return { status: 204 }
    })
    const begun = Date.now()
    await server.restart({}, { descriptors })
    const pid = server.pid()
    const probes: number[] = []
    while (delivered.size < count && Date.now() - begun < withinMs) {
      probes.push((await fetch(`${server.origin}/healthz`)).status)
      await sleep(100)
    }
    console.info(`${delivered.size} of ${count} events in ${Date.now() - begun} ms`)
    expect([...delivered].sort()).toEqual([...ids].sort())
    expect(probes.filter((status) => status !== 200)).toEqual([])
    expect(server.pid()).toBe(pid)
    await server.restart({}, { descriptors: 20_000 })
  },
  1_200_000,
)

/** Creates and cancels sessions. The calls are not linted, which would take longer than the calls. */
async function cancelMany(count: number, { api_key }: RelyingParty): Promise<readonly string[]> {
  const ids: string[] = []
  let open = count
  const post = (path: string, body?: object) =>
    fetch(stage.service.server.origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const create = async (): Promise<CreatedSession> => {
    const response = await post('/v1/verify', OVER_18)
    if (response.status !== 429) return (await expectStatus(response, 201)) as CreatedSession
    await sleep(Number(response.headers.get('retry-after')) * 1000) // the limit of creations by key
    return create()
  }
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (open-- > 0) {
        const { verification_id } = await create()
        await expectStatus(await post(`/v1/verify/${verification_id}/cancel`), 200)
        ids.push(verification_id)
      }
    }),
  )
  return ids
}
