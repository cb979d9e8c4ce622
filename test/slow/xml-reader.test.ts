// Lists in XML of 8 MiB that cost time or memory. The old space of the heap is limited to 100 MiB. The limits
// of processor time and of resident memory are generous. With SIZES=full (`npm run proof -- sizes`) all lists
// are read, and the limit of processor time is 5 s.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { XML } from '../../src/trust/xml/xml-limits.ts'
import type { Minted } from '../support/certificates/certificates.ts'
import { mintListSigner } from '../support/certificates/trust-lists.ts'
import { signXmlList, xmlList } from '../support/certificates/xml-lists.ts'
import { MIXTURES, SHAPES, type Shape } from './xml/shapes.ts'
import { SIGNED_LISTS, signedList } from './xml/signed-lists.ts'

const READ = join(import.meta.dirname, 'xml', 'read.ts')
const IS_FULL = process.env.SIZES === 'full'
const SECONDS = IS_FULL ? 5 : 30
/**
 * Memory of a Worker at full size; more elsewhere, where other processes delay the collection of garbage. The
 * new space is small, as in a Worker. Garbage in a large one would hide the need.
 */
const MEBIBYTES = IS_FULL ? 128 : 192
const HEAP = ['--max-old-space-size=100', '--max-semi-space-size=2']

const some = <T>(entries: Readonly<Record<string, T>>, step: number) =>
  Object.entries(entries).filter((_, i) => IS_FULL || i % step === 0)

let folder: string
let signer: Minted
beforeAll(async () => {
  signer = await mintListSigner()
  folder = mkdtempSync(join(tmpdir(), 'xml-reader-'))
  writeFileSync(join(folder, 'signer.pem'), signer.pem)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Reading = {
  readonly verdict: string | true
  readonly seconds: number
  readonly mebibytes: number
}

function read(name: string, bytes: Uint8Array): Reading {
  expect(bytes.length).toBeGreaterThan(XML.bytes * 0.9)
  expect(bytes.length).toBeLessThanOrEqual(XML.bytes)
  const file = join(folder, 'list.xml')
  writeFileSync(file, bytes)
  const args = ['--no-warnings', ...HEAP, READ, file, join(folder, 'signer.pem')]
  const reading: Reading = JSON.parse(`${execFileSync(process.execPath, args, { stdio: 'pipe' })}`)
  if (IS_FULL) console.log(name, reading)
  expect(reading.seconds, name).toBeLessThan(SECONDS)
  expect(reading.mebibytes, name).toBeLessThan(MEBIBYTES)
  return reading
}

/** A signed list to which a shape was added after it was signed. */
function withShape(shape: Shape): Uint8Array {
  const list = xmlList({})
  const room = XML.bytes - signXmlList(list, signer).length - 1000
  const document = (text: string) =>
    text.replace('</SchemeInformation>', () => `</SchemeInformation>${shape(room)}`)
  return signXmlList(list, signer, { document })
}

it.each([...some(SHAPES, 5), ...some(MIXTURES, 2)])(
  'a hostile list of 8 MiB is read or refused within the limits of time and memory: %s',
  (name, shape) => {
    const { verdict } = read(name, withShape(shape))
    // Comments change nothing that is signed.
    expect([true, 'invalid_signature', 'malformed', 'too_large'], name).toContain(verdict)
  },
)

it.each(some(SIGNED_LISTS, 1))(
  'a list of 8 MiB that is signed as a whole is verified within the limits of time and memory: %s',
  (name, [expected, services]) => {
    expect(read(name, signedList(services, signer)).verdict).toBe(expected)
  },
)
