// The cost of comparing names: a forged chain may have any name, and is compared with every authority before
// a signature is checked.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { mintCertificate, mintKeys, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { ask, caAnchor, outcomeOf } from '../fixtures.ts'

/** One character of three bytes that NFKC makes eighteen of. */
const LONG = '\uFDFA'
const keys = await mintKeys('P-256')
const anchors = await Promise.all(
  Array.from({ length: 100 }, async (_, i) =>
    caAnchor((await mintRoot({ keys, subject: `C=DE,O=Trust ${i},CN=Root` })).pem),
  ),
)

afterEach(() => vi.restoreAllMocks())

describe('the names of a forged chain', () => {
  it.each([1, 256, 257, 4000])(
    'with %i characters are folded once, and only if they are short',
    async (length) => {
      const forge = (cn: string) =>
        mintCertificate({ issuerName: `C=DE,O=${LONG.repeat(length)},CN=${cn}`, ca: false })
      const [first, second] = [await forge('a'), await forge('b')]
      expect(outcomeOf(await ask({ chain: [first.der] }, { anchors }))).toBe('untrusted_issuer')
      const normalize = vi.spyOn(String.prototype, 'normalize')
      expect(outcomeOf(await ask({ chain: [second.der] }, { anchors }))).toBe('untrusted_issuer')
      expect(normalize.mock.calls.length).toBeLessThanOrEqual(2)
      for (const text of normalize.mock.contexts) expect(String(text).length).toBeLessThanOrEqual(18 * 256)
    },
  )
})

describe('a name that differs from the authority’s in case only', () => {
  it.each([
    [256, 'trusted'],
    [257, 'untrusted_issuer'],
  ])('of %i characters: %s', async (length, expected) => {
    const root = await mintRoot({ subject: `CN=${'A'.repeat(length)}` })
    const leaf = await mintLeaf(root, { issuerName: `CN=${'a'.repeat(length)}` })
    const same = await mintLeaf(root)
    const context = { anchors: [caAnchor(root.pem)] }
    expect(outcomeOf(await ask({ chain: [leaf.der] }, context))).toBe(expected)
    expect(outcomeOf(await ask({ chain: [same.der] }, context))).toBe('trusted')
  })
})
