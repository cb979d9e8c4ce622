import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encodeHex, utf8 } from '../../src/codec/bytes.ts'
import { digest, isHashName, sha256 } from '../../src/crypto/digest.ts'

describe('digest', () => {
  // FIPS 180-4 example: the digests of "abc" begin like this.
  it.each([
    ['sha-256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['sha-384', 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163'],
    ['sha-512', 'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea2'],
  ] as const)('computes %s', async (name, beginning) => {
    const computed = encodeHex(await digest(name, utf8('abc')))
    expect(computed.startsWith(beginning)).toBe(true)
    expect(computed).toBe(createHash(name.replace('-', '')).update('abc').digest('hex'))
  })

  it('returns the same bytes for the name sha-256 as the function sha256', async () => {
    expect(await sha256(utf8('x'))).toEqual(await digest('sha-256', utf8('x')))
  })

  it.each(['SHA-256', 'sha256', 'sha-1', 'md5', 'sha-256-128', 'sha3-256', '', 'constructor', '__proto__'])(
    'rejects the algorithm name %j',
    (name) => {
      expect(isHashName(name)).toBe(false)
    },
  )
})
