// Spellings of an issuer's name, exhaustively: an issuer with an anchor of its own is not named by a trusted
// chain under any of them (api/trust). The spellings are made of parts that RFC 3986, the URL Standard and
// did:web let vary. No code of src/ takes part in making them.

import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { canonicalIssuer, normalizeIssuer } from '../../../src/trust/anchors/issuer-name.ts'
import { mintLeaf } from '../../support/certificates/certificates.ts'
import { ask, caAnchor, outcomeOf, pki, SHARED } from '../fixtures.ts'

/** One way to write each part of a name. */
type Parts = readonly (readonly string[])[]

const SCHEME = ['https', 'HTTPS', 'hTtps', 'http']
const SEPARATOR = ['://', ':', ':/', ':///', ':\\\\', ':/\\']
const USER = ['', '@', 'a@', 'a:b@']
const HOST = ['issuer.example', 'ISSUER.example', 'issuer.example.', 'issuer%2eexample', '%69ssuer.example']
const UNICODE_HOST = [
  '\uff49ssuer.example',
  'issuer\u3002example',
  'is\u00adsuer.example',
  'iss\tuer.example',
]
const PORT = ['', ':', ':443', ':0443']
const END = ['', '#', '#x', '?', '?#']
const ROOT = ['', '/', '//', '/.', '/x/..', '/%2e', '/%2F', '\\']
const TENANT = ['/tenant', '/tenant/', '//tenant', '/./tenant', '/x/%2E%2e/tenant', '/t%65nant', '/tenant%2f']

const URLS: Readonly<Record<string, readonly Parts[]>> = {
  'https://issuer.example': [
    [SCHEME, SEPARATOR, USER, [...HOST, ...UNICODE_HOST], ['', ':'], ['', '/'], END],
    [['https'], ['://'], ['', 'a@'], HOST, PORT, ROOT, END, ['', ' ', '\n']],
  ],
  'https://issuer.example/tenant': [[SCHEME, ['://', ':'], ['', 'a@'], HOST, ['', ':'], TENANT, END]],
  'https://issuer.example/tenant?x=y': [
    [SCHEME, ['://'], HOST, TENANT, ['?x=y', '?%78=y', '?x%3Dy'], ['', '#']],
  ],
  'https://issuer.example:8443': [[['https', 'HTTPS'], ['://'], USER, HOST, [':8443', ':08443'], ROOT, END]],
}

const DID = ['did:web:', 'DID:web:', 'did:WEB:', 'Did:Web:']
const DID_END = ['', ':', '::', '/', '#', '#x', '?']
const DIDS: Readonly<Record<string, readonly Parts[]>> = {
  'did:web:issuer.example': [[DID, HOST, ['', '%3A', '%3a443', '%3A443', '%3A0443'], DID_END]],
  'did:web:issuer.example:tenant': [
    [DID, HOST, ['', '%3A443'], [':tenant', '::tenant', ':.:tenant', '/tenant', ':t%65nant'], DID_END],
  ],
  'did:web:issuer.example%3A8443': [[DID, HOST, ['%3A8443', '%3a8443', '%3A08443'], DID_END]],
}

const spellingsOf = (forms: readonly Parts[]): readonly string[] => [
  ...new Set(
    forms.flatMap((parts) =>
      parts.reduce<readonly string[]>((all, part) => all.flatMap((a) => part.map((b) => a + b)), ['']),
    ),
  ),
]
const NAMES = Object.entries({ ...URLS, ...DIDS }).map(([name, forms]) => [name, spellingsOf(forms)] as const)

afterEach(() => vi.restoreAllMocks())

it.each(NAMES)('%s is recognized as the same issuer in every spelling', (name, spellings) => {
  expect(spellings.length).toBeGreaterThan(90)
  const known = normalizeIssuer(name)
  expect(spellings.filter((one) => normalizeIssuer(one) !== known)).toEqual([])
})

it.each([
  [
    'https://issuer.example',
    'https://issuer.example:8443',
    'https://issuer.example/tenant',
    'did:web:issuer.example',
  ],
  ['https://issuer.example/tenant', 'https://issuer.example/Tenant', 'https://issuer.example/tenant/a'],
  [
    'https://issuer.example',
    'https://issuer.example.org',
    'https://www.issuer.example',
    'https://issuer.example?x',
  ],
  [
    'did:web:issuer.example',
    'did:web:issuer.example:8443',
    'did:web:issuer.example%3A8443',
    'did:web:example',
  ],
  ['did:jwk:eyJh', 'did:jwk:eyJH', 'did:key:eyJh', 'urn:jwk:eyJh'],
])('%s and names that are similar to it are recognized as different issuers', (...names) => {
  expect(new Set(names.map(normalizeIssuer)).size).toBe(names.length)
})

describe('an issuer that has its own anchor', () => {
  const anchorsOf = (name: string): readonly TrustAnchor[] =>
    name.startsWith('did:')
      ? [{ ...SHARED, did: name }]
      : [
          { ...SHARED, issuer_url: name },
          { ...SHARED, issuer: name, jwks: { keys: [] } },
        ]
  const unavailable = async () => ({ ok: false, error: 'unavailable' }) as const

  it('is not verified by a chain to another anchor, in any spelling of its name and with any protocol', async () => {
    const spelling = fc
      .constantFrom(...NAMES)
      .chain(([name, all]) => fc.record({ name: fc.constant(name), iss: fc.constantFrom(...all) }))
    const property = fc.asyncProperty(
      spelling,
      fc.boolean(),
      fc.boolean(),
      async ({ name, iss }, first, isFiltered) => {
        const leaf = await mintLeaf(pki.intermediate, { altNames: namesIn(iss) })
        const claims = { iss, chain: [leaf.der, pki.intermediate.der] }
        const acceptsAnchor = isFiltered ? (anchor: TrustAnchor) => 'x509_ca_pem' in anchor : () => true
        const authority = caAnchor(pki.root.pem)
        for (const own of anchorsOf(name)) {
          const anchors = first ? [own, authority] : [authority, own]
          expect((await ask(claims, { anchors, acceptsAnchor, fetchResource: unavailable })).ok).toBe(false)
        }
        // Without that anchor the chain is trusted. It proves an `iss` in its one canonical spelling only.
        const alone = await ask(claims, { anchors: [authority] })
        expect(alone).toMatchObject({ ok: true })
        if (alone.ok && canonicalIssuer(iss) === undefined) expect(alone.value.issuer).not.toBe(iss)
      },
    )
    await fc.assert(property, { numRuns: 200 })
  })

  /** The name as the certificate can have it: every spelling of ASCII, and the host. */
  function namesIn(iss: string) {
    const isAscii = /^[\x21-\x7e]+$/.test(iss)
    return [
      { type: 'dns', value: 'issuer.example' } as const,
      ...(isAscii ? [{ type: 'url', value: iss } as const] : []),
    ]
  }
})

describe('a long issuer name', () => {
  const anchors = Array.from({ length: 100 }, (_, i) => ({ ...SHARED, did: `did:web:issuer${i}.example` }))

  it.each([2048, 2049, 500_000])(
    'a long issuer name of %i characters is normalized at most once, and never if it has more than 2048 characters',
    async (length) => {
      const iss = `https://a.example/${'%41'.repeat(length)}`.slice(0, length)
      const replace = vi.spyOn(String.prototype, 'replace')
      const found = await ask({ iss }, { anchors: [...anchors, caAnchor(pki.root.pem)] })
      const read = replace.mock.contexts.filter((text) => String(text).includes('%41%41'))
      replace.mockRestore()
      expect(outcomeOf(found)).toBe(length > 2048 ? 'untrusted_issuer' : 'trusted')
      expect(read.length).toBeLessThanOrEqual(length > 2048 ? 0 : 3)
    },
  )
})
