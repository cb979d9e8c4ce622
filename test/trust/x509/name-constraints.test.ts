// Name constraints (RFC 5280 §4.2.1.10). @peculiar/x509 encodes constraints and names: an authority with the
// constraint, a leaf with the name, nothing else differs.

import { describe, expect, it } from 'vitest'
import { concatBytes, decodeHex, encodeHex, utf8 } from '../../../src/codec/bytes.ts'
import { decodeDer } from '../../../src/codec/der.ts'
import { decodeNameConstraints, satisfiesNameConstraints } from '../../../src/trust/x509/name-constraints.ts'
import {
  type AltName,
  type CertificateOptions,
  mintIntermediate,
  mintIssuerPki,
  mintLeaf,
  nameConstraints,
  tlv,
} from '../../support/certificates/certificates.ts'
import { ask, caAnchor, outcomeOf, pki } from '../fixtures.ts'

const dns = (value: string): AltName => ({ type: 'dns', value })
const uri = (value: string): AltName => ({ type: 'url', value })
const email = (value: string): AltName => ({ type: 'email', value })
const ip = (value: string): AltName => ({ type: 'ip', value })
const dn = (value: string): AltName => ({ type: 'dn', value })
/** iPAddress with a mask, which no library encodes. */
const range = (hex: string) => tlv(0x87, decodeHex(hex)!)

type Subtree = AltName | Uint8Array

async function check(
  subtrees: Parameters<typeof nameConstraints>[0],
  leaf: CertificateOptions,
  critical = true,
): Promise<string> {
  const extensions = [{ ...nameConstraints(subtrees), critical }]
  const { chain, root } = await mintIssuerPki({ intermediate: { extensions }, leaf })
  return outcomeOf(await ask({ chain }, { anchors: [caAnchor(root.pem)] }))
}

const VIOLATION = 'certificate_profile_violation: name_constraints'
const NO_NAME = { rdns: [], encoded: tlv(0x30) }
const LEAF = 'C=DE,O=Test Issuer,CN=Test Document Signer'

/** Each pair: a constraint, names inside it, and names outside it. */
const PLACES: readonly [Subtree, readonly AltName[], readonly AltName[]][] = [
  [
    dns('example.com'),
    [
      dns('example.com'),
      dns('a.b.example.com'),
      dns('EXAMPLE.com'),
      dns('*.example.com'),
      dns('1.example.com'),
      dns(`${'a.'.repeat(121)}example.com`),
    ],
    [dns('example.org'), dns('badexample.com'), dns('com'), dns('*.example.org')],
  ],
  [
    dns('.example.com'),
    [dns('a.example.com'), dns('*.example.com')],
    [dns('example.com'), dns('a.example.org')],
  ],
  [
    uri('host.example.com'),
    [uri('https://host.example.com'), uri('https://HOST.example.com:8443/a?b#c')],
    [
      uri('https://example.com/'),
      uri('https://a.host.example.com/'),
      uri('https://host.example.com.evil.org/'),
    ],
  ],
  [
    uri('.example.com'),
    [uri('https://a.b.example.com/')],
    [uri('https://example.com/'), uri('https://badexample.com/')],
  ],
  [
    email('example.com'),
    [email('anyone@example.com'), email('anyone@EXAMPLE.com')],
    [email('anyone@a.example.com'), email('anyone@example.org')],
  ],
  [email('.example.com'), [email('anyone@a.example.com')], [email('anyone@example.com')]],
  [
    email('one@example.com'),
    [email('one@example.com')],
    [email('two@example.com'), email('one@example.org')],
  ],
  [tlv(0x82), [dns('example.com')], []],
  [tlv(0x86), [uri('https://example.com/')], []],
  [range('c0a80000ffff0000'), [ip('192.168.1.2')], [ip('192.169.1.2'), ip('2001:db8::1')]],
  [
    range(`20010db8${'00'.repeat(12)}ffffffff${'00'.repeat(12)}`),
    [ip('2001:db8::1')],
    [ip('2001:db9::1'), ip('192.168.1.2')],
  ],
]

/** Names that cannot be placed satisfy neither a permitted subtree nor an excluded subtree. */
const UNPLACEABLE: readonly [AltName, AltName][] = [
  [dns('example.com'), dns('evil.example.com.')],
  [dns('example.com'), dns('a b.example.com')],
  [dns('a.example.com'), dns('*.com')],
  [dns('example.com'), dns('123')],
  [dns('example.com'), dns('192.0.2.10')],
  [dns('example.com'), dns(`aa.${'a.'.repeat(120)}example.com`)],
  [dns('a b.example.com'), dns('example.org')],
  [uri('a b.example.com'), uri('https://example.org/')],
  [uri('.example.com'), uri('1https://a.example.com/')],
  [uri('.example.com'), uri('urn:a.example.com')],
  [uri('.example.com'), uri('https://192.0.2.1/')],
  [uri('.example.com'), uri('https://user@a.example.com/')],
  [uri('.example.com'), uri('https://evil.org\\a.example.com/')],
  [email('example.com'), email('example.com')],
  [email('example.com'), email('"a@b"@example.com')],
  [email('one@example.com'), email('ONE@example.com')],
  [email('one@example.com'), email('"one"@example.com')],
  [email('one@example.com'), email('"one@example.com')],
  [email('one@example.com'), email('one"@example.com')],
  [email('one@a b.example.com'), email('one@example.com')],
  [email('a b.example.com'), email('one@example.com')],
]

/** A row of a table whose title shows the name and the subtree. */
function rowOf(subtree: Subtree, name: AltName) {
  const text = subtree instanceof Uint8Array ? `DER ${encodeHex(subtree)}` : subtree.value
  return [`${name.value} (subtree ${text})`, subtree, name] as const
}

describe('a permitted subtree', () => {
  it.each(PLACES.flatMap(([subtree, inside]) => inside.map((name) => rowOf(subtree, name))))(
    'admits %s',
    async (_, subtree, name) => {
      expect(await check({ permitted: [subtree] }, { altNames: [name] })).toBe('trusted')
    },
  )

  it.each(PLACES.flatMap(([subtree, , outside]) => outside.map((name) => rowOf(subtree, name))))(
    'rejects %s',
    async (_, subtree, name) => {
      expect(await check({ permitted: [subtree] }, { altNames: [name] })).toBe(VIOLATION)
    },
  )

  it.each(UNPLACEABLE.map(([subtree, name]) => rowOf(subtree, name)))(
    'rejects %s, because it cannot be compared with the subtree',
    async (_, subtree, name) => {
      expect(await check({ permitted: [subtree] }, { altNames: [name] })).toBe(VIOLATION)
    },
  )

  it('does not restrict names of another form', async () => {
    expect(await check({ permitted: [dns('example.com')] }, { altNames: [uri('https://example.org')] })).toBe(
      'trusted',
    )
  })

  it('rejects a certificate if one of its two names is outside the subtree', async () => {
    const altNames = [dns('example.com'), dns('example.org')]
    expect(await check({ permitted: [dns('example.com')] }, { altNames })).toBe(VIOLATION)
  })

  it('admits a name that is inside one of several permitted subtrees', async () => {
    const permitted = [dns('example.com'), dns('example.org')]
    expect(await check({ permitted }, { altNames: [dns('a.example.org')] })).toBe('trusted')
  })

  it('applies also if the extension is not critical', async () => {
    expect(await check({ permitted: [dns('example.com')] }, { altNames: [dns('example.org')] }, false)).toBe(
      VIOLATION,
    )
  })
})

describe('an excluded subtree', () => {
  it.each(PLACES.flatMap(([subtree, inside]) => inside.map((name) => rowOf(subtree, name))))(
    'rejects %s',
    async (_, subtree, name) => {
      expect(await check({ excluded: [subtree] }, { altNames: [name] })).toBe(VIOLATION)
    },
  )

  it.each(PLACES.flatMap(([subtree, , outside]) => outside.map((name) => rowOf(subtree, name))))(
    'admits %s',
    async (_, subtree, name) => {
      expect(await check({ excluded: [subtree] }, { altNames: [name] })).toBe('trusted')
    },
  )

  it.each(UNPLACEABLE.map(([subtree, name]) => rowOf(subtree, name)))(
    'rejects %s, because it cannot be compared with the subtree',
    async (_, subtree, name) => {
      expect(await check({ excluded: [subtree] }, { altNames: [name] })).toBe(VIOLATION)
    },
  )

  it('rejects a name even if it is also inside a permitted subtree', async () => {
    const subtrees = { permitted: [dns('example.com')], excluded: [dns('a.example.com')] }
    expect(await check(subtrees, { altNames: [dns('b.example.com')] })).toBe('trusted')
    expect(await check(subtrees, { altNames: [dns('x.a.example.com')] })).toBe(VIOLATION)
  })
})

describe('a directory name constraint', () => {
  it.each<[string, string, string]>([
    ['admits a subject inside the subtree', LEAF, 'trusted'],
    ['admits a subject with other case and spacing', 'C=de,O=test  ISSUER,CN=Somebody', 'trusted'],
    ['rejects a subject with another organization', 'C=DE,O=Other Issuer,CN=Somebody', VIOLATION],
    ['rejects a subject that is shorter than the subtree', 'C=DE', VIOLATION],
    ['rejects a subject with another order of attributes', 'O=Test Issuer,C=DE,CN=Somebody', VIOLATION],
  ])('a directory name constraint of a permitted subtree %s', async (_, subject, expected) => {
    expect(await check({ permitted: [dn('C=DE,O=Test Issuer')] }, { subject })).toBe(expected)
  })

  it('a directory name constraint of an excluded subtree rejects a subject that differs from the subtree only in case, and admits another organization', async () => {
    const excluded = [dn('C=DE,O=Test Issuer')]
    expect(await check({ excluded }, { subject: 'C=DE,O=Other,CN=Somebody' })).toBe('trusted')
    expect(await check({ excluded }, { subject: 'C=DE,O=TEST ISSUER,CN=Somebody' })).toBe(VIOLATION)
  })

  it('also applies to directory names among the alternative names', async () => {
    const permitted = [dn('C=DE')]
    expect(await check({ permitted }, { altNames: [dn('C=DE,O=Elsewhere')] })).toBe('trusted')
    expect(await check({ permitted }, { altNames: [dn('C=FR,O=Elsewhere')] })).toBe(VIOLATION)
  })
})

describe('the name constraints extension', () => {
  const list = (tag: number) => tlv(tag, tlv(0x30, tlv(0x82, utf8('example.com'))))
  const decode = (...parts: readonly Uint8Array[]) => decodeNameConstraints(decodeDer(tlv(0x30, ...parts))!)
  const example = { form: 'dns', value: 'example.com' }

  it('may have permitted subtrees, excluded subtrees, or both in this order', () => {
    expect(decode(list(0xa0))).toEqual({ permitted: [example], excluded: [] })
    expect(decode(list(0xa1))).toEqual({ permitted: [], excluded: [example] })
    expect(decode(list(0xa0), list(0xa1))).toEqual({ permitted: [example], excluded: [example] })
  })

  it.each([
    ['an empty value', []],
    ['excluded subtrees before permitted subtrees', [list(0xa1), list(0xa0)]],
    ['two lists of permitted subtrees', [list(0xa0), list(0xa0)]],
    ['two lists of excluded subtrees', [list(0xa1), list(0xa1)]],
    ['three lists of subtrees', [list(0xa0), list(0xa1), list(0xa1)]],
    ['a list with an unknown tag', [list(0xa2)]],
    ['a subtree without a name', [tlv(0xa0, tlv(0x30))]],
  ])('is refused with %s', (_, parts) => {
    expect(decode(...parts)).toBeUndefined()
  })
})

describe('the check of name constraints', () => {
  it('applies mail constraints to a mail address in the subject (RFC 5280 §4.2.1.10)', async () => {
    const permitted = [email('example.com')]
    expect(await check({ permitted }, { subject: `${LEAF},E=a@example.com` })).toBe('trusted')
    expect(await check({ permitted }, { subject: `${LEAF},E=a@example.org` })).toBe(VIOLATION)
  })

  it('rejects constraints with an unsupported form of name', async () => {
    const registeredId = tlv(0x88, Uint8Array.of(42))
    expect(await check({ permitted: [registeredId] }, {})).toBe(VIOLATION)
    expect(await check({ excluded: [registeredId] }, {})).toBe(VIOLATION)
  })

  it('does not apply directory constraints to an empty subject', () => {
    const directory = { form: 'directory', name: NO_NAME } as const
    const names = { subject: NO_NAME, subjectAltNames: [] }
    expect(satisfiesNameConstraints(names, { permitted: [], excluded: [directory] })).toBe(true)
  })

  it('rejects constraints if one form of name is supported and another is not', () => {
    const names = { subject: NO_NAME, subjectAltNames: [] }
    const [known, unknown] = [{ form: 'dns', value: 'example.com' }, { form: 'unprocessed' }] as const
    expect(satisfiesNameConstraints(names, { permitted: [known], excluded: [] })).toBe(true)
    expect(satisfiesNameConstraints(names, { permitted: [known, unknown], excluded: [] })).toBe(false)
    expect(satisfiesNameConstraints(names, { permitted: [known], excluded: [unknown] })).toBe(false)
  })

  it('rejects subtrees with a minimum above 0 or with any maximum (RFC 5280 §4.2.1.10)', async () => {
    const base = tlv(0x82, utf8('example.com'))
    const altNames = [dns('example.com')]
    expect(await check({ permitted: [base] }, { altNames })).toBe('trusted')
    for (const tag of [0x80, 0x81]) {
      const bounded = concatBytes(base, tlv(tag, Uint8Array.of(1)))
      expect(await check({ permitted: [bounded] }, { altNames })).toBe(VIOLATION)
    }
    const zero = (tag: number) => concatBytes(base, tlv(tag, Uint8Array.of(0)))
    expect(await check({ permitted: [zero(0x80)] }, { altNames })).toBe('trusted')
    expect(await check({ permitted: [zero(0x81)] }, { altNames })).toBe(VIOLATION)
  })

  it('rejects an invalid mailbox', async () => {
    const altNames = [email('one@example.com')]
    for (const text of ['one@two@example.com', '@example.com']) {
      expect(await check({ permitted: [tlv(0x81, utf8(text))] }, { altNames })).toBe(VIOLATION)
      expect(await check({ excluded: [tlv(0x81, utf8(text))] }, { altNames })).toBe(VIOLATION)
    }
  })

  it('rejects an address range of the wrong length', async () => {
    expect(await check({ excluded: [range('c0a800')] }, { altNames: [ip('10.0.0.1')] })).toBe(VIOLATION)
  })

  it('rejects a leaf that has name constraints', async () => {
    const extensions = [nameConstraints({ permitted: [dns('example.com')] })]
    const leaf = await mintLeaf(pki.intermediate, { extensions })
    expect(outcomeOf(await ask({ chain: [leaf.der, pki.intermediate.der] }))).toBe(VIOLATION)
  })

  it('applies the name constraints of the anchor', async () => {
    const extensions = [nameConstraints({ permitted: [dns('example.com')] })]
    const { chain, root } = await mintIssuerPki({
      root: { extensions },
      leaf: { altNames: [dns('example.org')] },
    })
    expect(outcomeOf(await ask({ chain }, { anchors: [caAnchor(root.pem)] }))).toBe(VIOLATION)
  })

  it('applies name constraints to intermediate certificates', async () => {
    const extensions = [nameConstraints({ permitted: [dn('C=DE')] })]
    const { chain, root } = await mintIssuerPki({
      root: { extensions },
      intermediate: { subject: 'C=FR,CN=Issuing CA' },
    })
    expect(outcomeOf(await ask({ chain }, { anchors: [caAnchor(root.pem)] }))).toBe(VIOLATION)
  })

  it('does not let a lower authority extend the names that an upper authority allows', async () => {
    const permit = (value: string) => [nameConstraints({ permitted: [dns(value)] })]
    const upper = await mintIntermediate(pki.root, { subject: 'CN=Upper', extensions: permit('example.com') })
    const lower = await mintIntermediate(upper, { subject: 'CN=Lower', extensions: permit('com') })
    const leaf = await mintLeaf(lower, { altNames: [dns('other.com')] })
    expect(outcomeOf(await ask({ chain: [leaf.der, lower.der, upper.der] }))).toBe(VIOLATION)
  })
})
