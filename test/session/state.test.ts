import { describe, expect, it } from 'vitest'
import { STATUSES } from '../../src/api/values.ts'
import { transition } from '../../src/session/document/state.ts'

const TERMINAL = STATUSES.filter((status) => status !== 'pending')

describe('the table of transitions between statuses', () => {
  it.each(TERMINAL)('allows the transition from pending to %s', (status) => {
    expect(transition('pending', status)).toBe(status)
  })

  it.each(TERMINAL)('allows no transition of a session with the status %s', (from) => {
    for (const to of TERMINAL) expect(transition(from, to)).toBeUndefined()
  })
})
