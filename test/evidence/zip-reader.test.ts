// Hostile ZIPs: each is refused before its content is used. Python's zipfile and fflate make good ones.

import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readZip, UnreadableError } from '../../packages/evidence/src/zip-reader.ts'

const FILES = { 'a.txt': new Uint8Array([1, 2, 3]), 'b/c.txt': new Uint8Array(1000).fill(7) }
const GOOD = new Uint8Array(zipSync(FILES, { level: 0 }))

/** Position of the n-th record with this signature. */
function find(zip: Uint8Array, signature: number, n = 0): number {
  const buffer = Buffer.from(zip)
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(signature)
  let position = -1
  for (let i = 0; i <= n; i++) position = buffer.indexOf(bytes, position + 1)
  return position
}

const [CENTRAL, LOCAL, END] = [0x02014b50, 0x04034b50, 0x06054b50]

/** The good ZIP with another number in a record. */
function changed(
  signature: number,
  offset: number,
  value: number,
  bytes: 2 | 4,
  n = 0,
): Uint8Array<ArrayBuffer> {
  const zip = GOOD.slice()
  const view = new DataView(zip.buffer)
  const position = find(zip, signature, n) + offset
  if (bytes === 2) view.setUint16(position, value, true)
  else view.setUint32(position, value, true)
  return zip
}

/** A ZIP with one entry of this name. */
const named = (name: string) => new Uint8Array(zipSync({ [name]: new Uint8Array(1) }, { level: 0 }))

describe('ZIP reader', () => {
  it.each([0, 9] as const)('reads entries that were written with level %i', (level) => {
    const files = readZip(new Uint8Array(zipSync(FILES, { level })))
    expect(Object.fromEntries(files)).toEqual(FILES)
  })

  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['bytes that are not a ZIP', new Uint8Array(100), 'no ZIP'],
    ['no bytes at all', new Uint8Array(), 'no ZIP'],
    ['data behind the end', new Uint8Array([...GOOD, 0]), 'no ZIP'],
    ['a ZIP that is cut off', GOOD.slice(0, -30), 'no ZIP'],
    ['an encrypted entry', changed(CENTRAL, 8, 1, 2), 'encrypted'],
    ['an unknown compression method', changed(CENTRAL, 10, 12, 2), 'neither stored nor deflated'],
    ['a wrong checksum', changed(CENTRAL, 16, 5, 4), 'another checksum'],
    ['two sizes of a stored entry', changed(CENTRAL, 24, 4, 4), 'two sizes'],
    ['an entry behind the end', changed(CENTRAL, 42, 0x7fffffff, 4), 'ends behind the end'],
    ['an entry longer than the file', changed(CENTRAL, 20, 0x7fffffff, 4), 'two sizes'],
    ['a symbolic link', changed(CENTRAL, 38, 0xa1ff0000, 4), 'is a link'],
    ['overlapping entries', changed(CENTRAL, 42, 0, 4, 1), 'overlaps'],
    ['another name in the local header', changed(LOCAL, 30, 0x6262, 2), 'another name'],
    ['more entries than its end record says', changed(END, 10, 1, 2), 'parts'],
    ['a ZIP64', changed(END, 16, 0xffffffff, 4), 'ZIP64'],
    ['a name with ..', named('a/../../b'), 'not safe'],
    ['an absolute name', named('/etc/passwd'), 'not safe'],
    ['a name with a backslash', named('a\\b'), 'not safe'],
    ['a name with NUL', named('a\0b'), 'not safe'],
    ['a long name', named('a'.repeat(201)), 'not safe'],
  ])('refuses %s', (_, zip, message) => {
    expect(() => readZip(zip)).toThrow(UnreadableError)
    expect(() => readZip(zip)).toThrow(message)
  })

  it('refuses two entries with the same name', () => {
    const zip = new Uint8Array(
      zipSync({ 'a1.txt': new Uint8Array(1), 'a2.txt': new Uint8Array(1) }, { level: 0 }),
    )
    const text = Buffer.from(zip)
    for (let at = text.indexOf('a2.txt'); at >= 0; at = text.indexOf('a2.txt')) text.write('a1.txt', at)
    expect(() => readZip(new Uint8Array(text))).toThrow('two entries have the name a1.txt')
  })

  it('refuses more than 1,000 entries', () => {
    const files = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f${i}`, new Uint8Array()]))
    expect(() => readZip(new Uint8Array(zipSync(files)))).toThrow('more than 1,000 entries')
  })

  it('refuses a decompression bomb because of its declared size', () => {
    const bomb = new Uint8Array(zipSync({ a: new Uint8Array(70_000_000) }, { level: 9 }))
    expect(bomb.length).toBeLessThan(100_000)
    expect(() => readZip(bomb)).toThrow('more than 64 MiB')
  })

  it('stops decompressing a bomb that declares a small size', () => {
    const bomb = new Uint8Array(zipSync({ a: new Uint8Array(70_000_000) }, { level: 9 }))
    new DataView(bomb.buffer).setUint32(find(bomb, CENTRAL) + 24, 10, true)
    expect(() => readZip(bomb)).toThrow('larger than it says')
  })

  it('reads a ZIP with any one byte changed, or refuses it with an UnreadableError', () => {
    for (let i = 0; i < GOOD.length; i++) {
      const zip = GOOD.slice()
      zip[i]! ^= 1 << (i % 8)
      try {
        readZip(zip)
      } catch (error) {
        expect(error, `byte ${i}`).toBeInstanceOf(UnreadableError)
      }
    }
  })
})
