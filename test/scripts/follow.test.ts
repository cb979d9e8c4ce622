// `events tail` and `webhooks forward` read the event log through an outage of the service.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { follow, readApi } from '../../scripts/admin/follow.mjs'
import { type Receiver, type ScriptedResponse, startReceiver } from '../support/service/receiver.ts'

let service: Receiver
beforeEach(async () => {
  service = await startReceiver()
  vi.spyOn(console, 'error').mockReturnValue(undefined)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await service.close()
})

const page = (next: string, events: readonly string[] = [], has_more = false): ScriptedResponse => ({
  body: JSON.stringify({ next, has_more, events: events.map((event_id) => ({ event_id })) }),
})
const problem = (status: number, headers = {}): ScriptedResponse => ({
  status,
  headers,
  body: JSON.stringify({ title: 'Not now', code: 'a_code', request_id: 'req_1' }),
})
const END = new Error('the script has ended')

/** Follows a service with these responses. Returns how it ended, its events, pauses and cursors. */
async function run(flags: { once?: boolean; all?: boolean }, responses: readonly ScriptedResponse[]) {
  service.answer((_, index) => responses[index] ?? { status: 400 })
  const [events, pauses]: [string[], number[]] = [[], []]
  const call = (path: string, query: URLSearchParams) =>
    readApi(new URL(service.url).origin, 'the key', path, query)
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds)
    if (service.requests.length === responses.length) throw END
  }
  const collect = ({ event_id }: { event_id: string }) => void events.push(event_id)
  const end = await follow(call, flags, collect, pause).catch((error: unknown) => error)
  const cursors = service.requests.map(({ path }) => new URL(path, service.url).searchParams.get('after'))
  return { end, events, pauses, cursors }
}

it('the command that follows the events begins with events after its start, and waits between two reads', async () => {
  const responses = [page('a'), page('b', ['evt_1', 'evt_2'], true), page('c', ['evt_3']), page('d')]
  expect(await run({}, responses)).toEqual({
    end: END,
    events: ['evt_1', 'evt_2', 'evt_3'],
    pauses: [2_000, 2_000, 2_000],
    cursors: ['latest', 'a', 'b', 'c'],
  })
  expect(service.requests[0]?.headers.authorization).toBe('Bearer the key')
  expect(console.error).toHaveBeenCalledExactlyOnceWith('Waiting for new events.')
})

it('the command that follows the events begins with the oldest event with --all', async () => {
  const { events, cursors } = await run({ all: true }, [page('a', ['evt_1'], true), page('b', ['evt_2'])])
  expect([events, cursors]).toEqual([
    ['evt_1', 'evt_2'],
    ['', 'a'],
  ])
})

it('the command that follows the events repeats a read that got no response, 429 or 5xx, and misses no event', async () => {
  const responses: ScriptedResponse[] = [
    { act: 'reset' },
    problem(503, { 'retry-after': '7' }),
    problem(429, { 'retry-after': '86400' }),
    page('a'),
    {
      status: 502,
      body: '<h1>Bad Gateway</h1>',
      headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' },
    },
    { act: 'reset' },
    problem(500, { 'retry-after': '0' }),
    page('b', ['evt_1']),
  ]
  expect(await run({}, responses)).toEqual({
    end: END,
    events: ['evt_1'],
    pauses: [2_000, 7_000, 60_000, 2_000, 2_000, 2_000, 2_000, 2_000],
    cursors: ['latest', 'latest', 'latest', 'latest', 'a', 'a', 'a', 'a'],
  })
})

it('the command that follows the events waits and reads again while the connection is refused', async () => {
  await service.close()
  const { end, pauses } = await run({}, [])
  expect([end, pauses]).toEqual([END, [2_000]])
})

it.each([
  ['a refused key', {}, problem(401), 1, 'Not now (401 a_code).'],
  [
    'an HTML page of another server',
    {},
    { body: '<h1>Hello</h1>' },
    1,
    'HTTP 200 without a problem document.',
  ],
  ['503 with --once', { once: true }, problem(503), 1, 'Not now (503 a_code).'],
  ['no response with --once', { once: true }, { act: 'reset' }, 3, 'did not respond'],
] as const)(
  'the command that follows the events ends with an exit code for %s',
  async (_, flags, response, exitCode, message) => {
    const { end, pauses } = await run(flags, [response])
    expect(end).toMatchObject({ exitCode, message: expect.stringContaining(message) })
    expect(pauses).toEqual([])
  },
)

it('the command that follows the events ends after the newest event if --once is set', async () => {
  const { end, cursors } = await run({ once: true }, [page('a', ['evt_1'], true), page('b')])
  expect([end, cursors]).toEqual([0, ['', 'a']])
})
