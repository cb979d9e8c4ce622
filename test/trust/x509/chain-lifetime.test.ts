// The lifetime of a chain of our own, and the time from which it should be renewed.

import { describe, expect, it } from 'vitest'
import { chainLifetime } from '../../../src/trust/x509/chain-lifetime.ts'
import { mintIntermediate, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'

const DAY = 86_400_000
const NOW = Date.parse('2027-01-15T00:00:00Z')
const lasting = (from: number, until: number) => ({
  notBefore: new Date(NOW + from * DAY),
  notAfter: new Date(NOW + until * DAY),
})

const root = await mintRoot(lasting(-1000, 1000))

describe('the lifetime of a chain', () => {
  it.each<[string, [number, number], [number, number], object]>([
    [
      'ends with the leaf if the leaf expires first',
      [-10, 365],
      [-20, 500],
      { validFrom: -10, expiresAt: 365, renewFrom: 335 },
    ],
    [
      'ends with the intermediate if the intermediate expires first',
      [-10, 365],
      [-20, 300],
      { validFrom: -10, expiresAt: 300, renewFrom: 270 },
    ],
    [
      'begins with the intermediate if the intermediate becomes valid last',
      [-10, 365],
      [-5, 500],
      { validFrom: -5, expiresAt: 365, renewFrom: 335 },
    ],
    [
      'of 90 days leads to a renewal 30 days before its end',
      [0, 90],
      [-20, 500],
      { validFrom: 0, expiresAt: 90, renewFrom: 60 },
    ],
    [
      'of 9 days leads to a renewal after 6 days',
      [0, 9],
      [-20, 500],
      { validFrom: 0, expiresAt: 9, renewFrom: 6 },
    ],
  ])('the lifetime of a chain %s', async (_, leafDays, intermediateDays, days) => {
    const intermediate = await mintIntermediate(root, lasting(...intermediateDays))
    const leaf = await mintLeaf(intermediate, lasting(...leafDays))
    const expected = Object.entries(days).map(([name, day]) => [name, NOW + Number(day) * DAY])
    expect(chainLifetime(`${leaf.pem}\n${intermediate.pem}`)).toEqual(Object.fromEntries(expected))
  })

  it('is null for a text without a certificate', () => {
    expect(chainLifetime('')).toBeNull()
  })
})
