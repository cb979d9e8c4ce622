// Steps of a session that are many (api/lists): what is left out, and what never is.

import { describe, expect, it } from 'vitest'
import { readDocument, type SessionDocument } from '../../../src/session/document/document.ts'
import { addStep, firstTime, type Step } from '../../../src/session/document/timeline.ts'
import { timelineView } from '../../../src/session/views/timeline-view.ts'
import type { Attempt } from '../../../src/webhook/outbox.ts'
import { textsIn } from '../../documents/pages.ts'

const START = Date.UTC(2046, 5, 15, 12)
const ORIGIN = 'https://verifier.example'

const drawn: Step = { type: 'request_drawn', channel: 'qr' }
const fetched: Step = { type: 'request_fetched', channel: 'qr' }
const refusals: readonly Step[] = [
  { type: 'response_refused', reason: 'nonce_mismatch', channel: 'qr' },
  { type: 'response_refused', reason: 'untrusted_issuer', channel: 'qr' },
]

/** The verified session of docs/storage.md, with another course. */
function sessionOf(members: Partial<SessionDocument>): SessionDocument {
  const [json = ''] = textsIn('docs/storage.md', 'json')
  const document = readDocument(JSON.parse(json))
  if (document === undefined || document.erased) throw new Error('not a session')
  const { timeline: _, ...rest } = document
  return { ...rest, created_at: START, ended_at: START + 3_600_000, ...members }
}

/** Adds steps, one each second. */
function withSteps(steps: readonly Step[]): SessionDocument {
  const pending = sessionOf({ deliveries: [] })
  return steps.reduce((document, step, i) => addStep(document, step, START + i * 1_000), pending)
}

/** Returns steps of which no neighbours are equal. */
const refused = (count: number) => Array.from({ length: count }, (_, i) => refusals[i % 2] as Step)

const countOf = (entries: readonly { readonly count: number }[]) =>
  entries.reduce((sum, { count }) => sum + count, 0)

describe('the stored steps of a session', () => {
  it.each([0, 19, 20, 21, 39])(
    'include the first fetch of the request even if %i steps were before it',
    (place) => {
      const document = withSteps([...refused(place), fetched, ...refused(200), fetched])
      expect(document.timeline).toHaveLength(40)
      expect(firstTime(document, 'request_fetched')).toBe(START + place * 1_000)
    },
  )

  it('add up with `left_out` to the number of all steps; equal steps count one by one', () => {
    const steps = [drawn, drawn, ...refused(30), fetched, fetched, ...refused(200)]
    const { entries, left_out } = timelineView(withSteps(steps), ORIGIN)
    expect(left_out).toBeGreaterThan(0)
    expect(countOf(entries) + left_out).toBe(steps.length + 2) // creation and end
  })

  it('are all kept if there are at most 40 steps', () => {
    const { entries, left_out } = timelineView(withSteps(refused(40)), ORIGIN)
    expect([entries.length, left_out]).toEqual([42, 0])
  })
})

describe('a timeline', () => {
  /** Attempts whose neighbours differ, one each second. */
  const attempts = (count: number, from: number): readonly Attempt[] =>
    Array.from({ length: count }, (_, i) => ({
      attempt: i + 1,
      manual: true,
      at: from + i * 1_000,
      status: 500 + (i % 2),
      error: null,
    }))

  /** A session with many attempts of step events before its end, and many of its outcome after it. */
  function busySession(before: number, after: number): SessionDocument {
    const steps = withSteps([drawn, fetched, { type: 'redeemed' }])
    const [delivery] = sessionOf({}).deliveries
    if (delivery === undefined) throw new Error('no delivery')
    const deliveries = [
      { ...delivery, delivery_id: 'dlv_step', attempts: attempts(before, START) },
      { ...delivery, attempts: attempts(after, START + 3_600_000) },
    ]
    return { ...steps, deliveries }
  }

  it.each([
    [400, 10],
    [10, 400],
    [60, 60],
  ])(
    'keeps each event that occurred once, even with %i webhook attempts before the end and %i after it',
    (before, after) => {
      const { entries, left_out } = timelineView(busySession(before, after), ORIGIN)
      expect(entries).toHaveLength(100)
      expect(left_out).toBe(before + after + 5 - 100)
      const types = entries.map(({ type }) => type)
      for (const type of ['created', 'request_fetched', 'redeemed', 'ended'] as const) {
        expect(types.filter((one) => one === type)).toEqual([type])
      }
      expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())
      expect(entries.at(-1)?.at).toBe(new Date(START + 3_600_000 + (after - 1) * 1_000).toISOString())
    },
  )

  it('leaves out no entry if it has 100 entries', () => {
    const { entries, left_out } = timelineView(busySession(45, 50), ORIGIN)
    expect([entries.length, left_out]).toEqual([100, 0])
  })

  it('combines equal neighbouring webhook attempts in one entry, with the duration of the last attempt', () => {
    const outcomes = [
      { status: 500, error: null, duration_ms: 11 },
      { status: 500, error: null, duration_ms: 12 },
      { status: 500, error: null, duration_ms: 13 },
      { status: null, error: 'timeout', duration_ms: 14 },
      { status: null, error: 'connection', duration_ms: 15 },
      { status: 500, error: null, duration_ms: 16 },
    ] as const
    const [delivery] = sessionOf({}).deliveries
    if (delivery === undefined) throw new Error('no delivery')
    const made = outcomes.map((outcome, i) => ({
      ...outcome,
      attempt: i + 1,
      manual: false,
      at: START + i * 1_000,
    }))
    const of = (delivery_id: string, own: readonly Attempt[]) => ({ ...delivery, delivery_id, attempts: own })
    // The attempts of another delivery are equal too, and are counted for themselves.
    const deliveries = [of('dlv_a', made), of('dlv_b', made.slice(5))]
    const { entries, left_out } = timelineView(sessionOf({ deliveries }), ORIGIN)
    const second = (i: number) => new Date(START + i * 1_000).toISOString()
    const shown = entries.filter(({ type }) => type === 'webhook_attempt')
    expect(
      shown.map(({ at, last_at, ...entry }) => [
        entry.delivery_id,
        at,
        last_at,
        entry.count,
        entry.http_status,
        entry.error,
        entry.duration_ms,
      ]),
    ).toEqual([
      ['dlv_a', second(0), second(2), 3, 500, null, 13],
      ['dlv_a', second(3), second(3), 1, null, 'timeout', 14],
      ['dlv_a', second(4), second(4), 1, null, 'connection', 15],
      ['dlv_a', second(5), second(5), 1, 500, null, 16],
      ['dlv_b', second(5), second(5), 1, 500, null, 16],
    ])
    expect(left_out).toBe(0)
  })
})
