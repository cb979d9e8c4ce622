// The AuthorityKeyIdentifiers of a verified path (OpenID4VP 1.0 §6.1.1.1, RFC 5280 §4.2.1.1), written by
// @peculiar/x509.

import '../../support/reflect-metadata.ts'

import * as x509 from '@peculiar/x509'
import { expect, it } from 'vitest'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { mintIssuerPki, type RawExtension, tlv } from '../../support/certificates/certificates.ts'
import { ask, caAnchor, outcomeOf, pinnedAnchor, SHARED } from '../fixtures.ts'

const OF_ROOT = 'a1'.repeat(20)
const OF_INTERMEDIATE = 'b2'.repeat(20)

const chained = await mintIssuerPki({
  intermediate: { extensions: [keyIdentifier(OF_ROOT)] },
  leaf: { extensions: [keyIdentifier(OF_INTERMEDIATE)] },
})

it.each<[who: string, anchor: TrustAnchor, identifiers: string[]]>([
  ['every certificate below an anchored authority', caAnchor(chained.root.pem), [OF_INTERMEDIATE, OF_ROOT]],
  [
    'the leaf only, if the leaf is pinned, because no anchor certifies the other certificates',
    pinnedAnchor(chained.leaf.pem),
    [OF_INTERMEDIATE],
  ],
])('the authority key identifiers come from %s', async (_, anchor, identifiers) => {
  const found = await ask({ chain: chained.chain }, { anchors: [anchor] })
  const expected = identifiers.map((hex) => Buffer.from(hex, 'hex').toString('base64url'))
  expect(found.ok && found.value.authorityKeyIdentifiers).toEqual(expected)
})

it('the chain of an issuer gives no authority key identifiers if the anchor contains the keys of the issuer', async () => {
  const anchor = { ...SHARED, issuer: 'https://i.example', jwks: { keys: [chained.leaf.publicJwk] } }
  const claims = { chain: chained.chain, iss: 'https://i.example' }
  const found = await ask(claims, { anchors: [anchor as TrustAnchor] })
  expect(found.ok && found.value.authorityKeyIdentifiers).toEqual([])
})

it('the authority key identifiers are absent if the certificate names its authority by serial number', async () => {
  const bySerialNumber = tlv(0x30, tlv(0x82, Uint8Array.of(0x2a)))
  const pki = await mintIssuerPki({ leaf: { extensions: [toRaw(bySerialNumber)] } })
  const found = await ask({ chain: pki.chain }, { anchors: [caAnchor(pki.root.pem)] })
  expect(found.ok && found.value.authorityKeyIdentifiers).toEqual([])
})

it('a malformed extension of authority key identifiers makes a certificate malformed', async () => {
  const malformed = toRaw(tlv(0x04, Uint8Array.of(0)))
  const pki = await mintIssuerPki({ leaf: { extensions: [malformed] } })
  const found = await ask({ chain: pki.chain }, { anchors: [caAnchor(pki.root.pem)] })
  expect(outcomeOf(found)).toBe('malformed_certificate_chain')
})

function keyIdentifier(hex: string): RawExtension {
  return toRaw(new Uint8Array(new x509.AuthorityKeyIdentifierExtension(hex).value))
}

function toRaw(value: Uint8Array): RawExtension {
  return { oid: '2.5.29.35', critical: false, value }
}
