// Certificates that no library makes: taken apart as DER, one field changed, signed again (RFC 5280 §4.1, RFC
// 5480, X.690).

import { constructed, type Der, primitive, text } from '../../../support/certificates/der-tree.ts'
import { BROKEN, extensionsOf, FIELD, MALFORMED, type Mutation, minted, patched, raw, rule } from './world.ts'

const WEAK = rule('weak_key_or_signature')

const OID = 0x06
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18

const ECDSA_SHA1 = '2a8648ce3d0401'
const ECDSA_SHA224 = '2a8648ce3d040301'
const ECDSA_SHA384 = '2a8648ce3d040303'
const RSA_SHA256 = '2a864886f70d01010b'
const RSA_PSS = '2a864886f70d01010a'
const RSA_MD5 = '2a864886f70d010104'
const UNKNOWN_ALGORITHM = '2a030405'

/** Names another algorithm, where it is signed and where it is not. */
function algorithm(oid: string, ...parameters: Der[]) {
  return patched('leaf', (fields, certificate) => {
    const identifier = constructed(0x30, primitive(OID, oid), ...parameters)
    fields[FIELD.algorithm] = identifier
    certificate[1] = identifier
  })
}

const algorithms: readonly Mutation[] = [
  ['a signature that says it is ECDSA with SHA-1', algorithm(ECDSA_SHA1), WEAK],
  ['a leaf signed with ECDSA and SHA-1', minted({ leaf: { hash: 'SHA-1' } }), WEAK],
  ['an intermediate signed with ECDSA and SHA-1', minted({ intermediate: { hash: 'SHA-1' } }), WEAK],
  ['a signature that says it is ECDSA with SHA-224', algorithm(ECDSA_SHA224), WEAK],
  ['a signature that says it is ECDSA with SHA-384 and is not', algorithm(ECDSA_SHA384), BROKEN],
  ['a signature that says it is RSA, by an elliptic key', algorithm(RSA_SHA256, primitive(0x05)), BROKEN],
  ['a signature that says it is RSA-PSS', algorithm(RSA_PSS, constructed(0x30)), WEAK],
  ['a signature that says it is RSA with MD5', algorithm(RSA_MD5, primitive(0x05)), WEAK],
  ['a signature with an unknown algorithm', algorithm(UNKNOWN_ALGORITHM), WEAK],
  ['ECDSA with parameters', algorithm('2a8648ce3d040302', primitive(0x05)), WEAK],
  [
    'an unsigned algorithm that is not the signed one',
    patched('leaf', (_, certificate) => {
      certificate[1] = constructed(0x30, primitive(OID, ECDSA_SHA384))
    }),
    MALFORMED,
  ],
  [
    'a signed algorithm that is not the unsigned one',
    patched('leaf', (fields) => {
      fields[FIELD.algorithm] = constructed(0x30, primitive(OID, ECDSA_SHA384))
    }),
    MALFORMED,
  ],
]

/** Another algorithm of the leaf's key. */
function keyOf(...identifier: Der[]) {
  return patched('leaf', (fields) => {
    const [, point] = fields[FIELD.key]?.children ?? []
    if (point !== undefined) fields[FIELD.key] = constructed(0x30, constructed(0x30, ...identifier), point)
  })
}
/** Other octets of the leaf's public key. */
function pointOf(change: (octets: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) {
  return patched('leaf', (fields) => {
    const [, point] = fields[FIELD.key]?.children ?? []
    if (point !== undefined) point.content = change(point.content)
  })
}
const EC = primitive(OID, '2a8648ce3d0201')

const keys: readonly Mutation[] = [
  ['an RSA-1024 anchor', minted({ root: { keyKind: 'RSA-1024' } }), WEAK],
  ['an RSA-1024 intermediate', minted({ intermediate: { keyKind: 'RSA-1024' } }), WEAK],
  ['an RSA-1024 leaf', minted({ leaf: { keyKind: 'RSA-1024' } }), WEAK],
  ['an RSA intermediate with exponent 3', minted({ intermediate: { keyKind: 'RSA-2048-e3' } }), WEAK],
  [
    'an RSA leaf, which no accepted algorithm fits',
    minted({ leaf: { keyKind: 'RSA-2048' } }),
    'issuer_key_not_found',
  ],
  ['a P-384 leaf with an ES256 signature', minted({ leaf: { keyKind: 'P-384' } }), 'issuer_key_not_found'],
  [
    'an Ed25519 leaf with an ES256 signature',
    minted({ leaf: { keyKind: 'Ed25519' } }),
    'issuer_key_not_found',
  ],
  ['a leaf’s key on secp256k1', keyOf(EC, primitive(OID, '2b8104000a')), WEAK],
  ['a leaf’s key on brainpoolP256r1', keyOf(EC, primitive(OID, '2b2403030208010107')), WEAK],
  ['a leaf’s key without a curve', keyOf(EC), WEAK],
  [
    'a leaf’s key with its own curve parameters (CVE-2020-0601)',
    keyOf(EC, constructed(0x30, primitive(0x02, '01'))),
    WEAK,
  ],
  ['a leaf’s key for key agreement only (X25519)', keyOf(primitive(OID, '2b656e')), WEAK],
  ['a leaf’s key as a compressed point', pointOf((point) => compressed(point, 0)), 'trusted'],
  [
    'a leaf’s key as a compressed point with the opposite sign',
    pointOf((point) => compressed(point, 1)),
    'invalid_issuer_signature',
    { status: 'invalid_signature' },
  ],
  [
    'a point that is not on the curve',
    pointOf((point) => point.map((octet, i) => (i === 65 ? octet ^ 1 : octet))),
    WEAK,
  ],
  ['the point at infinity', pointOf(() => Uint8Array.of(0, 0)), WEAK],
  ['a leaf’s key of no octets', pointOf(() => Uint8Array.of(0)), WEAK],
  ['a leaf’s key with unused bits', pointOf((point) => Uint8Array.of(1, ...point.slice(1, -1), 0)), WEAK],
]

/** The BIT STRING of a compressed point (SEC 1 §2.3.3), from the BIT STRING of an uncompressed point. */
function compressed(point: Uint8Array, flip: 0 | 1): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(0, 2 + (((point.at(-1) ?? 0) & 1) ^ flip), ...point.slice(2, 34))
}

const at = (which: 0 | 1, tag: number, value: string) =>
  patched('leaf', (fields) => {
    const dates = fields[FIELD.validity]?.children ?? []
    dates[which] = text(tag, value)
  })

/** Another value of a field of the leaf. */
function having(field: keyof typeof FIELD, value: Der) {
  return patched('leaf', (body) => {
    body[FIELD[field]] = value
  })
}

const fields: readonly Mutation[] = [
  ['version 1 with extensions', patched('leaf', (body) => void body.splice(FIELD.version, 1)), MALFORMED],
  [
    'version 1 without extensions',
    patched('leaf', (body) => {
      body.pop()
      body.shift()
    }),
    'trusted',
    { licence: rule('key_usage') },
  ],
  ['version 4', having('version', constructed(0xa0, primitive(0x02, '03'))), MALFORMED],
  ['a serial number of 22 octets', having('serial', primitive(0x02, '01'.repeat(22))), MALFORMED],
  ['a serial number that is padded', having('serial', primitive(0x02, '002a')), MALFORMED],
  ['a serial number of no octets', having('serial', primitive(0x02)), MALFORMED],
  [
    'a serial number that is not positive, as some authorities give (§4.1.2.2)',
    having('serial', primitive(0x02, 'ff')),
    'trusted',
  ],
  ['no serial number', patched('leaf', (body) => void body.splice(FIELD.serial, 1)), MALFORMED],
  ['a date that does not exist', at(1, UTC_TIME, '300230000000Z'), MALFORMED],
  ['a date without seconds', at(1, UTC_TIME, '3001010000Z'), MALFORMED],
  ['a date of another time zone', at(1, UTC_TIME, '300101000000+0000'), MALFORMED],
  ['a date with a fraction of a second', at(1, GENERALIZED_TIME, '20300101000000.5Z'), MALFORMED],
  ['a date of another type', at(0, 0x0c, '240101000000Z'), MALFORMED],
  [
    'a third date',
    patched('leaf', (body) => void body[FIELD.validity]?.children.push(text(UTC_TIME, '300101000000Z'))),
    MALFORMED,
  ],
  [
    'a leaf without a name',
    having('subject', constructed(0x30)),
    'trusted',
    { licence: rule('issuing_country') },
  ],
  ['an issuer without a name', having('issuer', constructed(0x30)), MALFORMED],
  [
    'an empty set in a name',
    patched('leaf', (body) => void body[FIELD.subject]?.children.push(constructed(0x31))),
    MALFORMED,
  ],
  [
    'an issuer’s name in a string type that we do not read (TeletexString)',
    patched('leaf', (body) => {
      const [type, value] = body[FIELD.issuer]?.children.at(-1)?.children[0]?.children ?? []
      if (type !== undefined && value !== undefined) value.tag = 0x14
    }),
    BROKEN,
  ],
  ['a member after the extensions', patched('leaf', (body) => void body.push(constructed(0xa4))), MALFORMED],
]

/** Repeats one of the leaf's extensions. */
function twice(index: number) {
  return patched('leaf', (body) => {
    const extension = extensionsOf(body)[index]
    if (extension !== undefined) extensionsOf(body).push(extension)
  })
}

const IDENTIFIER = { subject: '2.5.29.14', authority: '2.5.29.35' } as const

const extensions: readonly Mutation[] = [
  ['basic constraints twice', twice(0), MALFORMED],
  ['key usage twice', twice(1), MALFORMED],
  ['extended key usage twice', twice(2), MALFORMED],
  [
    'an unknown extension twice',
    minted({ leaf: { extensions: [raw('1.2.3.4.5', false, 0x05), raw('1.2.3.4.5', false, 0x05)] } }),
    MALFORMED,
  ],
  [
    'a byte after an extension',
    patched('leaf', (body) => {
      const value = extensionsOf(body)[0]?.children.at(-1)
      if (value !== undefined) value.content = Uint8Array.of(...value.content, 0)
    }),
    MALFORMED,
  ],
  [
    'an extension whose critical flag is true in BER, but not in DER',
    patched('leaf', (body) => {
      const isCritical = extensionsOf(body)[0]?.children[1]
      if (isCritical !== undefined) isCritical.content = Uint8Array.of(1)
    }),
    MALFORMED,
  ],
  [
    'an empty list of alternative names',
    minted({ leaf: { extensions: [raw('2.5.29.17', false, 0x30)] } }),
    MALFORMED,
  ],
  [
    'an authority key identifier that is no sequence',
    minted({ leaf: { extensions: [raw(IDENTIFIER.authority, false, 0x04)] } }),
    MALFORMED,
  ],
  [
    'an authority key identifier of another key, which is only a hint, while the signature decides (§4.2.1.1)',
    minted({
      leaf: { extensions: [raw(IDENTIFIER.authority, false, 0x30, Uint8Array.of(0x80, 1, 7))] },
    }),
    'trusted',
  ],
  [
    'a critical subject key identifier, which is not allowed (§4.2.1.2)',
    minted({ leaf: { extensions: [raw(IDENTIFIER.subject, true, 0x04, Uint8Array.of(7))] } }),
    rule('critical_extension'),
  ],
]

export const ENCODING_MUTATIONS: readonly Mutation[] = [...algorithms, ...keys, ...fields, ...extensions]
