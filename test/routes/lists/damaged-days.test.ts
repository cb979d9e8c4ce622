// A day of the list whose object cannot be read (api/lists). `slow/list-files.test.ts` damages real files.

import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import { ask, createSession, type Setting, setUp } from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()
const TODAY = '2046-06-15'

startAtNoon()

const read = (setting: Setting, path: string) => json(call(app, 'GET', path, { headers: setting.headers }))
const insights = (setting: Setting) =>
  read(setting, `/v1/insights?from=${TODAY}T00:00:00Z&to=2046-06-16T00:00:00Z`)

/** Returns the objects of damaged days that /readyz names, also those of other test files. */
async function damagedObjects(): Promise<readonly string[]> {
  const { warnings } = await json(call(app, 'GET', '/readyz'))
  const found = warnings.find(({ code }: { code: string }) => code === 'list_day_damaged')
  return found?.objects ?? []
}
const objectOf = (setting: Setting) => String(indexStub(env, setting.relyingPartyId, toDay(NOON)).id)

/** Lets every call of the day's object throw, as a value that cannot be decoded does. */
function damage(): void {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  for (const name of ['page', 'counts', 'remove'] as const)
    vi.spyOn(VerificationIndex.prototype, name).mockImplementation(() => {
      throw new TypeError('the value cannot be decoded')
    })
}

describe('a damaged day', () => {
  it('is left out of the list and the counters, and /readyz names its object until the day can be read', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    const list = () => read(setting, '/v1/verify')
    await vi.waitFor(async () => expect((await list()).verifications).toHaveLength(1), WAIT)
    damage()
    expect(await list()).toMatchObject({ verifications: [], incomplete: [TODAY] })
    expect(await insights(setting)).toMatchObject({ incomplete: [TODAY] })
    expect(await damagedObjects()).toContain(objectOf(setting))
    vi.restoreAllMocks()
    const repaired = await list()
    expect(repaired.verifications).toMatchObject([{ verification_id }])
    expect(repaired).not.toHaveProperty('incomplete')
    expect(await damagedObjects()).not.toContain(objectOf(setting))
  })

  it('delays the DELETE of a session, but does not prevent it: a repeated DELETE succeeds', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    damage()
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(503)
    at(Date.now() + 600_000)
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(204)
    vi.restoreAllMocks()
    await read(setting, '/v1/verify')
    expect(await damagedObjects()).not.toContain(objectOf(setting))
  })
})
