import { describe, expect, it } from 'vitest'
import {
  ADVERTISED_ALGORITHMS,
  SIGNATURE_ALGORITHMS,
  signatureAlgorithm,
} from '../../src/crypto/algorithms.ts'

describe('the table of algorithms', () => {
  it.each(SIGNATURE_ALGORITHMS)('has an entry for %s with the same name', (name) => {
    expect(signatureAlgorithm(name)?.name).toBe(name)
  })

  it.each([
    'none',
    'None',
    'HS256',
    'RS256',
    'RS1',
    'PS256',
    'ES256K',
    'es256',
    'ES256 ',
    'ESP256',
    'Ed448',
    'constructor',
    '__proto__',
    'toString',
    '',
    null,
    undefined,
    -7,
    ['ES256'],
    { toString: () => 'ES256' },
  ])('has no entry for the name %j', (alg) => {
    expect(signatureAlgorithm(alg)).toBeUndefined()
  })

  it('advertises ES256, ES384, ES512 and Ed25519 in this order, and no other name', () => {
    expect(ADVERTISED_ALGORITHMS).toEqual(['ES256', 'ES384', 'ES512', 'Ed25519'])
  })
})
