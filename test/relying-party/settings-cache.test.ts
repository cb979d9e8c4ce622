import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toRelyingPartyId } from '../../src/relying-party/document/identifier.ts'
import type { Settings } from '../../src/relying-party/document/settings.ts'
import {
  forgetSettings,
  loadSettings,
  SETTINGS_LIFETIME,
} from '../../src/relying-party/settings/settings-cache.ts'
import type { Result } from '../../src/result.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

afterEach(() => {
  vi.useRealTimers()
})

describe('the settings of a relying party', () => {
  it('are read once in 60 s, and then read again', async () => {
    const world = fakeWorld()
    expect(await world.settingsAt(NOW)).toEqual({ ok: true, value: { name: 'version 1' } })
    expect(await world.settingsAt(NOW + SETTINGS_LIFETIME - 1)).toEqual({
      ok: true,
      value: { name: 'version 1' },
    })
    expect(await world.settingsAt(NOW + SETTINGS_LIFETIME)).toEqual({
      ok: true,
      value: { name: 'version 2' },
    })
    expect(world.asked()).toBe(2)
  })

  it('are not returned from memory after 60 s if their object is unreachable', async () => {
    const world = fakeWorld()
    await world.settingsAt(NOW)
    world.break()
    expect((await world.settingsAt(NOW + SETTINGS_LIFETIME - 1)).ok).toBe(true)
    expect(await world.settingsAt(NOW + SETTINGS_LIFETIME)).toEqual({ ok: false, error: 'unavailable' })
  })

  it('are read again at once after the object was unreachable', async () => {
    const world = fakeWorld()
    world.break()
    expect(await world.settingsAt(NOW)).toEqual({ ok: false, error: 'unavailable' })
    world.mend()
    expect((await world.settingsAt(NOW)).ok).toBe(true)
  })

  it('are read once for many callers at the same time', async () => {
    const world = fakeWorld()
    const all = await Promise.all(Array.from({ length: 20 }, () => world.settingsAt(NOW)))
    expect(all.every(({ ok }) => ok)).toBe(true)
    expect(world.asked()).toBe(1)
  })

  it('are read again if the clock was set back to a time before the copy was made', async () => {
    const world = fakeWorld()
    await world.settingsAt(NOW + SETTINGS_LIFETIME)
    await world.settingsAt(NOW)
    expect(world.asked()).toBe(2)
  })

  it('are read again after a change through this isolate, even if the change came during a read', async () => {
    const world = fakeWorld()
    const before = world.settingsAt(NOW)
    forgetSettings(world.id)
    await before
    expect(await world.settingsAt(NOW)).toEqual({ ok: true, value: { name: 'version 2' } })
    forgetSettings(world.id)
    expect(await world.settingsAt(NOW)).toEqual({ ok: true, value: { name: 'version 3' } })
  })

  it('are reported as "unavailable" after 5 s without a response, and later callers start a new read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const world = fakeWorld()
    world.hang()
    const first = world.settingsAt(NOW)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await first).toEqual({ ok: false, error: 'unavailable' })
    world.mend()
    expect((await world.settingsAt(NOW + 5_000)).ok).toBe(true)
  })

  it('cached settings are limited in number, and the least recently used settings are dropped first', async () => {
    const first = fakeWorld()
    const second = fakeWorld()
    await first.settingsAt(NOW)
    await second.settingsAt(NOW)
    for (let i = 0; i < 499; i++) {
      await fakeWorld().settingsAt(NOW)
      await second.settingsAt(NOW)
    }
    await first.settingsAt(NOW)
    expect([first.asked(), second.asked()]).toEqual([2, 1])
  })

  it('are "not_found" for an id that this service did not issue, and no object is created', async () => {
    const before = (await listDurableObjectIds(env.RELYING_PARTY)).length
    for (const id of ['rp_', `rp_${'A'.repeat(43)}`, 'rp_x'.repeat(50)]) {
      expect(await loadSettings(env, id, NOW)).toEqual({ ok: false, error: 'not_found' })
    }
    expect((await listDurableObjectIds(env.RELYING_PARTY)).length).toBe(before)
  })
})

/** A relying party whose object counts its calls. The id is real. */
function fakeWorld() {
  const objectId = env.RELYING_PARTY.newUniqueId()
  const id = toRelyingPartyId(objectId)
  let asked = 0
  let mode: 'well' | 'broken' | 'hanging' = 'well'
  const settings = (): Promise<Result<Settings, 'not_found'>> => {
    asked++
    if (mode === 'broken') return Promise.reject(new Error('Network connection lost.'))
    if (mode === 'hanging') return new Promise(() => undefined)
    return Promise.resolve({ ok: true, value: { name: `version ${asked}` } as Settings })
  }
  const namespace = {
    idFromString: (text: string) => env.RELYING_PARTY.idFromString(text),
    get: () => ({ settings }),
  }
  const world = { RELYING_PARTY: namespace as unknown as typeof env.RELYING_PARTY }
  return {
    id,
    env: world,
    settingsAt: (now: number) => loadSettings(world, id, now),
    asked: () => asked,
    break: () => {
      mode = 'broken'
    },
    hang: () => {
      mode = 'hanging'
    },
    mend: () => {
      mode = 'well'
    },
  }
}
