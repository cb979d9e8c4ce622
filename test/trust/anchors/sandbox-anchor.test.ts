import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import identities from '../../../assets/sandbox/identities.json' with { type: 'json' }
import type { PublicJwk } from '../../../src/crypto/jwk.ts'
import type { AnchorMechanism, TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../../src/trust/anchors/parse-anchor.ts'
import { sandboxAnchors } from '../../../src/trust/anchors/sandbox-anchor.ts'
import root from '../../../src/trust/anchors/sandbox-root.json' with { type: 'json' }
import type { SignerClaims } from '../../../src/trust/anchors/signer.ts'
import {
  mintCertificate,
  mintIssuerPki,
  mintKeys,
  mintRoot,
  withDer,
} from '../../support/certificates/certificates.ts'
import { multikey } from '../../support/weak-keys.ts'
import { ask, caAnchor, jsonResource, outcomeOf, SHARED } from '../fixtures.ts'

const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })

const publicPart = ({ d: _, ...jwk }: { d: string; [name: string]: string }) => jwk

const OWN: TrustAnchor = {
  name: 'own',
  credential_types: ['employee_id'],
  assurance_level: 'low',
  did: 'did:web:issuer.example',
}

describe('the sandbox anchors', () => {
  it('cover the built-in types, the types of the relying party’s own anchors, and `*`', () => {
    const anchors = sandboxAnchors(['pid'], [OWN])
    expect(anchors.length).toBeGreaterThan(1)
    for (const anchor of anchors) expect(anchor.credential_types).toEqual(['pid', '*', 'employee_id'])
  })

  it('do not name a type that only an anchor for status lists names', () => {
    const [anchor] = sandboxAnchors([], [{ ...OWN, purpose: ['status'] }])
    expect(anchor?.credential_types).toEqual(['*'])
  })
})

describe('an anchor of a relying party', () => {
  const named = { name: 'mine', credential_types: ['pid'], assurance_level: 'high' }
  const message = 'is of the sandbox, whose keys are public'

  it('cannot be the root of the sandbox, even if its PEM text is written differently', () => {
    const rewritten = root.x509_ca_pem.replaceAll('\n', '\n\n')
    for (const x509_ca_pem of [root.x509_ca_pem, rewritten]) {
      expect(parseTrustAnchor({ ...named, x509_ca_pem })).toMatchObject({ error: [{ message }] })
    }
  })

  it.each(['good', 'expired', 'signed_by_a_namesake'] as const)(
    'cannot be a signer of the sandbox: %s',
    (name) => {
      const der = Uint8Array.from(Buffer.from(identities.identities[name].certificate, 'base64'))
      const { pem } = withDer({} as never, der)
      expect(parseTrustAnchor({ ...named, x509_certificate_pem: pem })).toMatchObject({
        error: [{ message }],
      })
    },
  )

  const EVERY = Object.entries(identities.identities).map(
    ([name, { jwk }]) => [name, publicPart(jwk)] as const,
  )
  const refused = { ok: false, error: [{ message }] }
  const didJwk = (jwk: object) => `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`

  it.each(EVERY)(
    'cannot have the key of the sandbox signer %s as a JWK, a did:jwk, a did:key or a certificate',
    async (_, jwk) => {
      const key = createPublicKey({ key: jwk, format: 'jwk' })
      const x = Buffer.from(String(jwk.x), 'base64url')
      const sign = (Buffer.from(String(jwk.y), 'base64url').at(-1) ?? 0) & 1
      const compressed = Buffer.concat([Buffer.of(2 + sign), x])
      const spki = Uint8Array.from(key.export({ format: 'der', type: 'spki' }))
      const pinned = await mintCertificate({ spki, keys: await mintKeys('P-256') })
      const authority = await mintRoot({ spki, keys: await mintKeys('P-256') })
      for (const mechanism of [
        { issuer: 'https://issuer.example', jwks: { keys: [jwk] } },
        { did: didJwk(jwk) },
        { did: didJwk({ ...jwk, kid: 'another' }) },
        { did: `did:key:${multikey('8024', compressed)}` },
        { x509_certificate_pem: pinned.pem },
        { x509_ca_pem: authority.pem },
      ]) {
        expect(parseTrustAnchor({ ...named, ...mechanism })).toMatchObject(refused)
      }
    },
  )

  it('cannot have the key of the sandbox root', () => {
    const { publicKey } = new X509Certificate(root.x509_ca_pem)
    const jwks = { keys: [publicKey.export({ format: 'jwk' })] }
    expect(parseTrustAnchor({ ...named, issuer: 'https://issuer.example', jwks })).toMatchObject(refused)
  })

  it.each([
    'https://sandbox.invalid',
    'https://sandbox.invalid/broken',
    'https://SANDBOX.invalid./down',
    'https://sandbox.invalid:443/x',
  ])('cannot have the origin of the sandbox as its issuer: %s', (url) => {
    const jwks = { keys: [OTHER] }
    expect(parseTrustAnchor({ ...named, issuer_url: url })).toMatchObject(refused)
    expect(parseTrustAnchor({ ...named, issuer: url, jwks })).toMatchObject(refused)
  })

  it.each(['did:web:sandbox.invalid', 'did:web:sandbox.invalid:broken', 'did:web:sandbox.invalid%3A8443'])(
    'cannot be the DID %s',
    (did) => {
      expect(parseTrustAnchor({ ...named, did })).toMatchObject(refused)
    },
  )

  it.each([
    { issuer_url: 'https://sandbox.example' },
    { did: 'did:web:sandbox.invalid.example' },
    { issuer: 'https://issuer.example', jwks: { keys: [OTHER] } },
  ])('may name a party outside the sandbox: %j', (mechanism) => {
    expect(parseTrustAnchor({ ...named, ...mechanism }).ok).toBe(true)
  })
})

describe('an anchor of the sandbox that was stored before the admin API rejected such anchors', () => {
  const { good } = identities.identities
  const jwk = publicPart(good.jwk) as PublicJwk
  const DID = 'did:web:issuer.example'
  const ISSUER = 'https://issuer.example'
  const der = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'))
  const chain = [der(good.certificate)]
  const { pem } = withDer({} as never, der(good.certificate))
  const metadata = { issuer: ISSUER, jwks: { keys: [jwk] } }
  const method = { id: `${DID}#1`, type: 'JsonWebKey2020', controller: DID, publicKeyJwk: jwk }
  const didDocument = { id: DID, verificationMethod: [method], assertionMethod: [method.id] }
  const didJwk = `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`

  const FORMS: readonly [string, AnchorMechanism, Partial<SignerClaims>, object?][] = [
    ['a JWK', { issuer: ISSUER, jwks: { keys: [jwk] } }, { iss: ISSUER, chain: undefined }],
    ['a did:jwk', { did: didJwk }, { iss: didJwk, chain: undefined }],
    [
      'a did:web that publishes its key',
      { did: DID },
      { iss: DID, kid: method.id, chain: undefined },
      didDocument,
    ],
    ['issuer metadata with its key', { issuer_url: ISSUER }, { iss: ISSUER, chain: undefined }, metadata],
    ['a pinned certificate', { x509_certificate_pem: pem }, { chain }],
    ['the root of the sandbox', root, { chain }],
  ]

  it.each(FORMS)(
    'is trusted only if the sandbox is accepted: %s',
    async (_name, mechanism, claims, resource = {}) => {
      for (const purpose of ['issuer', 'status'] as const) {
        const anchors = [{ ...SHARED, purpose: [purpose], ...mechanism }]
        const context = { anchors, purpose, fetchResource: async () => jsonResource(resource) }
        expect(outcomeOf(await ask(claims, context))).toBe('untrusted_issuer')
        expect(outcomeOf(await ask(claims, { ...context, acceptsSandbox: true }))).toBe('trusted')
      }
    },
  )

  it('still prevents trust in an issuer that it names, even if the issuer has a chain to another anchor', async () => {
    const named = await mintIssuerPki({ leaf: { altNames: [{ type: 'url', value: ISSUER }] } })
    const stored = { ...SHARED, issuer: ISSUER, jwks: { keys: [jwk] } } as TrustAnchor
    const claims = { iss: ISSUER, chain: named.chain }
    const authority = caAnchor(named.root.pem)
    expect(outcomeOf(await ask(claims, { anchors: [authority] }))).toBe('trusted')
    expect(outcomeOf(await ask(claims, { anchors: [authority, stored] }))).toBe('untrusted_issuer')
  })

  it('is not used if its issuer is the sandbox, whatever key it has', async () => {
    const [iss, own] = ['https://SANDBOX.invalid', { keys: [OTHER] }]
    const anchors = [{ ...SHARED, issuer: iss, jwks: own } as TrustAnchor]
    expect(outcomeOf(await ask({ iss, chain: undefined }, { anchors }))).toBe('untrusted_issuer')
  })

  it('is not necessary for the rejection of a certificate that a trusted authority issued for the sandbox key', async () => {
    const spki = Uint8Array.from(
      createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' }),
    )
    const certified = await mintIssuerPki({ leaf: { spki } })
    const context = { anchors: [caAnchor(certified.root.pem)] }
    expect(outcomeOf(await ask({ chain: certified.chain }, context))).toBe('untrusted_issuer')
    expect(outcomeOf(await ask({ chain: certified.chain }, { ...context, acceptsSandbox: true }))).toBe(
      'trusted',
    )
  })
})
