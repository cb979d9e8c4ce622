import { describe, expect, it } from 'vitest'
import type { AttemptOutcome } from '../../src/webhook/delivery.ts'
import {
  type Delivery,
  dueDeliveries,
  enqueue,
  finishAttempt,
  isExhausted,
  latestAttempt,
  MANUAL_ATTEMPTS,
  markDead,
  nextDue,
  plannedAttempt,
  postpone,
  startAttempt,
  startManualAttempt,
} from '../../src/webhook/outbox.ts'

const NOW = Date.UTC(2026, 10, 21)
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const OWED = enqueue(
  [],
  {
    delivery_id: 'dlv_1',
    event_id: 'evt_1',
    event_type: 'verification.verified',
    sequence: 1,
    body: '{"event_id":"evt_1"}',
  },
  NOW,
)

const DELIVERED: AttemptOutcome = { status: 200, error: null, retryAfter: null, durationMs: 80 }
const FAILED: AttemptOutcome = { status: 500, error: null, retryAfter: null, durationMs: 80 }

const only = (deliveries: readonly Delivery[]): Delivery => deliveries[0]!

const start = (deliveries: readonly Delivery[], now = NOW) => startAttempt(deliveries, 'dlv_1', now)

function manual(deliveries: readonly Delivery[], now = NOW): readonly Delivery[] {
  const begun = startManualAttempt(deliveries, 'dlv_1', now)
  if (!begun.ok) throw new Error(begun.error)
  return begun.value
}

function finish(deliveries: readonly Delivery[], outcome: AttemptOutcome, now = NOW, attempt?: number) {
  const number = attempt ?? latestAttempt(only(deliveries))
  return finishAttempt(deliveries, { deliveryId: 'dlv_1', attempt: number, outcome, now, jitter: 0 })
}

/** The delivery after so many failed automatic attempts, each at its due time. */
function afterFailures(count: number): readonly Delivery[] {
  let deliveries = OWED
  for (let i = 0; i < count; i++) {
    const now = nextDue(deliveries)!
    deliveries = finish(start(deliveries, now), FAILED, now)
  }
  return deliveries
}

describe('a queued event', () => {
  it('is due at once and has no attempt yet', () => {
    expect(only(OWED)).toEqual({
      delivery_id: 'dlv_1',
      event_id: 'evt_1',
      event_type: 'verification.verified',
      sequence: 1,
      body: '{"event_id":"evt_1"}',
      state: 'owed',
      automatic_attempts: 0,
      next_attempt_at: NOW,
      attempts: [],
    })
    expect(dueDeliveries(OWED, NOW)).toEqual(OWED)
    expect(dueDeliveries(OWED, NOW - 1)).toEqual([])
  })

  it('does not change the deliveries that were queued before it', () => {
    const both = enqueue(
      OWED,
      {
        delivery_id: 'dlv_2',
        event_id: 'evt_2',
        event_type: 'x',
        sequence: 2,
        body: '',
      },
      NOW + 5,
    )
    expect(both[0]).toBe(OWED[0])
    expect(nextDue(both)).toBe(NOW)
    expect(dueDeliveries(startAttempt(both, 'dlv_1', NOW), NOW + 5).map((one) => one.event_id)).toEqual([
      'evt_2',
    ])
  })

  it('consists of plain data, so that it can be stored', () => {
    const stored = finish(start(OWED), FAILED)
    expect(JSON.parse(JSON.stringify(stored))).toEqual(stored)
  })
})

describe('an attempt that was started', () => {
  it('is counted and logged before its outcome is known', () => {
    const begun = only(start(OWED))
    expect(begun).toMatchObject({ state: 'owed', automatic_attempts: 1 })
    expect(begun.attempts).toEqual([{ attempt: 1, at: NOW, manual: false, status: null, error: 'unknown' }])
  })

  it('makes the delivery due again after 20 s plus the wait of the schedule', () => {
    // 15 s for the receiver, 5 s of margin, 5 s of schedule
    expect(nextDue(start(OWED))).toBe(NOW + 25 * SECOND)
    expect(nextDue(start(afterFailures(4), NOW))).toBe(NOW + 20 * SECOND + 24 * HOUR)
  })

  it('leaves the delivery queued for 20 s, or until its result is known, if it is the sixth attempt', () => {
    const sixth = start(afterFailures(5))
    expect(only(sixth)).toMatchObject({ state: 'owed', automatic_attempts: 6 })
    expect(nextDue(sixth)).toBe(NOW + 20 * SECOND)
    expect(plannedAttempt(only(sixth))).toBeNull()
    expect(only(finish(sixth, DELIVERED)).state).toBe('delivered')
    expect(only(finish(sixth, FAILED))).toMatchObject({ state: 'dead', next_attempt_at: null })
  })

  it('is not followed by another attempt if it is the sixth, even if it has no result', () => {
    const sixth = start(afterFailures(5))
    expect(isExhausted(only(sixth))).toBe(true)
    expect(start(sixth)).toEqual(sixth)
    expect(postpone(sixth, 'dlv_1', NOW + HOUR)).toEqual(sixth)
    expect(only(markDead(sixth, 'dlv_1'))).toMatchObject({ state: 'dead', next_attempt_at: null })
  })

  it('does not change the delivery object that was passed to the function', () => {
    const before = JSON.stringify(OWED)
    finish(start(OWED), DELIVERED)
    expect(JSON.stringify(OWED)).toBe(before)
  })

  it.each([
    ['delivered', finish(start(OWED), DELIVERED)],
    ['dead', markDead(OWED, 'dlv_1')],
    ['exhausted', afterFailures(6)],
  ])('an attempt is not started for a delivery that is %s', (_, deliveries) => {
    expect(start(deliveries)).toEqual(deliveries)
  })
})

describe('a finished attempt', () => {
  it('completes the delivery if it succeeded', () => {
    const done = only(finish(start(OWED), DELIVERED))
    expect(done).toMatchObject({ state: 'delivered', next_attempt_at: null })
    expect(done.attempts).toEqual([
      { attempt: 1, at: NOW, manual: false, status: 200, error: null, duration_ms: 80 },
    ])
  })

  it('is followed after a failure by the next attempt of the schedule', () => {
    const waits = [1, 2, 3, 4, 5].map((count) => {
      const deliveries = afterFailures(count)
      return nextDue(deliveries)! - only(deliveries).attempts.at(-1)!.at
    })
    expect(waits).toEqual([5 * SECOND, MINUTE, 10 * MINUTE, 2 * HOUR, 24 * HOUR])
  })

  it('is the last attempt if it is the sixth failure', () => {
    const dead = only(afterFailures(6))
    expect(dead).toMatchObject({ state: 'dead', next_attempt_at: null, automatic_attempts: 6 })
    expect(dead.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('delays the next attempt as the receiver requests, or as the schedule sets plus a random time', () => {
    const outcome = { ...FAILED, status: 503, retryAfter: 2 * MINUTE }
    expect(nextDue(finish(start(OWED), outcome))).toBe(NOW + 2 * MINUTE)
    const finished = { deliveryId: 'dlv_1', attempt: 1, outcome: FAILED, now: NOW, jitter: 1 }
    expect(nextDue(finishAttempt(start(OWED), finished))).toBe(NOW + 6 * SECOND)
  })

  it('leaves the delivery queued after the status 410, unless the attempt was the sixth', () => {
    const gone = { ...FAILED, status: 410 }
    expect(only(finish(start(OWED), gone))).toMatchObject({ state: 'owed', automatic_attempts: 1 })
    expect(only(finish(start(afterFailures(5)), gone))).toMatchObject({
      state: 'dead',
      next_attempt_at: null,
    })
  })

  it('stores the start of the response body, but only for the last ten attempts of a delivery', () => {
    let deliveries = OWED
    for (let number = 1; number <= 11; number++) {
      deliveries = number <= 6 ? start(deliveries, nextDue(deliveries)!) : manual(deliveries)
      deliveries = finish(deliveries, { ...FAILED, excerpt: `response ${number}` })
    }
    const kept = Array.from({ length: 10 }, (_, index) => `response ${index + 2}`)
    expect(only(deliveries).attempts.map(({ excerpt }) => excerpt)).toEqual([undefined, ...kept])
  })

  it.each(['timeout', 'connection', 'redirect', 'forbidden_url'] as const)(
    'stores its error in the log: %s',
    (error) => {
      const failed = only(finish(start(OWED), { ...FAILED, status: null, error }))
      expect(failed.attempts[0]).toMatchObject({ status: null, error })
      expect(failed.state).toBe('owed')
    },
  )

  it('completes the delivery if it succeeds late, after the next attempt was started', () => {
    const second = start(start(OWED), NOW + 25 * SECOND)
    expect(only(finish(second, DELIVERED, NOW + 26 * SECOND, 1)).state).toBe('delivered')
  })

  it('does not change the schedule if it fails late, after the next attempt was started', () => {
    const second = start(start(OWED), NOW + 25 * SECOND)
    const late = finish(second, FAILED, NOW + 26 * SECOND, 1)
    expect(nextDue(late)).toBe(nextDue(second))
    expect(only(late).attempts.map(({ error }) => error)).toEqual([null, 'unknown'])
  })

  it('changes a delivery that is already dead only if it succeeded', () => {
    const dead = markDead(start(OWED), 'dlv_1')
    expect(only(finish(dead, FAILED))).toMatchObject({ state: 'dead', next_attempt_at: null })
    expect(only(finish(dead, DELIVERED)).state).toBe('delivered')
  })
})

describe('an attempt that the relying party starts manually', () => {
  it('sends the same bytes, is logged as manual and is not one of the six automatic attempts', () => {
    const begun = only(manual(afterFailures(6), NOW + HOUR))
    expect(begun.body).toBe(only(OWED).body)
    expect(begun.attempts.at(-1)).toEqual({
      attempt: 7,
      at: NOW + HOUR,
      manual: true,
      status: null,
      error: 'unknown',
    })
    expect(begun.automatic_attempts).toBe(6)
  })

  it('makes a dead delivery delivered if it succeeds, and leaves it dead if it fails', () => {
    const begun = manual(afterFailures(6))
    expect(only(finish(begun, DELIVERED))).toMatchObject({ state: 'delivered', next_attempt_at: null })
    expect(only(finish(begun, FAILED))).toMatchObject({ state: 'dead', next_attempt_at: null })
  })

  it('leaves the delivery as delivered if an earlier attempt succeeded and this attempt fails', () => {
    const begun = manual(finish(start(OWED), DELIVERED))
    expect(only(finish(begun, FAILED))).toMatchObject({ state: 'delivered', next_attempt_at: null })
  })

  it('does not change the schedule of a queued delivery, unless the attempt succeeds', () => {
    const owed = afterFailures(2)
    const begun = manual(owed)
    expect(nextDue(begun)).toBe(nextDue(owed))
    expect(nextDue(finish(begun, FAILED))).toBe(nextDue(owed))
    expect(only(finish(begun, DELIVERED))).toMatchObject({ state: 'delivered', next_attempt_at: null })
  })

  it('is not counted as an automatic attempt, even if it is made before the automatic attempts', () => {
    const first = finish(start(OWED), FAILED)
    const second = start(finish(manual(first), FAILED), NOW)
    expect(nextDue(finish(second, FAILED))).toBe(NOW + MINUTE)
  })

  it('does not change the schedule if an automatic attempt is also running and has no result yet', () => {
    const both = manual(start(OWED))
    expect(nextDue(finish(both, FAILED, NOW, 1))).toBe(NOW + 5 * SECOND)
  })

  it.each([
    ['not_found', [] as readonly Delivery[]],
    [
      'limit_reached',
      Array.from({ length: MANUAL_ATTEMPTS }).reduce<readonly Delivery[]>((all) => manual(all), OWED),
    ],
  ])('is rejected: %s', (error, deliveries) => {
    expect(startManualAttempt(deliveries, 'dlv_1', NOW)).toEqual({ ok: false, error })
  })
})

describe('the function that gives up a delivery', () => {
  it('makes a queued delivery dead, and does not change a delivered one', () => {
    expect(only(markDead(OWED, 'dlv_1'))).toMatchObject({
      state: 'dead',
      next_attempt_at: null,
      attempts: [],
    })
    const delivered = finish(start(OWED), DELIVERED)
    expect(markDead(delivered, 'dlv_1')).toEqual(delivered)
  })
})

describe('any sequence of attempt outcomes', () => {
  // Each of the six attempts succeeds, fails, loses its response in a crash, or is lost before the POST.
  const FATES = ['succeeds', 'fails', 'crashes'] as const
  const histories = Array.from({ length: FATES.length ** 6 }, (_, n) =>
    [0, 1, 2, 3, 4, 5].map((place) => FATES[Math.floor(n / FATES.length ** place) % FATES.length]!),
  )

  it('posts an event at most six times, and ends as delivered after a reported success, otherwise as dead', () => {
    for (const fates of histories) {
      let deliveries = OWED
      let posts = 0
      for (let now = nextDue(deliveries); now !== null; now = nextDue(deliveries)) {
        if (isExhausted(only(deliveries))) {
          deliveries = markDead(deliveries, 'dlv_1')
          continue
        }
        const fate = fates[posts]
        deliveries = start(deliveries, now)
        posts++
        if (fate === 'succeeds') deliveries = finish(deliveries, DELIVERED, now)
        if (fate === 'fails') deliveries = finish(deliveries, FAILED, now)
        expect(posts).toBeLessThanOrEqual(6)
      }
      const firstSuccess = fates.indexOf('succeeds')
      expect([only(deliveries).state, posts]).toEqual(
        firstSuccess === -1 ? ['dead', 6] : ['delivered', firstSuccess + 1],
      )
    }
  })
})
