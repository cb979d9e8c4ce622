// Tables as CSV: the form of RFC 4180, and cells that a spreadsheet must not run.

import { describe, expect, it } from 'vitest'
import { toCsv } from '../../console/csv.ts'

/** Returns the CSV of one cell, without the header, the byte order mark and the line ends. */
const cellOf = (text: string) => toCsv(['h'], [[text]]).slice('\uFEFFh\r\n'.length, -2)

describe('toCsv', () => {
  it('begins with a byte order mark, and ends each row with CRLF', () => {
    expect(toCsv(['id', 'name'], [['1', 'Zoë']])).toBe('\uFEFFid,name\r\n1,Zoë\r\n')
    expect(toCsv(['id'], [])).toBe('\uFEFFid\r\n')
  })

  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
  ])('quotes a cell only if the cell contains a separator, a quote or a line break: %j', (text, cell) => {
    expect(cellOf(text)).toBe(cell)
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠x'])(
    'puts an apostrophe before the formula %j',
    (text) => {
      expect(cellOf(text)).toBe(`'${text}`)
    },
  )

  it.each(['\t=1', '\r=1', '\n=1'])(
    'puts an apostrophe before the control character at the start of %j',
    (text) => {
      expect(cellOf(text)).toBe(`"'${text.charAt(0)}'=1"`)
    },
  )

  it.each([
    ['a;=1+1', `"a;'=1+1"`],
    ['a;"=1+1', `"a;""'=1+1"`],
    ['a\t@x', `"a\t'@x"`],
    ['a\n-1', `"a\n'-1"`],
  ])(
    'puts an apostrophe before a formula that follows a semicolon, a tab or a line break: %j',
    (text, cell) => {
      expect(cellOf(text)).toBe(cell)
    },
  )

  it('does not change the characters -, = and @ inside a text', () => {
    expect(cellOf('2026-11-29 a=b c@d')).toBe('2026-11-29 a=b c@d')
  })

  it('puts an apostrophe before a formula in the header, too', () => {
    expect(toCsv(['=x'], [])).toBe("\uFEFF'=x\r\n")
  })
})
