// Trust anchors at the admin API: each case changes one thing of an anchor that is accepted.

import { describe, expect, it } from 'vitest'
import { parseTrustAnchor } from '../../../src/trust/anchors/parse-anchor.ts'
import { mintCertificate, mintRoot, tlv } from '../../support/certificates/certificates.ts'
import { pki, SHARED } from '../fixtures.ts'

const JWK = pki.leaf.publicJwk
const ca = { ...SHARED, x509_ca_pem: pki.root.pem }
const pinned = { ...SHARED, x509_certificate_pem: pki.leaf.pem }
const url = { ...SHARED, issuer_url: 'https://issuer.example/tenant' }
const keys = {
  ...SHARED,
  issuer: 'https://issuer.example',
  jwks: { keys: [{ ...JWK, kid: 'a', alg: 'ES256' }] },
}

const rsaPem = (await mintCertificate({ keyKind: 'RSA-2048' })).pem
const selfSigned = await mintCertificate({ extendedKeyUsage: ['1.0.18013.5.1.2'] })
const weakPem = (await mintRoot({ keyKind: 'RSA-1024' })).pem
const criticalPem = (await mintRoot({ extensions: [{ oid: '1.2.3', critical: true, value: tlv(5) }] })).pem
const noSignPem = (await mintRoot({ keyUsage: ['cRLSign'] })).pem

/** Pointers of the errors found; none for an accepted anchor. */
function faults(value: unknown): readonly string[] {
  const parsed = parseTrustAnchor(value)
  return parsed.ok ? [] : parsed.error.map((fault) => fault.pointer)
}

describe('parseTrustAnchor', () => {
  it.each<[string, object]>([
    ['an authority', ca],
    ['a bundle of authorities', { ...ca, x509_ca_pem: `${pki.root.pem}\n${pki.intermediate.pem}` }],
    ['a PEM text with CRLF', { ...ca, x509_ca_pem: pki.root.pem.replaceAll('\n', '\r\n') }],
    ['a pinned signer', pinned],
    ['a pinned authority', { ...pinned, x509_certificate_pem: pki.root.pem }],
    ['an issuer URL', url],
    ['a DID', { ...SHARED, did: 'did:web:issuer.example' }],
    ['an issuer with its keys', keys],
    [
      'every optional member',
      { ...ca, purpose: ['issuer', 'status'], eku: ['1.0.18013.5.1.2'], sets: ['banks'] },
    ],
    ['an anchor with * among its types', { ...ca, credential_types: ['*', 'pid'] }],
  ])('accepts %s unchanged', (_, anchor) => {
    expect(parseTrustAnchor(anchor)).toEqual({ ok: true, value: anchor })
  })

  it('keeps only the public parameters of a key, and the members that select the key', () => {
    const parsed = parseTrustAnchor({
      ...keys,
      jwks: { keys: [{ ...JWK, use: 'sig', key_ops: ['verify'] }] },
    })
    expect(parsed.ok && 'jwks' in parsed.value && parsed.value.jwks.keys).toEqual([JWK])
  })

  it.each<[string, unknown, string]>([
    ['null in place of an anchor', null, ''],
    ['an array of anchors', [ca], ''],
    ['an anchor without a mechanism', SHARED, ''],
    ['an anchor with two mechanisms', { ...ca, ...url }, ''],
    ['an anchor with three mechanisms', { ...ca, ...pinned, ...keys }, ''],
    ['an issuer without keys', { ...SHARED, issuer: 'https://issuer.example' }, ''],
    ['keys without an issuer', { ...SHARED, jwks: keys.jwks }, ''],
    ['a DID with an unknown method', { ...SHARED, did: 'did:ion:x' }, '/did'],
    ['a did:web with a path that is no DID', { ...SHARED, did: 'did:web:issuer.example/x' }, '/did'],
    ['a DID URL', { ...SHARED, did: 'did:web:issuer.example#1' }, '/did'],
    ['a DID together with keys', { ...keys, did: 'did:web:issuer.example' }, ''],
    ['an unknown member', { ...ca, assurance: 'high' }, '/assurance'],
    ['an unknown member with a slash', { ...ca, 'a/b~': 1 }, '/a~1b~0'],
    ['an anchor without a name', { ...ca, name: undefined }, '/name'],
    ['an empty name', { ...ca, name: '' }, '/name'],
    ['a name of 101 characters', { ...ca, name: 'a'.repeat(101) }, '/name'],
    ['an empty list of types', { ...ca, credential_types: [] }, '/credential_types'],
    [
      '51 types',
      { ...ca, credential_types: Array.from({ length: 51 }, (_, i) => `t${i}`) },
      '/credential_types',
    ],
    ['a type that is no text', { ...ca, credential_types: [1] }, '/credential_types/0'],
    ['an unknown assurance level', { ...ca, assurance_level: 'highest' }, '/assurance_level'],
    ['an unknown purpose', { ...ca, purpose: ['verifier'] }, '/purpose/0'],
    ['an empty purpose', { ...ca, purpose: [] }, '/purpose'],
    ['an empty list of sets', { ...ca, sets: [] }, '/sets'],
    ['a set whose name is too long', { ...ca, sets: ['a'.repeat(65)] }, '/sets/0'],
    ['too many sets', { ...ca, sets: Array(21).fill('a') }, '/sets'],
    ['an extended key usage by name', { ...ca, eku: ['serverAuth'] }, '/eku/0'],
    ['an empty list of extended key usages', { ...ca, eku: [] }, '/eku'],
    ['an authority that is no PEM', { ...ca, x509_ca_pem: 'abc' }, '/x509_ca_pem'],
    [
      'an authority with text before its PEM',
      { ...ca, x509_ca_pem: `root: ${pki.root.pem}` },
      '/x509_ca_pem',
    ],
    [
      'an authority whose PEM has no end line',
      { ...ca, x509_ca_pem: pki.root.pem.replace('-----END', '') },
      '/x509_ca_pem',
    ],
    [
      'an authority whose PEM lacks one character',
      { ...ca, x509_ca_pem: pki.root.pem.replace('MII', 'MI') },
      '/x509_ca_pem',
    ],
    ['17 authorities', { ...ca, x509_ca_pem: pki.root.pem.repeat(17) }, '/x509_ca_pem'],
    ['an authority beyond 64 KiB', { ...ca, x509_ca_pem: pki.root.pem + ' '.repeat(65_536) }, '/x509_ca_pem'],
    ['a leaf certificate as the authority', { ...ca, x509_ca_pem: pki.leaf.pem }, '/x509_ca_pem'],
    [
      'a leaf certificate in a bundle of authorities',
      { ...ca, x509_ca_pem: pki.root.pem + pki.leaf.pem },
      '/x509_ca_pem',
    ],
    ['an authority without keyCertSign', { ...ca, x509_ca_pem: noSignPem }, '/x509_ca_pem'],
    ['an authority with a weak key', { ...ca, x509_ca_pem: weakPem }, '/x509_ca_pem'],
    ['an authority with an unknown critical extension', { ...ca, x509_ca_pem: criticalPem }, '/x509_ca_pem'],
    [
      'two pinned signers',
      { ...pinned, x509_certificate_pem: pki.leaf.pem.repeat(2) },
      '/x509_certificate_pem',
    ],
    ['a pinned RSA signer', { ...pinned, x509_certificate_pem: rsaPem }, '/x509_certificate_pem'],
    ['an issuer URL over http', { ...url, issuer_url: 'http://issuer.example' }, '/issuer_url'],
    ['an issuer URL with a query', { ...url, issuer_url: 'https://issuer.example?a' }, '/issuer_url'],
    ['an empty issuer', { ...keys, issuer: '' }, '/issuer'],
    ['an empty list of keys', { ...keys, jwks: { keys: [] } }, '/jwks/keys'],
    ['33 keys', { ...keys, jwks: { keys: Array.from({ length: 33 }, () => JWK) } }, '/jwks/keys'],
    ['a private key', { ...keys, jwks: { keys: [pki.leaf.privateJwk] } }, '/jwks/keys/0/d'],
    ['a symmetric key', { ...keys, jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }, '/jwks/keys/0/kty'],
    ['a key for encryption', { ...keys, jwks: { keys: [{ ...JWK, use: 'enc' }] } }, '/jwks/keys/0/use'],
    [
      'a key with a coordinate of the wrong length',
      { ...keys, jwks: { keys: [{ ...JWK, x: 'AA' }] } },
      '/jwks/keys/0',
    ],
  ])('rejects %s', (_, anchor, pointer) => {
    expect(faults(anchor)).toContain(pointer)
  })

  it.each([
    ['that is self-signed', selfSigned],
    ['below an authority', pki.leaf],
  ])(
    'rejects a document signer %s as an authority, and the message says to pin the signer instead',
    (_, { pem }) => {
      const parsed = parseTrustAnchor({ ...SHARED, x509_ca_pem: pem })
      const message =
        'must be a certification authority (basicConstraints, keyCertSign): pin a signer by x509_certificate_pem instead'
      expect(parsed).toEqual({ ok: false, error: [{ pointer: '/x509_ca_pem', message }] })
      expect(faults({ ...SHARED, x509_certificate_pem: pem })).toEqual([])
    },
  )

  it('reports all errors at once', () => {
    expect(faults({ ...ca, name: '', assurance_level: 1 })).toEqual(['/name', '/assurance_level'])
  })
})
