import { describe, expect, it } from 'vitest'
import { parseTraceparent, writeTraceparent } from '../../src/codec/traceparent.ts'

/** The example of W3C Trace Context §3.2.3. */
const GOOD = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const TRACE = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', sampled: true }

describe('parseTraceparent', () => {
  it('reads the trace id and the sampled flag', () => {
    expect(parseTraceparent(GOOD)).toEqual(TRACE)
    expect(parseTraceparent(GOOD.replace(/01$/, '00'))).toEqual({ ...TRACE, sampled: false })
    expect(parseTraceparent(GOOD.replace(/01$/, 'fe'))).toEqual({ ...TRACE, sampled: false })
  })

  it('reads the first parts of a higher version (§3.2.4)', () => {
    expect(parseTraceparent(GOOD.replace(/^00/, 'cc'))).toEqual(TRACE)
    expect(parseTraceparent(`${GOOD.replace(/^00/, 'cc')}-what-the-future-will-be-like`)).toEqual(TRACE)
  })

  it.each([
    ['an empty text', ''],
    ['more text after version 00', `${GOOD}-more`],
    ['more text without a dash after a higher version', `${GOOD.replace(/^00/, 'cc')}more`],
    ['version ff', GOOD.replace(/^00/, 'ff')],
    ['a trace id of zeros', GOOD.replace(/4bf9\w+/, '0'.repeat(32))],
    ['a parent id of zeros', GOOD.replace('00f067aa0ba902b7', '0'.repeat(16))],
    ['upper-case letters', GOOD.toUpperCase()],
    ['a character that is not hexadecimal', GOOD.replace('4bf9', 'xbf9')],
    ['a short trace id', GOOD.replace('4bf9', '4bf')],
    ['a space at the beginning', ` ${GOOD}`],
    ['a line feed at the end', `${GOOD}\n`],
    ['two header values', `${GOOD}, ${GOOD}`],
  ])('rejects %s', (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined()
  })
})

it('a traceparent is written with version 00 and a new parent id', () => {
  expect(writeTraceparent(TRACE, '00f067aa0ba902b7')).toBe(GOOD)
  expect(writeTraceparent({ ...TRACE, sampled: false }, '00f067aa0ba902b7')).toBe(GOOD.replace(/01$/, '00'))
})
