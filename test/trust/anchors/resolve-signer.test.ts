// Trust decisions: anchors, types, purposes and the one mechanism of an issuer.

import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import type { PublicJwk } from '../../../src/crypto/jwk.ts'
import { err } from '../../../src/result.ts'
import type { AnchorJwk, TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import { mintCertificate, mintIssuerPki, mintLeaf, withDer } from '../../support/certificates/certificates.ts'
import {
  ask,
  askAll,
  caAnchor,
  jsonResource,
  NOW,
  outcomeOf,
  pinnedAnchor,
  pki,
  SHARED,
} from '../fixtures.ts'

const ISSUER = 'https://issuer.example/tenant'

const KEYS = {
  es256: await publicKey('ES256'),
  other: await publicKey('ES256'),
  es384: await publicKey('ES384'),
  ed25519: await publicKey('Ed25519'),
}

const employee = { name: 'employee_id', builtIn: false }

function jwksAnchor(keys: readonly AnchorJwk[], changes: Partial<TrustAnchor> = {}): TrustAnchor {
  return { ...SHARED, ...changes, issuer: ISSUER, jwks: { keys } } as TrustAnchor
}

function urlAnchor(changes: Partial<TrustAnchor> = {}): TrustAnchor {
  return { ...SHARED, ...changes, issuer_url: ISSUER } as TrustAnchor
}

async function publicKey(alg: string): Promise<PublicJwk> {
  const { publicKey: key } = await generateKeyPair(alg, { extractable: true })
  return (await exportJWK(key)) as PublicJwk
}

describe('the choice among trust anchors', () => {
  it('returns the key, the subject and the anchor of a certificate chain', async () => {
    expect(await ask()).toEqual({
      ok: true,
      value: {
        keys: [pki.leaf.publicJwk],
        issuer: 'CN=Test Document Signer,O=Test Issuer,C=DE',
        anchor: { name: 'test anchor', assurance_level: 'high' },
        subjectNamespace: expect.stringMatching(/^key:[\w-]{43}$/),
        authorityKeyIdentifiers: [],
        path: [pki.leaf, pki.intermediate, pki.root].map(({ der }) => decodeCertificate(der)),
      },
    })
  })

  it.each<[string, Partial<TrustAnchor>[], { name: string; builtIn: boolean }, string]>([
    ['refuses a signer without any anchor', [], { name: 'pid', builtIn: true }, 'untrusted_issuer'],
    [
      'refuses a signer whose anchor is for another type',
      [{ credential_types: ['mdl'] }],
      { name: 'pid', builtIn: true },
      'untrusted_issuer',
    ],
    [
      'accepts a signer whose anchor is for several types',
      [{ credential_types: ['mdl', 'pid'] }],
      { name: 'pid', builtIn: true },
      'trusted',
    ],
    [
      'refuses a signer whose anchor is for *, if the type is built in',
      [{ credential_types: ['*'] }],
      { name: 'pid', builtIn: true },
      'untrusted_issuer',
    ],
    [
      'accepts a signer whose anchor is for *, if the type is added',
      [{ credential_types: ['*'] }],
      employee,
      'trusted',
    ],
    [
      'accepts a signer whose anchor names the added type',
      [{ credential_types: ['employee_id'] }],
      employee,
      'trusted',
    ],
    [
      'refuses a signer whose anchor is for status lists only',
      [{ purpose: ['status'] }],
      { name: 'pid', builtIn: true },
      'untrusted_issuer',
    ],
    [
      'accepts a signer whose anchor is for issuers and status lists',
      [{ purpose: ['status', 'issuer'] }],
      { name: 'pid', builtIn: true },
      'trusted',
    ],
  ])('applies the purposes and types of the anchors: %s', async (_, changes, credentialType, expected) => {
    const anchors = changes.map((change) => caAnchor(pki.root.pem, change))
    expect(outcomeOf(await ask({}, { anchors, credentialType }))).toBe(expected)
  })

  it('ignores an anchor for * if another anchor names the type', async () => {
    const stranger = await mintIssuerPki({ root: { subject: 'CN=Stranger' } })
    const anchors = [
      caAnchor(pki.root.pem, { credential_types: ['*'] }),
      caAnchor(stranger.root.pem, { credential_types: ['employee_id'] }),
    ]
    expect(outcomeOf(await ask({}, { anchors, credentialType: employee }))).toBe('untrusted_issuer')
    const status = [anchors[0]!, { ...anchors[1]!, purpose: ['status'] as const }]
    expect(outcomeOf(await ask({}, { anchors: status, credentialType: employee }))).toBe('trusted')
  })

  it('uses an anchor without `purpose` for credentials only', async () => {
    expect(outcomeOf(await ask({}, { purpose: 'status' }))).toBe('untrusted_issuer')
    const anchors = [caAnchor(pki.root.pem, { purpose: ['status'] })]
    expect(outcomeOf(await ask({}, { purpose: 'status', anchors }))).toBe('trusted')
  })

  it('uses the first of several anchors that trust the signer', async () => {
    const anchors = ['low', 'high'].map((level) =>
      caAnchor(pki.root.pem, { assurance_level: level as 'low' }),
    )
    const result = await ask({}, { anchors })
    expect(result.ok && result.value.anchor.assurance_level).toBe('low')
  })

  it('finds the right authority if two have the same name, in one anchor or in two', async () => {
    const namesake = await mintIssuerPki()
    const bundle = caAnchor(namesake.root.pem + pki.root.pem)
    expect(outcomeOf(await ask({}, { anchors: [bundle] }))).toBe('trusted')
    const anchors = [caAnchor(namesake.root.pem), caAnchor(pki.root.pem)]
    expect(outcomeOf(await ask({}, { anchors }))).toBe('trusted')
  })

  it('reports the error of the path whose signatures are valid, not of the path to another authority with the same name', async () => {
    const namesake = await mintIssuerPki()
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const pair = [caAnchor(namesake.root.pem), caAnchor(pki.root.pem)]
      const anchors = order.map((i) => pair[i]!)
      expect(outcomeOf(await ask({}, { anchors, now: 1_000_000_000 }))).toBe('certificate_not_yet_valid')
    }
  })

  it('trusts no signer without a certificate chain or an anchored issuer', async () => {
    expect(outcomeOf(await ask({ chain: undefined }))).toBe('untrusted_issuer')
    expect(outcomeOf(await ask({ chain: undefined, iss: ISSUER, kid: 'a' }))).toBe('untrusted_issuer')
    const anchors = [jwksAnchor([KEYS.es256])]
    expect(outcomeOf(await ask({ chain: undefined, iss: undefined }, { anchors }))).toBe('untrusted_issuer')
    expect(outcomeOf(await ask({ chain: undefined, iss: `${ISSUER}/` }, { anchors }))).toBe(
      'untrusted_issuer',
    )
  })
})

describe('a pinned signer', () => {
  const BEFORE = new Date((NOW - 3600) * 1000)
  const AFTER = new Date((NOW + 3600) * 1000)

  it('is trusted even if its authority is not anchored', async () => {
    expect(outcomeOf(await ask({}, { anchors: [pinnedAnchor(pki.leaf.pem)] }))).toBe('trusted')
  })

  it('is trusted even if its certificate is self-signed, belongs to an authority, or is for TLS', async () => {
    const pinned = await mintCertificate({
      ca: true,
      keyUsage: ['keyCertSign'],
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'],
    })
    expect(outcomeOf(await ask({ chain: [pinned.der] }, { anchors: [pinnedAnchor(pinned.pem)] }))).toBe(
      'trusted',
    )
  })

  it('is trusted with any well-formed certificate above it in the chain', async () => {
    const anchors = [pinnedAnchor(pki.leaf.pem)]
    expect(outcomeOf(await ask({ chain: [pki.leaf.der, pki.leaf.der] }, { anchors }))).toBe('trusted')
    const junk = [pki.leaf.der, Uint8Array.of(0x30)]
    expect(outcomeOf(await ask({ chain: junk }, { anchors }))).toBe('malformed_certificate_chain')
  })

  it.each([
    ['expired', { notAfter: BEFORE }, 'certificate_expired'],
    ['not valid yet', { notBefore: AFTER }, 'certificate_not_yet_valid'],
  ])('is refused if its certificate is %s', async (_, changes, expected) => {
    const pinned = await mintCertificate(changes)
    expect(outcomeOf(await ask({ chain: [pinned.der] }, { anchors: [pinnedAnchor(pinned.pem)] }))).toBe(
      expected,
    )
  })

  it('is refused if one byte of its certificate is changed', async () => {
    const pinned = await mintCertificate({ ca: false })
    const anchors = [pinnedAnchor(pinned.pem)]
    const off = withDer(
      pinned,
      pinned.der.map((byte, i) => (i === pinned.der.length - 1 ? byte ^ 1 : byte)),
    )
    expect(outcomeOf(await ask({ chain: [off.der] }, { anchors }))).not.toBe('trusted')
    const renewed = await mintCertificate({ ca: false, keys: pinned.keys })
    expect(outcomeOf(await ask({ chain: [renewed.der] }, { anchors }))).toBe('self_signed_certificate')
  })

  it('is trusted only for signatures of its own key', async () => {
    const below = await mintLeaf(pki.leaf, { subject: 'CN=Below' })
    const anchors = [pinnedAnchor(pki.leaf.pem)]
    expect(outcomeOf(await ask({ chain: [below.der, pki.leaf.der] }, { anchors }))).toBe('untrusted_issuer')
  })

  it('is refused if the signature algorithm does not fit its key', async () => {
    const anchors = [pinnedAnchor(pki.leaf.pem)]
    for (const algorithm of ['ES384', 'Ed25519', 'RS256', 'HS256', 'none']) {
      expect(outcomeOf(await ask({ algorithm }, { anchors }))).toBe('issuer_key_not_found')
    }
  })
})

describe('the issuer of a credential with a chain', () => {
  const issuerOf = async (iss: string, altNames: Parameters<typeof mintLeaf>[1]) => {
    const leaf = await mintLeaf(pki.intermediate, altNames)
    const result = await ask({ iss, chain: [leaf.der, pki.intermediate.der] })
    return result.ok ? result.value.issuer : outcomeOf(result)
  }
  const SUBJECT = 'CN=Test Document Signer,O=Test Issuer,C=DE'

  it.each<[string, { type: 'url' | 'dns'; value: string }[], string]>([
    [ISSUER, [{ type: 'url', value: ISSUER }], ISSUER],
    [ISSUER, [{ type: 'dns', value: 'issuer.example' }], ISSUER],
    [ISSUER, [{ type: 'dns', value: 'ISSUER.example' }], ISSUER],
    ['https://issuer.example', [{ type: 'dns', value: 'issuer.example' }], 'https://issuer.example'],
    [
      'https://issuer.example:8443/',
      [{ type: 'dns', value: 'issuer.example' }],
      'https://issuer.example:8443/',
    ],
    ['did:web:issuer.example', [{ type: 'url', value: 'did:web:issuer.example' }], 'did:web:issuer.example'],
    [ISSUER, [], SUBJECT],
    [ISSUER, [{ type: 'url', value: `${ISSUER}/` }], SUBJECT],
    [ISSUER, [{ type: 'dns', value: 'example' }], SUBJECT],
    [ISSUER, [{ type: 'dns', value: '*.example' }], SUBJECT],
    [ISSUER, [{ type: 'dns', value: 'a.issuer.example' }], SUBJECT],
    ['http://issuer.example', [{ type: 'dns', value: 'issuer.example' }], SUBJECT],
    ['https://issuer.example?a', [{ type: 'dns', value: 'issuer.example' }], SUBJECT],
    ['https://evil.example@issuer.example/', [{ type: 'dns', value: 'issuer.example' }], SUBJECT],
    ['https://issuer.example\\@evil.example/', [{ type: 'dns', value: 'issuer.example' }], SUBJECT],
    ['did:web:issuer.example', [{ type: 'dns', value: 'issuer.example' }], SUBJECT],
    ...[
      ...[
        'HTTPS://issuer.example',
        'https://ISSUER.example',
        'https://issuer.example#',
        'https://issuer.example:443',
      ],
      ...['https://issuer.example.', 'DID:web:issuer.example', 'https://a@issuer.example/', 'issuer'],
    ].map((iss): [string, { type: 'url' | 'dns'; value: string }[], string] => [
      iss,
      [{ type: 'url', value: iss }],
      SUBJECT,
    ]),
  ])(
    'the issuer of a credential with the iss %s, and with the names %j in its leaf, is reported as %s',
    async (iss, altNames, expected) => {
      expect(await issuerOf(iss, altNames.length === 0 ? {} : { altNames })).toBe(expected)
    },
  )

  it.each([
    ['C=DE,O=Müller\\, Söhne \\+ Co,CN=Signer', 'CN=Signer,O=Müller\\, Söhne \\+ Co,C=DE'],
    ['O=Test,2.5.4.97=VATDE-123', 'organizationIdentifier=VATDE-123,O=Test'],
    ['O=Test,1.2.3.4=abc', '1.2.3.4=#1303616263,O=Test'],
    ['CN=a\u202eb', 'CN=a\\e2\\80\\aeb'],
    [`CN=${'x'.repeat(1100)}`, null],
  ])('is the subject of its leaf, and the subject %s is written as %s', async (subject, expected) => {
    expect(await issuerOf('https://elsewhere.example', { subject })).toBe(expected)
  })
})

describe('an issuer that has its own anchor', () => {
  const claims = { iss: ISSUER, chain: undefined }

  it('is verified with its anchored keys', async () => {
    expect(await ask(claims, { anchors: [jwksAnchor([{ ...KEYS.es256, kid: 'a' }])] })).toEqual({
      ok: true,
      value: {
        keys: [KEYS.es256],
        issuer: ISSUER,
        anchor: { name: 'test anchor', assurance_level: 'high' },
        subjectNamespace: `issuer:${ISSUER}`,
        authorityKeyIdentifiers: [],
        path: [],
      },
    })
  })

  it('is verified with its anchored keys even if the credential also has a trusted chain', async () => {
    const anchors = [caAnchor(pki.root.pem), jwksAnchor([KEYS.es256])]
    const result = await ask({ iss: ISSUER }, { anchors })
    expect(result.ok && result.value.keys).toEqual([KEYS.es256])
  })

  it('is refused if its anchored keys do not fit, even if the credential has a trusted chain', async () => {
    const anchors = [caAnchor(pki.root.pem), jwksAnchor([KEYS.es384])]
    expect(outcomeOf(await ask({ iss: ISSUER }, { anchors }))).toBe('issuer_key_not_found')
  })

  it.each<[string, TrustAnchor]>([
    ['keys', jwksAnchor([KEYS.es256], { credential_types: ['mdl'] })],
    ['metadata', urlAnchor({ credential_types: ['mdl'] })],
    ['a DID', { ...SHARED, credential_types: ['mdl'], did: ISSUER }],
  ])(
    'is refused for a type that its own anchor (%s) does not cover, even if the credential has a trusted chain',
    async (_, own) => {
      expect(outcomeOf(await ask({ iss: ISSUER }, { anchors: [caAnchor(pki.root.pem), own] }))).toBe(
        'untrusted_issuer',
      )
    },
  )

  const HOST = 'https://issuer.example'
  const WEB = 'did:web:issuer.example'
  const URL_SPELLINGS = [
    ...[`${HOST}/`, `${HOST}//`, 'HTTPS://issuer.example', 'https://ISSUER.example', `${HOST}#`, `${HOST}#a`],
    ...[`${HOST}:443`, `${HOST}.`, `${HOST}.:443/`, `${HOST}?`, 'https://a@issuer.example', `${HOST}\\`],
    ...[`${HOST}/.`, `${HOST}/%2e`, ` ${HOST}`, `${HOST}#${'a'.repeat(2000)}`, `${HOST}${'/'.repeat(2000)}`],
  ]
  const DID_SPELLINGS = [
    ...['DID:web:issuer.example', 'did:WEB:issuer.example', 'did:web:ISSUER.example', `${WEB}#0`],
    ...[`${WEB}/`, `${WEB}.`, `${WEB}%3A443`, `${WEB}%3a443`],
  ]
  const anchorOf = (iss: string): TrustAnchor =>
    iss.startsWith('did:')
      ? { ...SHARED, did: iss }
      : ({ ...SHARED, issuer: iss, jwks: { keys: [KEYS.es256] } } as TrustAnchor)
  const spelt = [
    ...[HOST, ...URL_SPELLINGS].map((iss) => [HOST, iss] as const),
    ...[HOST, ...URL_SPELLINGS].map((iss) => [`${HOST}/`, iss] as const),
    ...DID_SPELLINGS.map((iss) => [WEB, iss] as const),
    ...[`${ISSUER}/`, `${HOST}/%74enant`, 'https://Issuer.Example/tenant'].map(
      (iss) => [ISSUER, iss] as const,
    ),
  ].filter(([anchored, iss]) => anchored !== iss)

  it.each(spelt)(
    'an issuer that has its own anchor with the name %s is not verified by a trusted chain if the iss is %s',
    async (own, iss) => {
      const altNames = [
        { type: 'dns', value: 'issuer.example' },
        { type: 'url', value: iss },
      ] as const
      const leaf = await mintLeaf(pki.intermediate, { altNames })
      const signed = { iss, chain: [leaf.der, pki.intermediate.der] }
      const anchors = [caAnchor(pki.root.pem), anchorOf(own)]
      expect(outcomeOf(await ask(signed, { anchors }))).toBe('untrusted_issuer')
      // Without an anchor of its own, the chain speaks for the leaf.
      expect(outcomeOf(await ask(signed))).toBe('trusted')
    },
  )

  it.each([
    [HOST, `${HOST}/tenant`],
    [HOST, `${HOST}:8443`],
    [HOST, `${HOST}?a`],
    [HOST, 'https://www.issuer.example'],
    [ISSUER, `${HOST}/Tenant`],
    [WEB, `${WEB}:tenant`],
    [WEB, HOST],
  ])('an issuer that has its own anchor with the name %s is not the same issuer as %s', async (own, iss) => {
    const anchors = [caAnchor(pki.root.pem), anchorOf(own)]
    expect(outcomeOf(await ask({ iss }, { anchors }))).toBe('trusted')
  })

  it('is refused if the protocol does not accept its own anchor, even if the credential has a trusted chain', async () => {
    const acceptsAnchor = (anchor: TrustAnchor) => 'x509_ca_pem' in anchor
    for (const own of [jwksAnchor([KEYS.es256]), urlAnchor(), { ...SHARED, did: ISSUER }]) {
      const anchors = [caAnchor(pki.root.pem), own]
      expect(outcomeOf(await ask({ iss: ISSUER }, { anchors, acceptsAnchor }))).toBe('untrusted_issuer')
      expect(outcomeOf(await ask({ iss: `${ISSUER}/` }, { anchors, acceptsAnchor }))).toBe('untrusted_issuer')
    }
    expect(outcomeOf(await ask({}, { acceptsAnchor }))).toBe('trusted')
  })

  it('prevents the use of `*` anchors for the type that its own anchor names, even if the protocol refuses that anchor', async () => {
    const acceptsAnchor = (anchor: TrustAnchor) => 'x509_ca_pem' in anchor
    const named = jwksAnchor([KEYS.es256], { credential_types: ['employee_id'] })
    const anchors = [caAnchor(pki.root.pem, { credential_types: ['*'] }), named]
    const asked = { anchors, acceptsAnchor, credentialType: employee }
    expect(outcomeOf(await ask({}, asked))).toBe('untrusted_issuer')
  })

  it('is verified by a trusted chain if its own anchor is for status lists only', async () => {
    const anchors = [caAnchor(pki.root.pem), jwksAnchor([KEYS.es256], { purpose: ['status'] })]
    expect(outcomeOf(await ask({ iss: ISSUER }, { anchors }))).toBe('trusted')
  })

  it.each<[string, AnchorJwk[], string | undefined, string, PublicJwk[]]>([
    [
      'all keys if the credential has no kid',
      [KEYS.es256, { ...KEYS.other, kid: 'b' }],
      undefined,
      'ES256',
      [KEYS.es256, KEYS.other],
    ],
    [
      'the key that has the kid of the credential',
      [
        { ...KEYS.es256, kid: 'a' },
        { ...KEYS.other, kid: 'b' },
      ],
      'b',
      'ES256',
      [KEYS.other],
    ],
    [
      'keys without a kid if no key has the kid of the credential',
      [KEYS.es256, { ...KEYS.other, kid: 'b' }],
      'c',
      'ES256',
      [KEYS.es256],
    ],
    ['only keys of the algorithm’s curve', [KEYS.es256, KEYS.es384], undefined, 'ES384', [KEYS.es384]],
    [
      'an EdDSA key for the algorithm Ed25519',
      [{ ...KEYS.ed25519, alg: 'EdDSA' }],
      undefined,
      'Ed25519',
      [KEYS.ed25519],
    ],
    [
      'no key whose alg differs from the signature algorithm',
      [{ ...KEYS.es256, alg: 'ECDH-ES' }],
      undefined,
      'ES256',
      [],
    ],
    [
      'no key whose kid differs from the kid of the credential',
      [{ ...KEYS.es256, kid: 'a' }],
      'c',
      'ES256',
      [],
    ],
    ['no key for an unsupported algorithm', [KEYS.es256], undefined, 'HS256', []],
    [
      'eight keys at most',
      Array.from({ length: 9 }, () => KEYS.es256),
      undefined,
      'ES256',
      Array.from({ length: 8 }, () => KEYS.es256),
    ],
  ])('is verified with the right keys: %s', async (_, keys, kid, algorithm, expected) => {
    const result = await ask({ ...claims, kid, algorithm }, { anchors: [jwksAnchor(keys)] })
    if (expected.length === 0) expect(outcomeOf(result)).toBe('issuer_key_not_found')
    else expect(result.ok && result.value.keys).toEqual(expected)
  })

  it('is verified with the keys of its metadata only', async () => {
    const fetchResource = async () => jsonResource({ issuer: ISSUER, jwks: { keys: [KEYS.es256] } })
    const anchors = [caAnchor(pki.root.pem), urlAnchor()]
    const result = await ask({ iss: ISSUER }, { anchors, fetchResource })
    expect(result.ok && result.value).toEqual({
      keys: [KEYS.es256],
      issuer: ISSUER,
      anchor: { name: 'test anchor', assurance_level: 'high' },
      subjectNamespace: `issuer:${ISSUER}`,
      authorityKeyIdentifiers: [],
      path: [],
    })
    const dead = { anchors, fetchResource: async () => err('unavailable' as const) }
    expect(outcomeOf(await ask({ iss: ISSUER }, dead))).toBe('issuer_metadata_unavailable')
  })

  it('is verified with its second anchor if its first anchor has no suitable key', async () => {
    const anchors = [
      jwksAnchor([{ ...KEYS.es256, kid: 'old' }]),
      jwksAnchor([{ ...KEYS.other, kid: 'new' }], { name: 'second' }),
    ]
    const result = await ask({ ...claims, kid: 'new' }, { anchors })
    expect(result.ok && result.value.anchor.name).toBe('second')
  })

  it('is verified with at most four of its anchors, and each result has the assurance level of its anchor', async () => {
    const anchors = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) =>
      jwksAnchor([KEYS.es256], { name, assurance_level: name === 'first' ? 'low' : 'high' }),
    )
    const result = await askAll(claims, { anchors })
    expect(result.ok && result.value.map(({ anchor }) => anchor)).toEqual([
      { name: 'first', assurance_level: 'low' },
      { name: 'second', assurance_level: 'high' },
      { name: 'third', assurance_level: 'high' },
      { name: 'fourth', assurance_level: 'high' },
    ])
  })
})
