// Certificate paths: valid paths, and requirements of an anchor. chain-mutations.test.ts has refused paths,
// by one change each.

import { describe, expect, it } from 'vitest'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import type { TrustContext } from '../../../src/trust/anchors/signer.ts'
import { decodeCertificateChain } from '../../../src/trust/x509/certificate-path.ts'
import {
  type CertificateOptions,
  type IssuerPki,
  type Minted,
  mintIntermediate,
  mintIssuerPki,
  mintKeys,
  mintLeaf,
  mintRoot,
  type RawExtension,
  tlv,
} from '../../support/certificates/certificates.ts'
import { ask, caAnchor, NOW, outcomeOf, pki } from '../fixtures.ts'

const HOUR = 3_600_000
const BEFORE = new Date(NOW * 1000 - HOUR)
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const ANY_PURPOSE = '2.5.29.37.0'
const DOCUMENT_SIGNER = '1.0.18013.5.1.2'
const OTHER_PURPOSE = '1.3.6.1.5.5.7.3.4'

const UNKNOWN: RawExtension = { oid: '1.2.3.4.5', critical: true, value: tlv(0x05) }

/** Verifies an infrastructure with its own root as the anchor. */
async function askPki(changed: IssuerPki, context: Partial<TrustContext> = {}): Promise<string> {
  return outcomeOf(await ask({ chain: changed.chain }, { anchors: [caAnchor(changed.root.pem)], ...context }))
}

/** Verifies other certificates than the good certificates, below the good root. */
async function askChain(...chain: readonly Minted[]): Promise<string> {
  return outcomeOf(await ask({ chain: chain.map((certificate) => certificate.der) }))
}

type Changes = Parameters<typeof mintIssuerPki>[0]

describe('a path is trusted', () => {
  it.each<[string, Changes]>([
    ['with the default profile', {}],
    [
      'with P-384 and SHA-384',
      {
        root: { keyKind: 'P-384' },
        intermediate: { keyKind: 'P-384', hash: 'SHA-384' },
        leaf: { hash: 'SHA-384' },
      },
    ],
    [
      'with P-521 and SHA-512',
      {
        root: { keyKind: 'P-521' },
        intermediate: { keyKind: 'P-521', hash: 'SHA-512' },
        leaf: { hash: 'SHA-512' },
      },
    ],
    ['with Ed25519 authorities', { root: { keyKind: 'Ed25519' }, intermediate: { keyKind: 'Ed25519' } }],
    ['with RSA-2048 authorities', { root: { keyKind: 'RSA-2048' }, intermediate: { keyKind: 'RSA-2048' } }],
    ['with a path length that is just enough', { root: { pathLength: 1 }, intermediate: { pathLength: 0 } }],
    ['with a leaf that has no basic constraints', { leaf: { ca: null } }],
    ['with an anchor that has no key usage', { root: { keyUsage: null } }],
    [
      'with an extended key usage besides TLS',
      { leaf: { extendedKeyUsage: [SERVER_AUTH, DOCUMENT_SIGNER] } },
    ],
    [
      'with an unknown extension that is not critical',
      { leaf: { extensions: [{ ...UNKNOWN, critical: false }] } },
    ],
    [
      'with a leaf that has the same name as its authority',
      { leaf: { subject: 'C=DE,O=Test Trust,CN=Test Issuing CA' } },
    ],
    ['in the last second of the leaf’s validity', { leaf: { notAfter: new Date(NOW * 1000) } }],
    ['in the first second of the leaf’s validity', { leaf: { notBefore: new Date(NOW * 1000) } }],
  ])('%s', async (_, changes) => {
    expect(await askPki(await mintIssuerPki(changes))).toBe('trusted')
  })

  it('with a leaf directly below the anchor', async () => {
    expect(await askChain(await mintLeaf(pki.root))).toBe('trusted')
  })

  it('with eight certificates, but not with nine', async () => {
    const chain = [await mintIntermediate(pki.root, { subject: 'CN=Level 1' })]
    for (let level = 2; level <= 8; level++) {
      chain.unshift(await mintIntermediate(chain[0]!, { subject: `CN=Level ${level}` }))
    }
    expect(await askChain(await mintLeaf(chain[1]!), ...chain.slice(1))).toBe('trusted')
    expect(await askChain(await mintLeaf(chain[0]!), ...chain)).toBe(
      'certificate_profile_violation: chain_too_long',
    )
  })

  it('if its issuer names differ in string type and case only (RFC 5280 §7.1)', async () => {
    const leaf = await mintLeaf(pki.intermediate, { issuerName: 'C=de, O=TEST  trust, CN=Test Issuing CA' })
    expect(await askChain(leaf, pki.intermediate)).toBe('trusted')
  })

  it('if only a self-issued intermediate exceeds the path length (RFC 5280 §4.2.1.9)', async () => {
    const root = await mintRoot({ pathLength: 1 })
    const first = await mintIntermediate(root)
    const second = await mintIntermediate(first)
    const leaf = await mintLeaf(second)
    const chain = [leaf.der, second.der, first.der]
    expect(outcomeOf(await ask({ chain }, { anchors: [caAnchor(root.pem)] }))).toBe('trusted')
  })
})

describe('a path is refused', () => {
  it('if one of its certificates is signed by RSA with SHA-1', async () => {
    const changed = await mintIssuerPki({ root: { keys: await rsaSha1() }, intermediate: { hash: 'SHA-1' } })
    expect(await askPki(changed)).toBe('certificate_profile_violation: weak_key_or_signature')
  })

  it('as expired, even if another anchor with the same name is configured before or after its own anchor', async () => {
    const expired = await mintIssuerPki({ leaf: { notAfter: BEFORE } })
    const namesake = await mintRoot()
    const [named, own] = [caAnchor(namesake.pem), caAnchor(expired.root.pem)]
    const askFor = async (anchors: readonly TrustAnchor[]) =>
      outcomeOf(await ask({ chain: expired.chain }, { anchors }))
    expect(await askFor([named])).toBe('invalid_certificate_path')
    expect(await askFor([named, own])).toBe('certificate_expired')
    expect(await askFor([own, named])).toBe('certificate_expired')
  })

  it('as untrusted if it is expired and no anchor certifies it', async () => {
    const stranger = await mintIssuerPki({ root: { subject: 'CN=Stranger' }, leaf: { notAfter: BEFORE } })
    expect(outcomeOf(await ask({ chain: stranger.chain }))).toBe('untrusted_issuer')
  })
})

describe('an anchor that is in the chain', () => {
  it('is accepted if another anchor certifies the whole chain', async () => {
    const anchors = [caAnchor(pki.intermediate.pem), caAnchor(pki.root.pem, { name: 'root' })]
    const result = await ask({}, { anchors })
    expect(result.ok && result.value.anchor.name).toBe('root')
    expect(outcomeOf(await ask({}, { anchors: anchors.slice(0, 1) }))).toBe('trust_anchor_in_chain')
  })
})

describe('an authority in the chain that has the name of the anchor', () => {
  it('is not treated as the anchor if its key is different', async () => {
    const namesake = await mintRoot()
    const chain = [pki.leaf, pki.intermediate, pki.root].map(({ der }) => der)
    const anchors = [caAnchor(namesake.pem)]
    expect(outcomeOf(await ask({ chain }, { anchors }))).toBe('invalid_certificate_path')
  })
})

describe('an anchor in the chain, if the protocol accepts an anchor there,', () => {
  const accepting = { acceptsAnchorInChain: true } as const
  const { root, intermediate, leaf } = pki
  const askWith = async (chain: readonly Minted[], anchor = root) =>
    outcomeOf(
      await ask({ chain: chain.map(({ der }) => der) }, { anchors: [caAnchor(anchor.pem)], ...accepting }),
    )

  it('is the last certificate of the path', async () => {
    const result = await ask({ chain: [leaf, intermediate, root].map(({ der }) => der) }, accepting)
    expect(result.ok && result.value.path.map(({ encoded }) => [...encoded])).toEqual(
      [leaf, intermediate, root].map(({ der }) => [...der]),
    )
  })

  it('may be an intermediate authority, whether the chain has the root above it or not', async () => {
    expect(await askWith([leaf, intermediate], intermediate)).toBe('trusted')
    expect(await askWith([leaf, intermediate, root], intermediate)).toBe('trusted')
  })

  it('may have an unrelated certificate after it in the chain, but not before it', async () => {
    const stranger = await mintRoot({ subject: 'CN=Stranger' })
    expect(await askWith([leaf, intermediate, root, stranger])).toBe('trusted')
    expect(await askWith([leaf, stranger, intermediate, root])).toBe('invalid_certificate_path')
  })

  it('is refused as the leaf', async () => {
    expect(await askWith([root])).toBe('trust_anchor_in_chain')
    expect(await askWith([root, root])).toBe('trust_anchor_in_chain')
  })

  it('does not make a certificate trusted that another key signed', async () => {
    const stranger = await mintIssuerPki()
    expect(await askWith([stranger.leaf, stranger.intermediate, root])).toBe('invalid_certificate_path')
    expect(await askWith([leaf, root])).toBe('invalid_certificate_path')
    expect(await askWith([root, intermediate, leaf])).toBe('trust_anchor_in_chain')
  })

  it('is recognised by its name and key, even if its certificate was renewed', async () => {
    const renewed = await mintRoot({ keys: root.keys, serialNumber: '77' })
    expect(await askWith([leaf, intermediate, renewed])).toBe('trusted')
  })
})

describe('a decoded chain', () => {
  it('does not change if the bytes from which it was decoded change', async () => {
    const { der } = await mintLeaf(pki.intermediate)
    const bytes = der.slice()
    const decoded = decodeCertificateChain([bytes])
    bytes.fill(0)
    expect(decoded.ok && decoded.value[0].encoded).toEqual(der)
  })
})

describe('a leaf without key usage', () => {
  it('is accepted (RFC 5280 §4.2.1.3), unless key usage is required, as for document signers', async () => {
    const changed = await mintIssuerPki({ leaf: { keyUsage: null } })
    expect(await askPki(changed)).toBe('trusted')
    const requiring = { anchors: [caAnchor(changed.root.pem)], requiresKeyUsage: true } as const
    expect(await askPki(changed, requiring)).toBe('certificate_profile_violation: key_usage')
  })
})

describe('the extended key usage that an anchor requires', () => {
  const askFor = async (
    eku: readonly string[],
    changes: { leaf?: CertificateOptions; intermediate?: CertificateOptions },
  ) => {
    const changed = await mintIssuerPki(changes)
    return askPki(changed, { anchors: [caAnchor(changed.root.pem, { eku })] })
  }

  it.each<[string, Changes & object, string]>([
    [
      'is met by a leaf with one of the required usages',
      { leaf: { extendedKeyUsage: [DOCUMENT_SIGNER] } },
      'trusted',
    ],
    [
      'is not met by a leaf with another usage',
      { leaf: { extendedKeyUsage: [OTHER_PURPOSE] } },
      'extended_key_usage',
    ],
    ['is not met by a leaf without extended key usage', {}, 'extended_key_usage'],
    [
      'is not met by a leaf with anyExtendedKeyUsage',
      { leaf: { extendedKeyUsage: [ANY_PURPOSE] } },
      'extended_key_usage',
    ],
    [
      'is not met below an intermediate that is limited to another usage',
      { leaf: { extendedKeyUsage: [DOCUMENT_SIGNER] }, intermediate: { extendedKeyUsage: [OTHER_PURPOSE] } },
      'extended_key_usage',
    ],
    [
      'is met below an intermediate with anyExtendedKeyUsage',
      { leaf: { extendedKeyUsage: [DOCUMENT_SIGNER] }, intermediate: { extendedKeyUsage: [ANY_PURPOSE] } },
      'trusted',
    ],
  ])('the required extended key usage %s', async (_, changes, expected) => {
    expect(await askFor([DOCUMENT_SIGNER, '1.2.3'], changes)).toContain(expected)
  })
})

/** @peculiar/x509 takes the hash of an RSA signature from the key. */
async function rsaSha1(): Promise<CryptoKeyPair> {
  const { publicKey, privateKey } = await mintKeys('RSA-2048')
  const sha1 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1' }
  const [spki, pkcs8] = await Promise.all([
    crypto.subtle.exportKey('spki', publicKey),
    crypto.subtle.exportKey('pkcs8', privateKey),
  ])
  return {
    publicKey: await crypto.subtle.importKey('spki', spki as ArrayBuffer, sha1, true, ['verify']),
    privateKey: await crypto.subtle.importKey('pkcs8', pkcs8 as ArrayBuffer, sha1, true, ['sign']),
  }
}
