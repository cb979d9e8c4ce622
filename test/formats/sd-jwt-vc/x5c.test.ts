// Issuers known by certificate: `x5c` of the protected header, up to an anchor of the credential's type. The
// path rules have tests of their own in test/trust; here it shows that a credential cannot get around them.

import { describe, expect, it } from 'vitest'
import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { mintCertificate, mintIssuerPki } from '../../support/certificates/certificates.ts'
import {
  alter,
  digestOf,
  encodeDisclosure,
  issueSdJwtVc,
  makeKey,
  type SigningKey,
  signJwt,
} from '../../support/people/issuer.ts'
import { expectRefusal } from '../contract.ts'
import {
  ANCHOR,
  CLAIMS,
  DISCLOSABLE,
  HOLDER_KEY,
  ISSUER,
  presentGood,
  STRANGER_KEY,
  verifyGood,
} from './good.ts'

const PKI = await mintIssuerPki()
const LEAF_KEY: SigningKey = { alg: 'ES256', privateJwk: PKI.leaf.privateJwk as SigningKey['privateJwk'] }
const CHAIN = [PKI.leaf.x5c, PKI.intermediate.x5c]
const { iss: _, ...CLAIMS_WITHOUT_ISS } = CLAIMS

const CA_ANCHOR: TrustAnchor = {
  name: 'Test root',
  credential_types: ['pid'],
  assurance_level: 'substantial',
  x509_ca_pem: PKI.root.pem,
}

async function signedBelowRoot(claims: object = CLAIMS_WITHOUT_ISS, x5c = CHAIN, issuer = LEAF_KEY) {
  const issuance = { issuer, holder: HOLDER_KEY, claims: { ...claims }, disclosable: DISCLOSABLE, x5c }
  return presentGood(await issueSdJwtVc(issuance))
}

const verifyUnder = (presentation: string, ...anchors: TrustAnchor[]) =>
  verifyGood(presentation, { context: { anchors } })

describe('a credential signed with a certificate', () => {
  it('verifies if an anchored authority issued the certificate, and its reported issuer is the subject of the leaf', async () => {
    const { result } = await verifyUnder(await signedBelowRoot(), CA_ANCHOR)
    expect(result).toMatchObject({
      ok: true,
      value: { issuer: expect.stringContaining('Test Document Signer'), anchor: { name: 'Test root' } },
    })
  })

  it('is not reported with its iss as the issuer if the leaf does not contain this iss', async () => {
    const { result } = await verifyUnder(await signedBelowRoot(CLAIMS), CA_ANCHOR)
    expect(result).toMatchObject({ ok: true, value: { issuer: expect.not.stringContaining(ISSUER) } })
  })

  it('is refused if an anchor for its iss has other keys, even if an anchored authority issued its certificate', async () => {
    const verification = await verifyUnder(await signedBelowRoot(CLAIMS), CA_ANCHOR, ANCHOR)
    expectRefusal(verification, { reason: 'invalid_issuer_signature' }, 'issuer_signature')
  })

  it('verifies if the certificate is pinned', async () => {
    const { x509_ca_pem: _, ...rest } = CA_ANCHOR
    const { result } = await verifyUnder(await signedBelowRoot(), {
      ...rest,
      x509_certificate_pem: PKI.leaf.pem,
    })
    expect(result.ok).toBe(true)
  })

  it('is refused if the signature was made with another key than the key of the leaf', async () => {
    const verification = await verifyUnder(
      await signedBelowRoot(CLAIMS_WITHOUT_ISS, CHAIN, STRANGER_KEY),
      CA_ANCHOR,
    )
    expectRefusal(verification, { reason: 'invalid_issuer_signature' }, 'issuer_signature')
  })

  it.each<[string, (good: string[]) => string[], PresentationRefusal['reason']]>([
    ['the anchor in it', (good) => [...good, PKI.root.x5c], 'trust_anchor_in_chain'],
    ['an empty element in it', (good) => [...good, ''], 'malformed_certificate_chain'],
    [
      'text after the last certificate',
      (good) => [`${good[0]}AAAA`, ...good.slice(1)],
      'malformed_certificate_chain',
    ],
  ])('is refused if its chain has %s', async (_, change, reason) => {
    const verification = await verifyUnder(
      await signedBelowRoot(CLAIMS_WITHOUT_ISS, change(CHAIN)),
      CA_ANCHOR,
    )
    expect(verification.result).toMatchObject({ ok: false, error: { reason } })
    expect(verification.trace.at(-1)).toEqual(['issuer_trust', 'fail'])
  })

  it('is refused if its chain is reversed, incomplete, of another issuer or self-made', async () => {
    const stranger = await mintIssuerPki()
    const selfSigned = await mintCertificate({
      subject: 'CN=Test Root CA',
      ca: false,
      keyUsage: ['digitalSignature'],
    })
    const chains = [
      [...CHAIN].reverse(),
      CHAIN.slice(0, 1),
      CHAIN.slice(1),
      [stranger.leaf.x5c, stranger.intermediate.x5c],
      [stranger.leaf.x5c, ...CHAIN],
      [selfSigned.x5c],
      [PKI.root.x5c],
    ]
    for (const chain of chains) {
      const verification = await verifyUnder(await signedBelowRoot(CLAIMS_WITHOUT_ISS, chain), CA_ANCHOR)
      expect(verification.result.ok).toBe(false)
      expect(verification.trace.at(-1)).toEqual(['issuer_trust', 'fail'])
    }
  })

  it('is refused if the authority of its certificate is anchored for other types only', async () => {
    const verification = await verifyUnder(await signedBelowRoot(), {
      ...CA_ANCHOR,
      credential_types: ['mdl'],
    })
    expect(verification.result.ok).toBe(false)
    expect(verification.trace.at(-1)).toEqual(['issuer_trust', 'fail'])
  })

  it('is refused if its chain is in the payload and not in the protected header', async () => {
    const keys = { issuer: LEAF_KEY, holder: HOLDER_KEY }
    const moved = await alter(await signedBelowRoot(), keys, ({ header, payload }) => {
      payload.x5c = header.x5c
      delete header.x5c
    })
    expectRefusal(await verifyUnder(moved, CA_ANCHOR), { reason: 'untrusted_issuer' }, 'issuer_trust')
  })

  it('is refused if its iss is in a disclosure (SD-JWT VC §2.2.2.3)', async () => {
    const keys = { issuer: LEAF_KEY, holder: HOLDER_KEY }
    const withIss = await alter(await signedBelowRoot(), keys, ({ payload, disclosures }) => {
      const disclosure = encodeDisclosure(['c2FsdHNhbHRzYWx0c2FsdA', 'iss', ISSUER])
      disclosures.push(disclosure)
      payload._sd = [...(payload._sd as string[]), digestOf(disclosure)]
    })
    expectRefusal(await verifyUnder(withIss, CA_ANCHOR), { reason: 'forbidden_disclosure' }, 'disclosures')
  })

  it('is refused if its key is on another curve than its alg requires', async () => {
    const key = await makeKey('ES384')
    const jwt = signJwt({ alg: 'ES384', typ: 'dc+sd-jwt', x5c: CHAIN }, CLAIMS_WITHOUT_ISS, key)
    expectRefusal(await verifyUnder(`${jwt}~`, CA_ANCHOR), { reason: 'issuer_key_not_found' }, 'issuer_trust')
  })
})
