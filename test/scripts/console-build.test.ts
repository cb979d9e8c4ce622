// The console's files: small enough for a slow line, complete, and not in the Worker's bundle.

import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildConsoleInto } from '../../scripts/service/console-build.mjs'
import { ROOT } from '../../scripts/service/paths.mjs'

const LIMIT_BYTES = 120 * 1024
const TEXTS = join(ROOT, 'console', 'texts')

/** Beginnings of names that no browser fetches: namespaces of elements, and services of trusted lists. */
const NAMES = ['http://www.w3.org', 'http://uri.etsi.org']

describe('the console', () => {
  const out = mkdtempSync(join(tmpdir(), 'console-'))
  let packages: ReadonlySet<string> = new Set()
  beforeAll(() => {
    packages = buildConsoleInto(out)
  })
  afterAll(() => rmSync(out, { recursive: true }))
  const sources = () => readdirSync(out).filter((name) => !/\.(br|gzip)$/.test(name))

  it(`has files that are together at most ${LIMIT_BYTES} bytes long after compression`, () => {
    const page = readFileSync(join(ROOT, 'assets', 'console', 'console.html'))
    const files = sources().map((name) => readFileSync(join(out, name)))
    const sizes = [page, ...files].map((file) => gzipSync(file, { level: 9 }).length)
    expect(sizes.length).toBeGreaterThanOrEqual(3)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(LIMIT_BYTES)
  })

  it('has each file also as brotli and as gzip, under a name with the hash of the file', () => {
    expect(readdirSync(out)).toHaveLength(3 * sources().length)
    for (const name of sources()) {
      const source = readFileSync(join(out, name))
      const hash = createHash('sha256').update(source).digest('base64url').slice(0, 16)
      expect(brotliDecompressSync(readFileSync(join(out, `${name}.${hash}.br`))).equals(source)).toBe(true)
      expect(gunzipSync(readFileSync(join(out, `${name}.${hash}.gzip`))).equals(source)).toBe(true)
    }
  })

  it('has the colours of the session page, in light and dark mode', () => {
    const style = readFileSync(join(ROOT, 'assets', 'page', 'style.css'), 'utf8')
    const built = readFileSync(join(out, 'console.css'), 'utf8')
    const grounds = style.match(/--ground: #\w+/g) ?? []
    expect(grounds).toHaveLength(2)
    expect(built.match(/--ground: ?#\w+/g)).toEqual(grounds)
    expect(readFileSync(join(ROOT, 'console', 'console.css'), 'utf8')).not.toMatch(/--ground:/)
  })

  it('contains the code of only three packages', () => {
    expect([...packages].sort()).toEqual(['node_modules/jose', 'node_modules/preact', 'node_modules/uplot'])
  })

  it('contains no address of another origin', () => {
    for (const name of sources()) {
      const addresses = readFileSync(join(out, name), 'utf8').match(/https?:\/\/[\w.-]+/g) ?? []
      expect(
        addresses.filter((address) => !NAMES.includes(address)),
        name,
      ).toEqual([])
    }
  })
})

describe('the texts of the console', () => {
  const english = readTexts('en.json')

  it.each(readdirSync(TEXTS))(
    'the texts of the console in %s have the same names and placeholders as the English texts',
    (file) => {
      const texts = readTexts(file)
      expect(Object.keys(texts)).toEqual(Object.keys(english))
      for (const [name, text] of Object.entries(english))
        expect(placeholders(texts[name] ?? ''), name).toEqual(placeholders(text))
    },
  )
})

function readTexts(file: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(TEXTS, file), 'utf8'))
}

function placeholders(text: string): readonly string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort()
}
