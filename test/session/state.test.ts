import { describe, expect, it } from 'vitest'
import { STATUSES } from '../../src/api/values.ts'
import { transition } from '../../src/session/document/state.ts'

const TERMINAL = STATUSES.filter((status) => status !== 'pending')

describe('the transition table', () => {
  it.each(TERMINAL)('allows the transition from pending to %s', (status) => {
    expect(transition('pending', status)).toBe(status)
  })

  it.each(TERMINAL)('refuses every transition of a session in the state %s', (from) => {
    for (const to of TERMINAL) expect(transition(from, to)).toBeUndefined()
  })
})
