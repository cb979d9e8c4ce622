import { describe, expect, it } from 'vitest'
import {
  addGeneration,
  aliveGenerations,
  handOut,
  newestGeneration,
  type StoredGeneration,
} from '../../src/session/generations.ts'

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

/** Adds generations 1 to `count`, a second apart, each handed out at once where `fetched` says so. */
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

describe('which generations are alive', () => {
  it('the newest, for however long nobody renders again', () => {
    expect(numbers(aliveGenerations(render(1), T0 + 86_400_000))).toEqual([1])
  })

  it('an older one that nobody fetched, until 60 s after it was superseded', () => {
    const two = render(2)
    expect(numbers(aliveGenerations(two, T0 + 2000 + 59_999))).toEqual([1, 2])
    expect(numbers(aliveGenerations(two, T0 + 2000 + 60_000))).toEqual([2])
  })

  it('of those at most eight, the oldest going first', () => {
    expect(numbers(render(12))).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  it('a fetched one until the session ends', () => {
    const alive = aliveGenerations(
      render(20, (number) => number === 3),
      T0 + 86_400_000,
    )
    expect(numbers(alive)).toEqual([3, 20])
  })

  it('of those at most 32, the least recently used going first', () => {
    const forty = render(40, () => true)
    expect(numbers(aliveGenerations(forty, T0 + 41_000))).toEqual(Array.from({ length: 32 }, (_, i) => i + 9))
    const used = forty.map((one) => (one.number === 9 ? handOut(one, T0 + 50_000, 'fetched') : one))
    const next = addGeneration(used, handOut(generation(41, T0 + 51_000), T0 + 51_000, 'fetched'))
    expect(numbers(next)).toEqual([9, ...Array.from({ length: 31 }, (_, i) => i + 11)])
  })

  it('the newest by number, where renders at the same time were written out of order', () => {
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

  it('one whose view was read, as one that was fetched', () => {
    const one = [handOut(generation(1), T0, 'viewed')]
    const alive = aliveGenerations(addGeneration(one, generation(2, T0 + 1000)), T0 + 86_400_000)
    expect(numbers(alive)).toEqual([1, 2])
  })
})

describe('handing out', () => {
  it('keeps the first time and moves the last', () => {
    const once = handOut(generation(1), T0 + 1, 'fetched')
    const twice = handOut(once, T0 + 2, 'fetched')
    expect(twice).toMatchObject({ handed_out_at: T0 + 1, used_at: T0 + 2, fetched: true, viewed: false })
  })

  it('leaves the newest the newest', () => {
    expect(newestGeneration(render(5), 'any_device')?.number).toBe(5)
    expect(newestGeneration([], 'any_device')).toBeUndefined()
  })
})
