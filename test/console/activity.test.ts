// Activity of a person in the console: it begins the hour without activity again. The reads by the page
// itself do not.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'

/** The module is for browsers, so the types of this program do not fit it. */
const MODULE: string = '../../console/sign-in/activity.ts'
const ACTIVITY = 'POST /console/session/activity'
const LOOK = 'GET /console/session'
const MINUTE = 60_000

const calls: string[] = []
let page: EventTarget
let isRefused: boolean
let stop: () => void

beforeEach(async () => {
  calls.length = 0
  page = new EventTarget()
  isRefused = false
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  vi.stubGlobal('BroadcastChannel', EventTarget)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('fetch', async (path: string, { method }: { readonly method: string }) => {
    calls.push(`${method} ${path}`)
    return new Response(null, { status: isRefused ? 503 : 204 })
  })
  const { followActivity } = (await import(MODULE)) as { readonly followActivity: () => () => void }
  stop = followActivity()
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const act = (name: string) => page.dispatchEvent(new Event(name))

it.each(['keydown', 'pointerdown', 'wheel', 'touchstart'])(
  'an event %s is reported to the service as activity, at most once in five minutes',
  async (name) => {
    act(name)
    act(name)
    expect(calls).toEqual([ACTIVITY])
    await vi.advanceTimersByTimeAsync(5 * MINUTE - 1)
    act(name)
    expect(calls.filter((call) => call === ACTIVITY)).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    act(name)
    expect(calls.filter((call) => call === ACTIVITY)).toHaveLength(2)
  },
)

it('the page checks the sign-in every minute, and does not report these checks as activity', async () => {
  await vi.advanceTimersByTimeAsync(3 * MINUTE)
  expect(calls).toEqual([LOOK, LOOK, LOOK])
})

it('an activity whose report failed is reported again at the next event', async () => {
  isRefused = true
  act('keydown')
  await vi.waitFor(() => {
    act('keydown')
    expect(calls).toEqual([ACTIVITY, ACTIVITY])
  })
})

it('nothing is reported and nothing is read after the end of the sign-in', async () => {
  stop()
  act('keydown')
  await vi.advanceTimersByTimeAsync(5 * MINUTE)
  expect(calls).toEqual([])
})
