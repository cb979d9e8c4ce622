import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addGeneration,
  aliveGenerations,
  handOut,
  newestGeneration,
  type StoredGeneration,
} from '../../../src/session/document/generations.ts'

const T0 = 1_700_000_000_000

function generation(number: number, created_at = T0): StoredGeneration {
  return {
    number,
    nonce: `nonce-${number}`,
    x: 'x',
    y: 'y',
    sealed_key: 'sealed',
    channel: 'qr',
    browser: null,
    created_at,
    superseded_at: null,
    handed_out_at: null,
    fetched: false,
    viewed: false,
    used_at: created_at,
  }
}

const numbers = (generations: readonly StoredGeneration[]) => generations.map(({ number }) => number)

/** Adds generations 1 to `count`, one each second. Those in `fetched` are handed out at once. */
function render(count: number, fetched: (number: number) => boolean = () => false) {
  let all: readonly StoredGeneration[] = []
  for (let number = 1; number <= count; number++) {
    all = addGeneration(all, generation(number, T0 + number * 1000))
    all = all.map((one) =>
      one.number === number && fetched(number) ? handOut(one, T0 + number * 1000, 'fetched') : one,
    )
  }
  return all
}

describe('the valid requests of a session', () => {
  it('include the newest request, however old it is', () => {
    expect(numbers(aliveGenerations(render(1), T0 + 86_400_000))).toEqual([1])
  })

  it('include an older request that nobody fetched, until 60 s after it was superseded', () => {
    const two = render(2)
    expect(numbers(aliveGenerations(two, T0 + 2000 + 59_999))).toEqual([1, 2])
    expect(numbers(aliveGenerations(two, T0 + 2000 + 60_000))).toEqual([2])
  })

  it('include the newest request and at most eight older requests that nobody fetched; the oldest is dropped first', () => {
    expect(numbers(render(12))).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  it('include a fetched request until the session ends', () => {
    const alive = aliveGenerations(
      render(20, (number) => number === 3),
      T0 + 86_400_000,
    )
    expect(numbers(alive)).toEqual([3, 20])
  })

  it('include at most 32 fetched requests, and the least recently used is dropped first', () => {
    const forty = render(40, () => true)
    expect(numbers(aliveGenerations(forty, T0 + 41_000))).toEqual(Array.from({ length: 32 }, (_, i) => i + 9))
    const used = forty.map((one) => (one.number === 9 ? handOut(one, T0 + 50_000, 'fetched') : one))
    const next = addGeneration(used, handOut(generation(41, T0 + 51_000), T0 + 51_000, 'fetched'))
    expect(numbers(next)).toEqual([9, ...Array.from({ length: 31 }, (_, i) => i + 11)])
  })

  it('include the request with the highest number even if simultaneous requests are stored out of order', () => {
    const swapped = [2, 3, 1].reduce<readonly StoredGeneration[]>(
      (all, number) => addGeneration(all, generation(number)),
      [],
    )
    const superseded = swapped.map(({ number, superseded_at }) => [number, superseded_at])
    expect(superseded).toEqual([
      [2, T0],
      [3, null],
      [1, T0],
    ])
    expect(numbers(aliveGenerations(swapped, T0 + 60_000))).toEqual([3])
    const later = addGeneration(swapped, generation(4, T0 + 60_000))
    expect(numbers(aliveGenerations(later, T0 + 60_000 + 59_999))).toEqual([3, 4])
  })

  it('include a request that was read in the OpenID4VP view, even 24 hours later', () => {
    const one = [handOut(generation(1), T0, 'viewed')]
    const alive = aliveGenerations(addGeneration(one, generation(2, T0 + 1000)), T0 + 86_400_000)
    expect(numbers(alive)).toEqual([1, 2])
  })
})

describe('QR codes and links', () => {
  type Step = { readonly kind: 'qr' | 'link'; readonly does: 'made' | 'fetched'; readonly which: number }

  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('qr', 'link'),
    does: fc.constantFrom('made', 'fetched'),
    which: fc.nat({ max: 9 }),
  })

  /**
   * Returns the live generations after the steps, one each second. A fetch is of one of the youngest. A step
   * of another session still takes its second and its number.
   */
  function aliveAfter(steps: readonly (Step | null)[]): readonly StoredGeneration[] {
    return steps.reduce<readonly StoredGeneration[]>((all, each, index) => {
      const now = T0 + index * 1000
      if (each === null) return all
      const browser = each.kind === 'qr' ? null : `browser-${each.which % 3}`
      if (each.does === 'made')
        return addGeneration(all, { ...generation(index, now), channel: each.kind, browser })
      const live = aliveGenerations(all, now).filter(({ channel }) => channel === each.kind)
      const fetched = live.at(-1 - each.which)
      return all.map((one) => (one === fetched ? handOut(one, now, 'fetched') : one))
    }, [])
  }

  it.each(['qr', 'link'] as const)(
    'are independent: a %s request is valid for the same time with and without requests of the other kind',
    (kind) => {
      const history = fc.array(step, { minLength: 100, maxLength: 250, size: 'max' })
      fc.assert(
        fc.property(history, (steps) => {
          const end = T0 + steps.length * 1000
          const own = (all: readonly StoredGeneration[]) =>
            aliveGenerations(all, end).filter(({ channel }) => channel === kind)
          expect(own(aliveAfter(steps))).toEqual(
            own(aliveAfter(steps.map((each) => (each.kind === kind ? each : null)))),
          )
        }),
        { numRuns: 200, seed: 17 },
      )
    },
  )

  it('a fetched QR code stays valid after any number of fetched links, and a fetched link stays valid after any number of fetched QR codes', () => {
    for (const [kind, other] of [
      ['qr', 'link'],
      ['link', 'qr'],
    ] as const) {
      const flood = Array.from({ length: 100 }, (_, which): Step[] => [
        { kind: other, does: 'made', which },
        { kind: other, does: 'fetched', which: 0 },
      ]).flat()
      const honest: Step[] = [
        { kind, does: 'made', which: 0 },
        { kind, does: 'fetched', which: 0 },
        { kind, does: 'made', which: 0 },
      ]
      expect(numbers(aliveAfter([...honest, ...flood])).slice(0, 2)).toEqual([0, 2])
    }
  })
})

describe('fetching a request', () => {
  it('keeps the time of the first fetch, and updates the time of the last fetch', () => {
    const once = handOut(generation(1), T0 + 1, 'fetched')
    const twice = handOut(once, T0 + 2, 'fetched')
    expect(twice).toMatchObject({ handed_out_at: T0 + 1, used_at: T0 + 2, fetched: true, viewed: false })
  })

  it('is not needed for a request to be the newest one', () => {
    expect(newestGeneration(render(5), 'any_device')?.number).toBe(5)
    expect(newestGeneration([], 'any_device')).toBeUndefined()
  })
})
