import { expect, it } from 'vitest'
import { pki } from '../fixtures.ts'

type Module = typeof import('../../../src/trust/x509/pem-certificates.ts')
/** The module once more: files of one worker share modules, and the cache of this one is empty. */
const ANOTHER: string = '../../../src/trust/x509/pem-certificates.ts?another'
const { anchorCertificates } = (await import(ANOTHER)) as Module

/** Different texts of one certificate. */
function textsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    return `${' '.repeat(i % 50)}${pki.root.pem}${'\n'.repeat(Math.floor(i / 50))}`
  })
}

it('the cache of PEM texts keeps its 3,000 texts if there are more anchors than it can hold', () => {
  const [fitting, all] = [textsOf(3000), textsOf(3300)]
  const first = new Map(fitting.map((text) => [text, anchorCertificates(text)]))
  for (const round of [1, 2]) {
    const kept = all.filter((text) => anchorCertificates(text) === first.get(text))
    expect([round, kept.length]).toEqual([round, 3000])
  }
})

it('a full cache of PEM texts drops texts that were not used for a long time, and then stores a new text', () => {
  const later = `\t${pki.root.pem}`
  const [used = ''] = textsOf(1)
  expect(anchorCertificates(later)).not.toBe(anchorCertificates(later))
  for (let i = 0; i < 110_000; i++) anchorCertificates(used)
  expect(anchorCertificates(later)).toBe(anchorCertificates(later))
  expect(anchorCertificates(later)).toHaveLength(1)
})
