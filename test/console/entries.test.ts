// The list of the console: new entries arrive while older entries are read, without gaps and duplicates.

import { describe, expect, it } from 'vitest'
import {
  cursorOf,
  EMPTY,
  type Entry,
  isShort,
  type Listing,
  withChanged,
  withNewest,
  withOlder,
} from '../../console/verifications/entries.ts'

const ENTRY = {
  status: 'pending',
  stage: 'created',
  created_at: '2026-11-22T12:00:00Z',
  ended_at: null,
  expires_at: '2026-11-22T12:10:00Z',
  credential_types: [],
  reason: null,
  attempt_count: 0,
  last_attempt_reason: null,
  webhook_state: null,
  metadata: {},
  livemode: false,
} as const

/** A page of the entries with these numbers; `next`: where the page after it begins. */
function pageOf(numbers: readonly number[], next: string | null = null, status: Entry['status'] = 'pending') {
  const verifications = numbers.map((number) => ({ ...ENTRY, verification_id: `v_${number}`, status }))
  return { verifications, next, has_more: next !== null }
}

const numbersOf = ({ entries }: Listing) =>
  entries.map(({ verification_id }) => Number(verification_id.slice(2)))
const first = withNewest(EMPTY, pageOf([5, 4, 3], 'before 3'), true)
const both = withOlder(first, pageOf([2, 1]))

describe('the newest page of the list', () => {
  it('adds new entries before the shown entries, and keeps older entries', () => {
    const listing = withNewest(both, pageOf([7, 6, 5], 'before 5'), true)
    expect(numbersOf(listing)).toEqual([7, 6, 5, 4, 3, 2, 1])
    expect(listing).toMatchObject({ next: null, waiting: 0 })
  })

  it('keeps the cursor of the oldest page', () => {
    expect(withNewest(first, pageOf([6, 5, 4], 'before 4'), true).next).toBe('before 3')
  })

  it('replaces the list if entries between the two pages may be missing', () => {
    const listing = withNewest(both, pageOf([20, 19, 18], 'before 18'), true)
    expect(numbersOf(listing)).toEqual([20, 19, 18])
    expect(listing.next).toBe('before 18')
  })

  it('removes entries that no longer match', () => {
    expect(numbersOf(withNewest(both, pageOf([6, 5, 3], 'before 3'), true))).toEqual([6, 5, 3, 2, 1])
    expect(numbersOf(withNewest(both, pageOf([5]), true))).toEqual([5])
  })

  it('counts new entries but does not add them while a person uses the list, and updates the shown entries', () => {
    const listing = withNewest(both, pageOf([7, 6, 5], 'before 5', 'verified'), false)
    expect(numbersOf(listing)).toEqual([5, 4, 3, 2, 1])
    expect(listing.waiting).toBe(2)
    expect(listing.entries.map(({ status }) => status)).toEqual(['verified', ...Array(4).fill('pending')])
    expect(numbersOf(withNewest(listing, pageOf([7, 6, 5], 'before 5'), true))).toEqual([7, 6, 5, 4, 3, 2, 1])
  })

  it.each([true, false])(
    'keeps the older entries of the list if the page has a cursor but no entry (mayMove: %s)',
    (mayMove) => {
      const none = withNewest(EMPTY, pageOf([], 'before 50'), mayMove)
      expect(none).toMatchObject({ entries: [], next: 'before 50', isSparse: true })
      const found = withOlder(none, pageOf([5, 4], 'before 4'))
      const listing = withNewest(found, pageOf([], 'before 51'), mayMove)
      expect(numbersOf(listing)).toEqual([5, 4])
      expect(listing).toMatchObject({ next: 'before 4', waiting: 0, isSparse: false })
      const end = withOlder(none, pageOf([]))
      expect(withNewest(end, pageOf([], 'before 51'), mayMove)).toMatchObject({ entries: [], next: null })
    },
  )

  it('empties the list if no entry matches any more', () => {
    expect(numbersOf(withNewest(both, pageOf([]), true))).toEqual([])
  })

  it('adds entries to an empty list, even while a person uses the list', () => {
    expect(numbersOf(withNewest(EMPTY, pageOf([1]), false))).toEqual([1])
  })
})

describe('an older page of the list', () => {
  it('is added to the end of the list, with each entry once', () => {
    expect(numbersOf(withOlder(first, pageOf([3, 2, 1])))).toEqual([5, 4, 3, 2, 1])
  })

  it('an older page without an entry does not cause a read of the next page', () => {
    expect(withOlder(first, pageOf([], 'before 1'))).toMatchObject({ next: 'before 1', isSparse: true })
  })
})

describe('a page with a limit of two entries', () => {
  it.each([
    [[], 'before 1', true],
    [[3], 'before 3', true],
    [[3, 2], 'before 2', false],
    [[3], null, false],
  ] as const)(
    'with the entries %j and the cursor %j causes a read of the next page: %s',
    (numbers, next, expected) => {
      expect(isShort(pageOf(numbers, next), 2)).toBe(expected)
    },
  )
})

describe('pages that are read again', () => {
  const third = withOlder(withOlder(first, pageOf([2, 1], 'before 1')), pageOf([0]))
  const cursorsOf = (listing: Listing) => listing.entries.map((_, place) => cursorOf(listing, place))

  it('each begin after the last entry of the previous page', () => {
    expect(cursorsOf(third)).toEqual([null, null, null, 'before 3', 'before 3', 'before 1'])
    expect(cursorOf(third, 99)).toBe('before 1')
    expect(cursorOf(EMPTY, 0)).toBeNull()
  })

  it('leave no gap between the newest page and the older pages if new entries have arrived', () => {
    const moved = withNewest(third, pageOf([7, 6, 5], 'before 5'), true)
    expect(cursorsOf(moved)).toEqual([
      null,
      null,
      null,
      ...Array(2).fill('before 5'),
      ...Array(2).fill('before 3'),
      'before 1',
    ])
  })

  it('update the shown entries, and add no entry', () => {
    const listing = withChanged(third, pageOf([2, 1, -1], 'before -1', 'verified'))
    expect(numbersOf(listing)).toEqual([5, 4, 3, 2, 1, 0])
    expect(listing.entries.map(({ status }) => status === 'verified')).toEqual([
      false,
      false,
      false,
      true,
      true,
      false,
    ])
    expect(listing.next).toBe(third.next)
  })
})

describe('days that are left out', () => {
  const incomplete = (page: ReturnType<typeof pageOf>, ...days: readonly string[]) => ({
    ...page,
    incomplete: days,
  })

  it('the list names the left-out days of all pages that were read, each day once', () => {
    const newest = withNewest(EMPTY, incomplete(pageOf([5, 4], 'before 4'), '2026-11-21'), true)
    const all = withOlder(newest, incomplete(pageOf([3]), '2026-11-19', '2026-11-21'))
    expect(all.leftOut).toEqual(['2026-11-19', '2026-11-21'])
    expect(withChanged(all, pageOf([5, 4], 'before 4')).leftOut).toEqual(all.leftOut)
  })

  it('are also named if the newest page finds no entry', () => {
    const found = withNewest(both, incomplete(pageOf([], 'older'), '2026-11-21'), true)
    expect(found.leftOut).toEqual(['2026-11-21'])
  })

  it('are no longer named after the whole list was read without a left-out day', () => {
    const damaged = withNewest(EMPTY, incomplete(pageOf([5]), '2026-11-21'), true)
    expect(withNewest(damaged, pageOf([5, 4]), true).leftOut).toEqual([])
  })
})
