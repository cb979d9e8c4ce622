// Names of a chain (RFC 5280 §4.2.1.10, §6.1.3, §7.1), and the country of its certificates (ISO/IEC 18013-5
// B.1.4).

import { nameConstraints } from '../../../support/certificates/certificates.ts'
import { BROKEN, MALFORMED, type Mutation, minted, raw, rule } from './world.ts'

const dns = (value: string) => ({ type: 'dns', value }) as const
const dn = (value: string) => ({ type: 'dn', value }) as const

const names: readonly Mutation[] = [
  [
    'a leaf outside the names its authority may certify',
    minted({ intermediate: { extensions: [nameConstraints({ permitted: [dn('C=FR')] })] } }),
    rule('name_constraints'),
  ],
  [
    'a leaf inside the names its authority may certify',
    minted({ intermediate: { extensions: [nameConstraints({ permitted: [dn('C=DE')] })] } }),
    'trusted',
  ],
  [
    'a leaf inside the names its authority may not certify',
    minted({
      intermediate: { extensions: [nameConstraints({ excluded: [dn('C=DE,O=Test Issuer')] })] },
    }),
    rule('name_constraints'),
  ],
  [
    'an intermediate outside the names the anchor may certify',
    minted({ root: { extensions: [nameConstraints({ permitted: [dn('C=DE,O=Test Issuer')] })] } }),
    rule('name_constraints'),
  ],
  [
    'a host of the leaf that its authority may not certify',
    minted({
      intermediate: { extensions: [nameConstraints({ permitted: [dns('example.org')] })] },
      leaf: { altNames: [dns('issuer.example.com')] },
    }),
    rule('name_constraints'),
  ],
  [
    'name constraints in the leaf itself',
    minted({ leaf: { extensions: [nameConstraints({ permitted: [dn('C=DE')] })] } }),
    rule('name_constraints'),
  ],
  [
    'name constraints that are no sequence',
    minted({ intermediate: { extensions: [raw('2.5.29.30', true, 0x04)] } }),
    MALFORMED,
  ],
  ['a leaf that names another issuer', minted({ leaf: { issuerName: 'C=DE,CN=Somebody Else' } }), BROKEN],
  [
    'an intermediate that names another issuer',
    minted({ intermediate: { issuerName: 'C=DE,CN=Somebody Else' } }),
    'untrusted_issuer',
  ],
  [
    'a leaf that names itself as its issuer',
    minted({ leaf: { issuerName: 'C=DE,CN=Me', subject: 'C=DE,CN=Me' } }),
    BROKEN,
  ],
  [
    'an issuer’s name in another order',
    minted({ leaf: { issuerName: 'O=Test Trust,C=DE,CN=Test Issuing CA' } }),
    BROKEN,
  ],
  [
    'an issuer’s name in another case',
    minted({ leaf: { issuerName: 'C=DE,O=TEST  trust,CN=Test Issuing CA' } }),
    'trusted',
  ],
  [
    'a leaf that names only the beginning of its issuer’s name',
    minted({ leaf: { issuerName: 'C=DE,O=Test Trust' } }),
    BROKEN,
  ],
]

/**
 * ISO/IEC 18013-5 B.1.4: a licence's signer and its authority have one country, and one state if it names
 * one.
 */
const countries: readonly Mutation[] = [
  [
    'a leaf of another country than its authority',
    minted({ leaf: { subject: 'C=FR,O=Test Issuer,CN=Signer' } }),
    'trusted',
    { licence: rule('issuing_country') },
  ],
  [
    'a leaf without a country',
    minted({ leaf: { subject: 'O=Test Issuer,CN=Signer' } }),
    'trusted',
    { licence: rule('issuing_country') },
  ],
  [
    'a leaf of two countries',
    minted({ leaf: { subject: 'C=DE,C=FR,O=Test Issuer,CN=Signer' } }),
    'trusted',
    { licence: rule('issuing_country') },
  ],
  [
    'a leaf of a state that its authority does not name',
    minted({ leaf: { subject: 'C=DE,ST=BY,O=Test Issuer,CN=Signer' } }),
    'trusted',
    { licence: rule('issuing_country') },
  ],
]

export const NAME_MUTATIONS: readonly Mutation[] = [...names, ...countries]
