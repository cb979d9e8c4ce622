// Permitted uses and validity of certificates: RFC 5280 §4.2, §6.1, ISO/IEC 18013-5 B.1.4.

import { tlv } from '../../../support/certificates/certificates.ts'
import {
  AFTER,
  BEFORE,
  DOCUMENT_SIGNER,
  extensionsOf,
  MALFORMED,
  type Mutation,
  minted,
  patched,
  raw,
  rule,
} from './world.ts'

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9'
const ANY_PURPOSE = '2.5.29.37.0'

const BASIC_CONSTRAINTS = '2.5.29.19'
const KEY_USAGE = '2.5.29.15'
const TRUE = tlv(0x01, Uint8Array.of(0xff))

const dates: readonly Mutation[] = [
  ['an expired leaf', minted({ leaf: { notAfter: BEFORE } }), 'certificate_expired'],
  ['an expired intermediate', minted({ intermediate: { notAfter: BEFORE } }), 'certificate_expired'],
  ['an expired anchor', minted({ root: { notAfter: BEFORE } }), 'certificate_expired'],
  ['a leaf that is not valid yet', minted({ leaf: { notBefore: AFTER } }), 'certificate_not_yet_valid'],
  [
    'an intermediate that is not valid yet',
    minted({ intermediate: { notBefore: AFTER } }),
    'certificate_not_yet_valid',
  ],
  ['an anchor that is not valid yet', minted({ root: { notBefore: AFTER } }), 'certificate_not_yet_valid'],
  [
    'a leaf whose notAfter is before its notBefore',
    minted({ leaf: { notBefore: AFTER, notAfter: BEFORE } }),
    'certificate_not_yet_valid',
  ],
]

const constraints: readonly Mutation[] = [
  ['a leaf that is an authority', minted({ leaf: { ca: true } }), rule('leaf_is_ca')],
  ['a leaf without basic constraints', minted({ leaf: { ca: null } }), 'trusted'],
  ['an intermediate with CA:false', minted({ intermediate: { ca: false } }), rule('issuer_is_not_ca')],
  [
    'an intermediate without basic constraints',
    minted({ intermediate: { ca: null } }),
    rule('issuer_is_not_ca'),
  ],
  ['an anchor with CA:false', minted({ root: { ca: false } }), rule('issuer_is_not_ca')],
  ['an anchor without basic constraints', minted({ root: { ca: null } }), rule('issuer_is_not_ca')],
  ['an anchor that allows no intermediate', minted({ root: { pathLength: 0 } }), rule('path_length')],
  [
    'an intermediate that allows no authority below it, and has no authority below it',
    minted({ intermediate: { pathLength: 0 } }),
    'trusted',
  ],
  [
    'a leaf with a path length, which has no meaning for a leaf',
    minted({ leaf: { pathLength: 0 } }),
    'trusted',
  ],
  [
    'an intermediate with a negative path length',
    minted({
      intermediate: {
        ca: null,
        extensions: [raw(BASIC_CONSTRAINTS, true, 0x30, TRUE, tlv(0x02, Uint8Array.of(0xff)))],
      },
    }),
    MALFORMED,
  ],
  [
    'an intermediate whose CA flag is true in BER, but not in DER',
    minted({
      intermediate: {
        ca: null,
        extensions: [raw(BASIC_CONSTRAINTS, true, 0x30, tlv(0x01, Uint8Array.of(1)))],
      },
    }),
    MALFORMED,
  ],
  [
    'an intermediate with a third member in its basic constraints',
    minted({
      intermediate: {
        ca: null,
        extensions: [raw(BASIC_CONSTRAINTS, true, 0x30, TRUE, tlv(0x02, Uint8Array.of(3)), TRUE)],
      },
    }),
    MALFORMED,
  ],
]

const usages: readonly Mutation[] = [
  [
    'a leaf without key usage',
    minted({ leaf: { keyUsage: null } }),
    'trusted',
    { licence: rule('key_usage') },
  ],
  ['a leaf for keyEncipherment only', minted({ leaf: { keyUsage: ['keyEncipherment'] } }), rule('key_usage')],
  [
    'a leaf for contentCommitment only',
    minted({ leaf: { keyUsage: ['nonRepudiation'] } }),
    rule('key_usage'),
  ],
  ['a leaf for cRLSign only', minted({ leaf: { keyUsage: ['cRLSign'] } }), rule('key_usage')],
  [
    'a leaf that may also sign certificates',
    minted({ leaf: { keyUsage: ['digitalSignature', 'keyCertSign'] } }),
    rule('key_usage'),
  ],
  [
    'a leaf that may also commit to content',
    minted({ leaf: { keyUsage: ['digitalSignature', 'nonRepudiation'] } }),
    'trusted',
  ],
  ['an intermediate without key usage', minted({ intermediate: { keyUsage: null } }), rule('key_usage')],
  [
    'an intermediate for cRLSign only',
    minted({ intermediate: { keyUsage: ['cRLSign'] } }),
    rule('key_usage'),
  ],
  [
    'an intermediate for digitalSignature only',
    minted({ intermediate: { keyUsage: ['digitalSignature'] } }),
    rule('key_usage'),
  ],
  [
    'an anchor for digitalSignature only',
    minted({ root: { keyUsage: ['digitalSignature'] } }),
    rule('key_usage'),
  ],
  ['an anchor without key usage', minted({ root: { keyUsage: null } }), 'trusted'],
  [
    'a leaf whose key usage has no bits',
    minted({ leaf: { keyUsage: null, extensions: [raw(KEY_USAGE, true, 0x03, Uint8Array.of(0))] } }),
    MALFORMED,
  ],
  [
    'a leaf whose key usage has unused bits that are set',
    minted({
      leaf: { keyUsage: null, extensions: [raw(KEY_USAGE, true, 0x03, Uint8Array.of(7, 0xc0))] },
    }),
    MALFORMED,
  ],
  [
    'a leaf whose key usage is no bit string',
    minted({
      leaf: { keyUsage: null, extensions: [raw(KEY_USAGE, true, 0x04, Uint8Array.of(7, 0x80))] },
    }),
    MALFORMED,
  ],
]

/** The good chain without the leaf's extended key usage. */
const withoutPurpose = patched('leaf', (fields) => {
  extensionsOf(fields).pop()
})

const purposes: readonly Mutation[] = [
  ['a leaf without extended key usage', withoutPurpose, 'trusted', { licence: rule('extended_key_usage') }],
  ['a leaf with an empty list of extended key usages', minted({ leaf: { extendedKeyUsage: [] } }), MALFORMED],
  [
    'a leaf for TLS servers only',
    minted({ leaf: { extendedKeyUsage: [SERVER_AUTH] } }),
    rule('extended_key_usage'),
  ],
  [
    'a leaf for TLS clients only',
    minted({ leaf: { extendedKeyUsage: [CLIENT_AUTH] } }),
    rule('extended_key_usage'),
  ],
  [
    'a leaf for TLS both ways',
    minted({ leaf: { extendedKeyUsage: [SERVER_AUTH, CLIENT_AUTH] } }),
    rule('extended_key_usage'),
  ],
  [
    'a leaf for TLS and another purpose',
    minted({ leaf: { extendedKeyUsage: [SERVER_AUTH, DOCUMENT_SIGNER] } }),
    'trusted',
  ],
  [
    'a leaf for another purpose',
    minted({ leaf: { extendedKeyUsage: [OCSP_SIGNING] } }),
    'trusted',
    { licence: rule('extended_key_usage'), status: 'untrusted_signer' },
  ],
  [
    'a leaf for any purpose',
    minted({ leaf: { extendedKeyUsage: [ANY_PURPOSE] } }),
    'trusted',
    { licence: rule('extended_key_usage') },
  ],
  [
    'an intermediate for TLS only',
    minted({ intermediate: { extendedKeyUsage: [SERVER_AUTH] } }),
    rule('extended_key_usage'),
  ],
  [
    'an intermediate for another purpose',
    minted({ intermediate: { extendedKeyUsage: [OCSP_SIGNING] } }),
    'trusted',
    { licence: rule('extended_key_usage') },
  ],
  [
    'an intermediate for any purpose',
    minted({ intermediate: { extendedKeyUsage: [ANY_PURPOSE] } }),
    'trusted',
  ],
  ['an anchor for another purpose', minted({ root: { extendedKeyUsage: [OCSP_SIGNING] } }), 'trusted'],
  [
    'an anchor for TLS only',
    minted({ root: { extendedKeyUsage: [SERVER_AUTH] } }),
    rule('extended_key_usage'),
  ],
]

const CRITICAL = (oid: string) => [raw(oid, true, 0x30)]

const critical: readonly Mutation[] = [
  [
    'an unknown critical extension in the leaf',
    minted({ leaf: { extensions: CRITICAL('1.2.3.4.5') } }),
    rule('critical_extension'),
  ],
  [
    'an unknown critical extension in the intermediate',
    minted({ intermediate: { extensions: CRITICAL('1.2.3.4.5') } }),
    rule('critical_extension'),
  ],
  [
    'an unknown critical extension in the anchor',
    minted({ root: { extensions: CRITICAL('1.2.3.4.5') } }),
    rule('critical_extension'),
  ],
  [
    'an unknown extension that is not critical',
    minted({ leaf: { extensions: [raw('1.2.3.4.5', false, 0x30)] } }),
    'trusted',
  ],
  [
    'critical certificate policies, which we do not process',
    minted({ leaf: { extensions: CRITICAL('2.5.29.32') } }),
    rule('critical_extension'),
  ],
  [
    'critical policy constraints in the intermediate',
    minted({ intermediate: { extensions: CRITICAL('2.5.29.36') } }),
    rule('critical_extension'),
  ],
  [
    'the critical poison of a precertificate (RFC 6962)',
    minted({ leaf: { extensions: [raw('1.3.6.1.4.1.11129.2.4.3', true, 0x05)] } }),
    rule('critical_extension'),
  ],
]

export const PROFILE_MUTATIONS: readonly Mutation[] = [
  ...dates,
  ...constraints,
  ...usages,
  ...purposes,
  ...critical,
]
