// Attempts of a step: each one that the step counts, with its own details.

import { describe, expect, it } from 'vitest'
import { type Attempt, attemptsOf, detailsOf } from '../../console/verifications/attempts.ts'

const REASON = {
  code: 'document_not_returned',
  message: 'The wallet did not return the document.',
  type: 'https://verifier.example/reasons/document_not_returned',
  retryable: true,
}
const STEP = {
  at: '2026-11-23T12:00:10.000Z',
  last_at: '2026-11-23T12:00:30.000Z',
  count: 3,
  type: 'response_refused',
  channel: 'qr',
  wallet: null,
  status: null,
  reason: REASON,
  clause: null,
  delivery_id: null,
  http_status: null,
  error: null,
  duration_ms: null,
} as const

const attemptAt = (second: number, changes: Partial<Attempt> = {}): Attempt => ({
  at: `2026-11-23T12:00:${second}.000Z`,
  channel: 'qr',
  reason: REASON,
  detail: null,
  document_errors: { pid: second },
  claimed_issuer: null,
  ...changes,
})

describe('the attempts of a step', () => {
  it('are the attempts between the first and the last time of the step, each with its own details', () => {
    const attempts = [10, 20, 30].map((second) => attemptAt(second))
    expect(attemptsOf(STEP, attempts).map(detailsOf)).toEqual(['pid: 10', 'pid: 20', 'pid: 30'])
  })

  it.each<[string, Attempt]>([
    ['before the step', attemptAt(10, { at: '2026-11-23T12:00:09.999Z' })],
    ['after the step', attemptAt(30, { at: '2026-11-23T12:00:30.001Z' })],
    ['with another reason', attemptAt(20, { reason: { ...REASON, code: 'nonce_mismatch' } })],
    ['over another channel', attemptAt(20, { channel: 'dc_api' })],
  ])('do not include an attempt %s', (_, attempt) => {
    expect(attemptsOf(STEP, [attempt])).toEqual([])
  })

  it('are an empty list if the step is of a type without attempts', () => {
    expect(attemptsOf({ ...STEP, type: 'ended' }, [attemptAt(20)])).toEqual([])
  })
})

describe('the details of an attempt', () => {
  it.each<[Partial<Attempt>, string]>([
    [{ detail: 'leaf_is_ca', document_errors: null }, 'leaf_is_ca'],
    [{ document_errors: { pid: 0, mdl: 10 } }, 'pid: 0, mdl: 10'],
    [{ document_errors: null }, ''],
  ])('the details of an attempt with the members %j are shown as "%s"', (members, expected) => {
    expect(detailsOf(attemptAt(20, members))).toBe(expected)
  })
})
