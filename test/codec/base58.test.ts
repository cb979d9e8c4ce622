import { describe, expect, it } from 'vitest'
import { decodeBase58 } from '../../src/codec/base58.ts'
import { encodeHex } from '../../src/codec/bytes.ts'
import { DID } from '../../src/limits.ts'

describe('base58', () => {
  // draft-msporny-base58-03 §5
  it.each([
    ['2NEpo7TZRRrLZSi2U', '48656c6c6f20576f726c6421'],
    [
      'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
      '54686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e',
    ],
    ['11233QC4', '0000287fb4cd'],
  ])('decodes the published example %s', (text, hex) => {
    expect(encodeHex(decodeBase58(text) ?? new Uint8Array())).toBe(hex)
  })

  it.each(['', '0', 'O', 'I', 'l', 'z z', 'ä', 'a+'])('rejects %j', (text) => {
    expect(decodeBase58(text)).toBeUndefined()
  })

  it('rejects a text with more characters than the limit', () => {
    expect(decodeBase58('z'.repeat(DID.base58Characters))).toBeDefined()
    expect(decodeBase58('z'.repeat(DID.base58Characters + 1))).toBeUndefined()
  })
})
