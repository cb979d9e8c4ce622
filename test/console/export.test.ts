// The file of the list: every page once, its limits, and its columns.

import { describe, expect, it } from 'vitest'
import { csvName } from '../../console/csv.ts'
import { CALLS, type PageAnswer, ROWS, readAll, tableOf } from '../../console/list/export.ts'
import type { VerificationPage } from '../../packages/client/src/wire.ts'

type Entry = VerificationPage['verifications'][number]

const REASON = { code: 'untrusted_issuer', message: '', retryable: true, type: '' }

const entryOf = (number: number, members: Partial<Entry> = {}): Entry => ({
  verification_id: `v_${number}`,
  status: 'pending',
  stage: 'created',
  created_at: '2026-11-22T12:00:00.000Z',
  ended_at: null,
  expires_at: '2026-11-22T12:10:00.000Z',
  credential_types: ['pid', 'mdl'],
  reason: null,
  attempt_count: 0,
  last_attempt_reason: null,
  webhook_state: null,
  metadata: {},
  livemode: false,
  ...members,
})

/** A list of so many entries, page by page. `calls`: the cursors that were read. */
function listOf(count: number, size = 100) {
  const calls: (string | undefined)[] = []
  const read = async (after: string | undefined): Promise<PageAnswer<object>> => {
    calls.push(after)
    const first = Number(after ?? 0)
    const end = Math.min(count, first + size)
    const verifications = Array.from({ length: end - first }, (_, i) => entryOf(first + i))
    return {
      ok: true,
      value: { verifications, next: end < count ? String(end) : null, has_more: end < count },
    }
  }
  return { calls, read }
}

const goOn = () => true

describe('the rows of a file', () => {
  it('a file has the rows of every page, and the progress is reported after each page', async () => {
    const { read, calls } = listOf(250)
    const counts: number[] = []
    const result = await readAll({ read, progress: (count) => counts.push(count) > 0 })
    expect(result).toMatchObject({ isCut: false, leftOut: [], problem: null })
    expect(new Set(result.entries.map(({ verification_id }) => verification_id)).size).toBe(250)
    expect([calls, counts]).toEqual([
      [undefined, '100', '200'],
      [100, 200, 250],
    ])
  })

  it('a file has one row for an entry that is on two pages, with the status of the later page', async () => {
    const pages = [[entryOf(1), entryOf(2)], [entryOf(2, { status: 'verified' })]]
    const read = async (after?: string): Promise<PageAnswer<object>> => {
      const verifications = pages[after === undefined ? 0 : 1] ?? []
      return {
        ok: true,
        value: { verifications, next: after === undefined ? 'next' : null, has_more: false },
      }
    }
    const { entries } = await readAll({ read, progress: goOn })
    expect(entries.map(({ status }) => status)).toEqual(['pending', 'verified'])
  })

  it(`a file has at most ${ROWS} rows, and reports that the rest is cut`, async () => {
    const { read, calls } = listOf(ROWS + 1)
    const result = await readAll({ read, progress: goOn })
    expect([result.entries.length, result.isCut, calls.length]).toEqual([ROWS, true, ROWS / 100])
    const whole = await readAll({ read: listOf(ROWS).read, progress: goOn })
    expect([whole.entries.length, whole.isCut]).toEqual([ROWS, false])
  })

  it(`end after ${CALLS} pages, even if all pages are empty`, async () => {
    let calls = 0
    const read = async (): Promise<PageAnswer<object>> => {
      calls += 1
      return { ok: true, value: { verifications: [], next: String(calls), has_more: true } }
    }
    expect(await readAll({ read, progress: goOn })).toMatchObject({ entries: [], isCut: true })
    expect(calls).toBe(CALLS)
  })

  it('end at the page at which the person stops the export', async () => {
    const { read } = listOf(500)
    const result = await readAll({ read, progress: (count) => count < 200 })
    expect([result.entries.length, result.isCut]).toEqual([200, true])
  })

  it('a file names the left-out days, and the problem of a page that cannot be read', async () => {
    const problem = { status: 503, code: 'failed', detail: '', request_id: null, errors: [] }
    const read = async (after?: string): Promise<PageAnswer<object>> => {
      if (after !== undefined) return { ok: false, problem }
      const value = { verifications: [entryOf(1)], next: 'next', has_more: true, incomplete: ['2026-11-21'] }
      return { ok: true, value }
    }
    const result = await readAll({ read, progress: goOn })
    expect(result).toMatchObject({ problem, leftOut: ['2026-11-21'], isCut: true })
  })
})

describe('the columns of a file', () => {
  it('are the members of the API, then the keys of the metadata', () => {
    const [header, rows] = tableOf([
      entryOf(1, { metadata: { order: '10777' }, attempt_count: 2, last_attempt_reason: REASON }),
      entryOf(2, { metadata: { name: '=cmd', order: '' }, reason: REASON, livemode: true }),
    ])
    expect(header.slice(-3)).toEqual(['livemode', 'metadata.name', 'metadata.order'])
    expect(header.slice(0, 4)).toEqual(['verification_id', 'status', 'stage', 'created_at'])
    expect(rows[0]).toEqual([
      ...['v_1', 'pending', 'created', '2026-11-22T12:00:00.000Z', '', '2026-11-22T12:10:00.000Z'],
      ...['pid mdl', '', '2', 'untrusted_issuer', '', 'false', '', '10777'],
    ])
    expect(rows[1]?.slice(-7)).toEqual(['untrusted_issuer', '0', '', '', 'true', '=cmd', ''])
  })

  it('have the metadata as JSON if there are more than 50 keys', () => {
    const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`key ${i}`, 'x']))
    const [header, rows] = tableOf([entryOf(1, { metadata })])
    expect(header.at(-1)).toBe('metadata')
    expect(JSON.parse(rows[0]?.at(-1) ?? '')).toEqual(metadata)
  })
})

it('the name of a file has the mode and the day in UTC', () => {
  expect(csvName('verifications', 'test', Date.UTC(2027, 0, 31, 23, 59))).toBe(
    'verifications-test-2027-01-31.csv',
  )
})
