// The console's files: small enough for a slow line, complete, and not in the Worker's bundle.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildConsoleInto } from '../../scripts/service/console-build.mjs'
import { ROOT } from '../../scripts/service/paths.mjs'

const LIMIT_BYTES = 120 * 1024
const TEXTS = join(ROOT, 'console', 'texts')

describe('the console', () => {
  const out = mkdtempSync(join(tmpdir(), 'console-'))
  let packages: ReadonlySet<string> = new Set()
  beforeAll(() => {
    packages = buildConsoleInto(out)
  })
  afterAll(() => rmSync(out, { recursive: true }))

  it(`has files of at most ${LIMIT_BYTES} bytes together, compressed`, () => {
    const page = readFileSync(join(ROOT, 'assets', 'console', 'console.html'))
    const files = readdirSync(out).map((name) => readFileSync(join(out, name)))
    const sizes = [page, ...files].map((file) => gzipSync(file, { level: 9 }).length)
    expect(sizes.length).toBeGreaterThanOrEqual(3)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(LIMIT_BYTES)
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
    for (const name of readdirSync(out)) {
      const addresses = readFileSync(join(out, name), 'utf8').match(/https?:\/\/[\w.-]+/g) ?? []
      // The name of the SVG, XHTML and MathML namespaces.
      expect(
        addresses.filter((address) => address !== 'http://www.w3.org'),
        name,
      ).toEqual([])
    }
  })
})

describe('the texts of the console', () => {
  const english = readTexts('en.json')

  it.each(readdirSync(TEXTS))('in %s have the same names and placeholders as the English texts', (file) => {
    const texts = readTexts(file)
    expect(Object.keys(texts)).toEqual(Object.keys(english))
    for (const [name, text] of Object.entries(english))
      expect(placeholders(texts[name] ?? ''), name).toEqual(placeholders(text))
  })
})

function readTexts(file: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(TEXTS, file), 'utf8'))
}

function placeholders(text: string): readonly string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort()
}
