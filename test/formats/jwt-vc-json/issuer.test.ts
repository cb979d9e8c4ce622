// Whose signature over the credential counts: certificates, key sets, issuer metadata and DIDs, each only as
// an anchor has it.

import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import { jwtVcJson } from '../../../src/formats/jwt-vc-json/jwt-vc-json.ts'
import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { ok } from '../../../src/result.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import type { SigningKey } from '../../support/people/issuer.ts'
import { didJwkOf } from '../../support/people/jwt-vc.ts'
import { expectRefusal } from '../contract.ts'
import { ANCHOR, type Changes, ISSUER, ISSUER_KEY, presentOf, verifyGood } from './good.ts'

const { name, credential_types, assurance_level } = ANCHOR
const anchored = (mechanism: object) => [
  { name, credential_types, assurance_level, ...mechanism } as TrustAnchor,
]
const DID = didJwkOf(ISSUER_KEY)
const metadata = { issuer: ISSUER, jwks: { keys: [{ ...ISSUER_KEY.publicJwk, kid: '1' }] } }
const fetchResource = async () =>
  ok({ body: utf8(JSON.stringify(metadata)), contentType: 'application/json' })
const pki = await mintIssuerPki()
const leaf = { alg: 'ES256', privateJwk: pki.leaf.privateJwk } as SigningKey
const x5c = [pki.leaf.x5c, pki.intermediate.x5c]

describe('an issuer', () => {
  it.each<[string, readonly TrustAnchor[], Changes, string]>([
    ['its keys', [ANCHOR], {}, ISSUER],
    ['its metadata', anchored({ issuer_url: ISSUER }), { header: { kid: '1' } }, ISSUER],
    ['its DID', anchored({ did: DID.did }), { claims: { iss: DID.did }, header: { kid: DID.kid } }, DID.did],
    [
      'its DID, if the vc names the issuer and iss is missing',
      anchored({ did: DID.did }),
      { claims: { iss: undefined }, content: { issuer: { id: DID.did } } },
      DID.did,
    ],
  ])('is identified by %s', async (_, anchors, changes, issuer) => {
    const verification = await verifyGood(await presentOf(changes), { context: { anchors, fetchResource } })
    expect(verification.result).toMatchObject({ ok: true, value: { issuer, anchor: { name } } })
  })

  it('is identified by a certificate whose chain leads to an anchored authority', async () => {
    const presentation = await presentOf({ header: { x5c }, key: leaf })
    const anchors = anchored({ x509_ca_pem: pki.root.pem })
    const { result } = await verifyGood(presentation, { context: { anchors } })
    expect(result).toMatchObject({ ok: true, value: { anchor: { name } } })
  })

  it.each<[string, readonly TrustAnchor[], Changes, PresentationRefusal]>([
    ['whose DID no anchor names', [ANCHOR], { claims: { iss: DID.did } }, { reason: 'untrusted_issuer' }],
    [
      'whose DID has no key with the kid of the credential',
      anchored({ did: DID.did }),
      { claims: { iss: DID.did }, header: { kid: `${DID.did}#1` } },
      { reason: 'issuer_key_not_found' },
    ],
    [
      'that has its own anchor and signs with the key of a chain instead',
      [ANCHOR],
      { header: { x5c }, key: leaf },
      { reason: 'invalid_issuer_signature' },
    ],
    [
      'with an x5c that is a text',
      [ANCHOR],
      { header: { x5c: 'x' } },
      { reason: 'malformed_certificate_chain' },
    ],
    ['with a kid that is a number', [ANCHOR], { header: { kid: 1 } }, { reason: 'malformed_credential' }],
  ])('%s is refused', async (_, anchors, changes, refusal) => {
    const verification = await verifyGood(await presentOf(changes), { context: { anchors } })
    expectRefusal(verification, refusal)
  })
})

describe('jwt_vc_json', () => {
  it('advertises fully-specified algorithms (OpenID4VP 1.0 B.1.3.1.3)', () => {
    expect(jwtVcJson.metadata).toEqual({ alg_values: ['ES256', 'ES384', 'ES512', 'Ed25519'] })
  })

  it('requests several types as alternatives in type_values (B.1.1)', () => {
    expect(jwtVcJson.buildMeta(['A', 'B'])).toEqual({ type_values: [['A'], ['B']] })
  })

  it.each([
    [[['IDCredential']], ['IDCredential']],
    [
      [['VerifiableCredential', 'A'], ['B']],
      ['A', 'B'],
    ],
    [[['https://www.w3.org/2018/credentials#VerifiableCredential', 'A']], ['A']],
  ])('reads the type_values %j', (type_values, types) => {
    expect(jwtVcJson.metaTypes({ type_values })).toEqual(types)
  })

  it.each([
    {},
    { type_values: [] },
    { type_values: 'A' },
    { type_values: ['A'] },
    { type_values: [[]] },
    { type_values: [['VerifiableCredential']] },
    { type_values: [['A', 'B']] },
    { type_values: [['A'], ['A', 'B']] },
    { type_values: [[1]] },
    { type_values: [['']] },
    { vct_values: ['A'] },
  ])('refuses %j as a meta object', (meta) => {
    expect(jwtVcJson.metaTypes(meta)).toBeUndefined()
  })
})
