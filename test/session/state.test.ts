import { describe, expect, it } from 'vitest'
import { isTerminal, type SessionEvent, STATUSES, transition } from '../../src/session/state.ts'

const EVENTS: Readonly<Record<SessionEvent, string>> = {
  answer_satisfied: 'verified',
  answer_unsatisfied: 'rejected',
  wallet_declined: 'declined',
  time_passed: 'expired',
  relying_party_canceled: 'canceled',
}

describe('the transition table', () => {
  it.each(Object.entries(EVENTS))('leads from pending by %s to %s', (event, status) => {
    expect(transition('pending', event as SessionEvent)).toBe(status)
  })

  it.each(STATUSES.filter((status) => status !== 'pending'))(
    'lets nothing happen to a %s session',
    (status) => {
      expect(isTerminal(status)).toBe(true)
      for (const event of Object.keys(EVENTS)) {
        expect(transition(status, event as SessionEvent)).toBeUndefined()
      }
    },
  )
})
