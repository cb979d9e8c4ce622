// The reader of lists in XML against documents of 8 MiB that cost time or memory. The heap is limited to 100
// MiB. Time is measured with SIZES=full only (`npm run proof -- sizes`): at most 5 s of processor time each.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { XML } from '../../src/trust/xml/xml-limits.ts'
import { SHAPES } from './xml/shapes.ts'

const READ = join(import.meta.dirname, 'xml', 'read.ts')
const IS_FULL = process.env.SIZES === 'full'
const NAMES = Object.keys(SHAPES).filter((_, i) => IS_FULL || i % 5 === 0)

it('a hostile list of 8 MiB is read or refused within a heap of 100 MiB', () => {
  const args = ['--no-warnings', '--max-old-space-size=100', READ, ...NAMES]
  const lines = `${execFileSync(process.execPath, args, { stdio: 'pipe' })}`.trim().split('\n')
  const results: readonly { name: string; bytes: number; verdict: string | true; seconds: number }[] =
    lines.map((line) => JSON.parse(line))
  expect(results.map(({ name }) => name)).toEqual(NAMES)
  for (const { name, bytes, verdict } of results) {
    expect(bytes, name).toBeGreaterThan(XML.bytes * 0.9)
    // Comments change nothing that is signed.
    expect([true, 'invalid_signature', 'malformed', 'too_large'], name).toContain(verdict)
  }
  if (!IS_FULL) return
  console.log(results.map(({ name, verdict, seconds }) => `${name}: ${verdict}, ${seconds} s`).join('\n'))
  for (const { name, seconds } of results) expect(seconds, name).toBeLessThan(5)
})
