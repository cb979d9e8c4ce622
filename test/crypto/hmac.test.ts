import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hmacSha256 } from '../../src/crypto/hmac.ts'

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))
const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

describe('HMAC-SHA256', () => {
  // RFC 4231 §4.2 to §4.8 (§4.6 truncates its output and is compared as far as it goes).
  it.each([
    [
      '4.2',
      hex('0b'.repeat(20)),
      ascii('Hi There'),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      '4.3',
      ascii('Jefe'),
      ascii('what do ya want for nothing?'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      '4.4',
      hex('aa'.repeat(20)),
      hex('dd'.repeat(50)),
      '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
    ],
    [
      '4.5',
      hex('0102030405060708090a0b0c0d0e0f10111213141516171819'),
      hex('cd'.repeat(50)),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    ],
    ['4.6', hex('0c'.repeat(20)), ascii('Test With Truncation'), 'a3b6167473100ee06e0c796c2955552b'],
    [
      '4.7',
      hex('aa'.repeat(131)),
      ascii('Test Using Larger Than Block-Size Key - Hash Key First'),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
    [
      '4.8',
      hex('aa'.repeat(131)),
      ascii(
        'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
      ),
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    ],
  ])('gives the value published in RFC 4231 §%s', async (_, key, data, mac) => {
    expect(
      Buffer.from(await hmacSha256(key, data))
        .toString('hex')
        .slice(0, mac.length),
    ).toBe(mac)
  })

  it('HMAC-SHA256 of empty data is the value that node:crypto computes', async () => {
    const mac = createHmac('sha256', 'x').update('').digest('hex')
    expect(Buffer.from(await hmacSha256(ascii('x'), ascii(''))).toString('hex')).toBe(mac)
  })
})
