// Certificates of a chain, their order, and their real signers (RFC 5280 §6.1, HAIP 1.0 §6.1.1).

import { concatBytes, utf8 } from '../../../../src/codec/bytes.ts'
import {
  mintCertificate,
  mintIntermediate,
  mintIssuerPki,
  mintLeaf,
  mintRoot,
  withDer,
} from '../../../support/certificates/certificates.ts'
import { primitive, readDer, writeDer } from '../../../support/certificates/der-tree.ts'
import {
  AFTER,
  BROKEN,
  DOCUMENT_SIGNER,
  GOOD,
  MALFORMED,
  type Mutation,
  patch,
  rule,
  shown,
} from './world.ts'

const { root, intermediate, leaf } = GOOD
const SIGNER = { extendedKeyUsage: [DOCUMENT_SIGNER] }

/** A leaf in these bytes. */
const inBytes = (der: Uint8Array<ArrayBuffer>) => shown(() => [withDer(leaf, der), intermediate])

/** A leaf with this signature, in hexadecimal, beside a byte for unused bits. */
function signedAs(hex: string) {
  const tree = readDer(leaf.der)
  tree.children[2] = primitive(0x03, hex)
  return inBytes(writeDer(tree))
}
const flipped = (bytes: Uint8Array<ArrayBuffer>, i: number) =>
  bytes.map((octet, j) => (i === j ? octet ^ 1 : octet))

const certificates: readonly Mutation[] = [
  ['no certificate', shown(() => []), MALFORMED, { status: 'malformed_token' }],
  ['the leaf only', shown(() => [leaf]), 'untrusted_issuer'],
  ['the intermediate only', shown(() => [intermediate]), rule('leaf_is_ca')],
  [
    'a leaf right below the anchor',
    shown(async () => [await mintLeaf(root, { ...SIGNER, keys: leaf.keys })]),
    'trusted',
  ],
  ['the chain in reverse', shown(() => [intermediate, leaf]), BROKEN],
  ['the leaf twice', shown(() => [leaf, leaf, intermediate]), BROKEN],
  ['the intermediate twice', shown(() => [leaf, intermediate, intermediate]), BROKEN],
  [
    'an intermediate that the chain does not need',
    shown(async () => [await mintLeaf(root, SIGNER), intermediate]),
    BROKEN,
  ],
  [
    'a stranger’s certificate at the end',
    shown(async () => [leaf, intermediate, await mintRoot({ subject: 'CN=Stranger' })]),
    BROKEN,
  ],
  ['the anchor at the end', shown(() => [leaf, intermediate, root]), 'trust_anchor_in_chain'],
  ['the anchor only', shown(() => [root]), 'trust_anchor_in_chain'],
  [
    'the anchor’s successor of the same key at the end',
    shown(async () => [leaf, intermediate, await mintRoot({ keys: root.keys, notAfter: AFTER })]),
    'trust_anchor_in_chain',
  ],
  [
    'a self-signed leaf',
    shown(async () => [
      await mintCertificate({ ...SIGNER, subject: 'C=DE,CN=Me', ca: false, keyUsage: ['digitalSignature'] }),
    ]),
    'self_signed_certificate',
  ],
  [
    'a leaf that another leaf signed',
    shown(async () => [await mintLeaf(leaf, { ...SIGNER, subject: 'C=DE,CN=Below' }), leaf, intermediate]),
    rule('issuer_is_not_ca'),
  ],
  [
    'nine certificates',
    shown(() => [leaf, ...Array.from({ length: 8 }, () => intermediate)]),
    rule('chain_too_long'),
  ],
  [
    'one intermediate more than the upper intermediate allows',
    shown(async () => {
      const upper = await mintIntermediate(root, { subject: 'C=DE,CN=Upper', pathLength: 0 })
      const lower = await mintIntermediate(upper, { subject: 'C=DE,CN=Lower' })
      return [await mintLeaf(lower, SIGNER), lower, upper]
    }),
    rule('path_length'),
  ],
]

const SECOND_ROOT = await mintRoot({ subject: 'C=DE,CN=Second Root' })
const CROSS_SIGNED = await mintIntermediate(SECOND_ROOT, { keys: intermediate.keys })

const authorities: readonly Mutation[] = [
  [
    'a stranger’s chain',
    shown(async () => chainOf(await mintIssuerPki({ root: { subject: 'C=DE,CN=Stranger' }, leaf: SIGNER }))),
    'untrusted_issuer',
  ],
  [
    'a stranger’s chain below an authority with the anchor’s name',
    shown(async () => chainOf(await mintIssuerPki({ leaf: SIGNER }))),
    BROKEN,
  ],
  [
    'an intermediate of the same name with another key',
    shown(async () => [leaf, await mintIntermediate(root)]),
    BROKEN,
  ],
  [
    'a leaf that another authority of the same name signed',
    shown(async () => [await mintLeaf(await mintIntermediate(root), SIGNER), intermediate]),
    BROKEN,
  ],
  [
    'an intermediate cross-signed by a root that is no anchor',
    shown(() => [leaf, CROSS_SIGNED]),
    'untrusted_issuer',
  ],
  ['an intermediate cross-signed by the anchor', shown(() => [leaf, CROSS_SIGNED], [SECOND_ROOT]), 'trusted'],
  [
    'both certificates of a cross-signed intermediate',
    shown(() => [leaf, intermediate, CROSS_SIGNED]),
    BROKEN,
  ],
  ['no anchor', shown(() => [leaf, intermediate], []), 'untrusted_issuer'],
]

const octets: readonly Mutation[] = [
  ['a flipped bit in the leaf’s signature', inBytes(flipped(leaf.der, leaf.der.length - 1)), BROKEN],
  [
    'a flipped bit in the intermediate’s signature',
    shown(() => [leaf, withDer(intermediate, flipped(intermediate.der, intermediate.der.length - 1))]),
    BROKEN,
  ],
  ['a leaf changed after it was signed', inBytes(renamed()), BROKEN],
  ['a signature of no octets', signedAs('00'), BROKEN],
  ['a signature of two zeros (CVE-2022-21449)', signedAs('003006020100020100'), BROKEN],
  ['a signature that is not DER inside', signedAs(`00${'11'.repeat(64)}`), BROKEN],
  ['a signature with unused bits', signedAs('0430060201010201f0'), MALFORMED],
  [
    'a self-signed leaf with the name of its authority as issuer',
    shown(() => [patch(leaf, () => undefined, { signWith: leaf }), intermediate]),
    BROKEN,
  ],
  ['a truncated leaf', inBytes(leaf.der.slice(0, -1)), MALFORMED],
  ['a byte after the leaf', inBytes(concatBytes(leaf.der, Uint8Array.of(0))), MALFORMED],
  ['the leaf as PEM text', inBytes(utf8(leaf.pem)), MALFORMED],
  [
    'a truncated intermediate',
    shown(() => [leaf, withDer(intermediate, intermediate.der.slice(0, -1))]),
    MALFORMED,
  ],
  [
    'a length with a superfluous octet',
    inBytes(concatBytes(Uint8Array.of(0x30, 0x83, 0), leaf.der.slice(2))),
    MALFORMED,
  ],
  [
    'an indefinite length (BER)',
    inBytes(concatBytes(Uint8Array.of(0x30, 0x80), leaf.der.slice(4), Uint8Array.of(0, 0))),
    MALFORMED,
  ],
  ['a certificate without its signature', inBytes(writeDer(unsigned())), MALFORMED],
  ['a certificate beyond 16 KiB', inBytes(new Uint8Array(16_385)), MALFORMED],
  ['an empty certificate', inBytes(new Uint8Array()), MALFORMED, { status: 'malformed_token' }],
]

function chainOf(pki: typeof GOOD) {
  return [pki.leaf, pki.intermediate]
}

function renamed(): Uint8Array<ArrayBuffer> {
  const at = Buffer.from(leaf.der).indexOf('Test Document Signer')
  return flipped(leaf.der, at)
}

function unsigned() {
  const tree = readDer(leaf.der)
  tree.children.pop()
  return tree
}

export const SHAPE_MUTATIONS: readonly Mutation[] = [...certificates, ...authorities, ...octets]
