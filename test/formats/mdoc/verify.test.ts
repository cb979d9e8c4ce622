// Good mdocs: every algorithm, every channel, and their results.

import { describe, expect, it } from 'vitest'
import { mdoc } from '../../../src/formats/mdoc/mdoc.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { expectRefusal } from '../contract.ts'
import { set } from './changes.ts'
import {
  ANCHOR,
  EXPECTED,
  HANDOVER,
  MAC_MAKING,
  MAKING,
  make,
  NAME_SPACE,
  PKI,
  SIGNER_USAGE,
  THUMBPRINT,
  verifyGood,
} from './good.ts'
import { type Changes, type Fields, makePrivateKey, makeTranscript, tagged, type Value } from './maker.ts'

const ALGORITHMS = [
  [-7, 'P-256'],
  [-9, 'P-256'],
  [-35, 'P-384'],
  [-51, 'P-384'],
  [-36, 'P-521'],
  [-52, 'P-521'],
  [-8, 'Ed25519'],
  [-19, 'Ed25519'],
] as const

/** The same request, answered in the clear. */
const IN_THE_CLEAR = { handover: { ...HANDOVER, encryptionKey: null } }

const validity = (changes: Record<string, string>): Changes => ({
  mso: (mso) => {
    for (const [name, text] of Object.entries(changes)) (mso.validityInfo as Fields)[name] = tagged(0, text)
  },
})

describe('a good mdoc', () => {
  it('verifies with a device signature, and passes every check except the two skipped revocation checks', async () => {
    const { result, trace } = await verifyGood(make())
    expect(result).toMatchObject({
      ok: true,
      value: { issuer: 'CN=Test Document Signer,O=Test Issuer,C=DE', holderBound: true, reasons: [] },
    })
    expect(trace.map(([, outcome]) => outcome)).toEqual([...Array(9).fill('pass'), 'skip', 'skip'])
  })

  it('verifies with a device MAC', async () => {
    expect((await verifyGood(make({}, MAC_MAKING))).result).toMatchObject({
      ok: true,
      value: { holderBound: true },
    })
  })

  it('is refused with a device MAC if our request has no encryption key', async () => {
    const verification = await verifyGood(make({}, MAC_MAKING), { expected: IN_THE_CLEAR })
    expectRefusal(verification, { reason: 'unsupported_algorithm' }, 'holder_binding')
  })

  it('returns its claims by namespace and element, even if an element is named __proto__', async () => {
    const { result } = await verifyGood(make())
    const elements = result.ok ? Object.entries(result.value.claims[NAME_SPACE] ?? {}) : []
    expect(elements).toEqual([
      ['given_name', 'Erika'],
      ['birth_date', '1963-08-12'],
      ['portrait', '_9j_'],
      ['age_over_18', true],
      ['issuing_country', 'DE'],
      ['driving_privileges', [{ vehicle_category_code: 'B', weight: 1.5 }]],
      ['__proto__', 1],
    ])
  })

  it('may disclose fewer elements than requested, or no element', async () => {
    const less = await verifyGood(make({ disclosed: (items) => items.splice(1) }))
    expect(less.result).toMatchObject({
      ok: true,
      value: { claims: { [NAME_SPACE]: { given_name: 'Erika' } } },
    })
    const nothing = make({ issuerSigned: (signed) => delete signed.nameSpaces })
    expect((await verifyGood(nothing)).result).toMatchObject({ ok: true, value: { claims: {} } })
  })

  it.each(ALGORITHMS)(
    'verifies if its issuer signs with COSE algorithm %i (%s)',
    async (issuerAlg, keyKind) => {
      const pki = await mintIssuerPki({ leaf: { extendedKeyUsage: [SIGNER_USAGE], keyKind } })
      const context = { anchors: [{ ...ANCHOR, x509_ca_pem: pki.root.pem }] }
      expect((await verifyGood(make({}, { pki, issuerAlg }), { context })).result).toMatchObject({ ok: true })
    },
  )

  it.each(ALGORITHMS)('verifies if its device signs with COSE algorithm %i (%s)', async (alg, curve) => {
    const key = makePrivateKey(curve)
    const { result } = await verifyGood(make({}, { deviceKey: key, device: { key, alg } }))
    expect(result).toMatchObject({ ok: true })
  })

  it('verifies in an unencrypted response if our request allows such a response', async () => {
    const { audience, nonce } = EXPECTED
    const presentation = make({ transcript: makeTranscript([audience, nonce, null, HANDOVER.responseUri]) })
    const { result } = await verifyGood(presentation, { expected: IN_THE_CLEAR })
    expect(result).toMatchObject({ ok: true })
  })

  it.each<[name: string, documentErrors: Value[]]>([
    ['an empty list of document errors', []],
    ['a document error for another document', [{ 'org.example.other': 0 }]],
  ])('verifies with %s, because document errors are ignored', async (_, documentErrors) => {
    const changes: Changes = { response: (response) => (response.documentErrors = documentErrors) }
    expect((await verifyGood(make(changes))).result).toMatchObject({ ok: true })
  })

  it.each<[name: string, changes: Changes]>([
    ['version 1.1', { response: set('version', '1.1') }],
    ['an MSO of version 1.1', { mso: set('version', '1.1') }],
    ['an unknown member in the MSO', { mso: set('extra', { any: 1 }) }],
    ['unknown members of a later edition', { response: set('zkDocuments', [1]) }],
    ['an unknown member in the document', { document: set('extra', 1) }],
  ])('verifies with %s (ISO/IEC 18013-5 second edition)', async (_, changes) => {
    expect((await verifyGood(make(changes))).result).toMatchObject({ ok: true })
  })

  it('verifies over the Digital Credentials API only for the origin that the device signed', async () => {
    const info = ['https://verifier.example', EXPECTED.nonce, THUMBPRINT]
    const presentation = make({ transcript: makeTranscript(info, 'OpenID4VPDCAPIHandover') })
    const heardFrom = (origin: string) => ({
      expected: {
        audience: `origin:${origin}`,
        handover: { kind: 'dc_api', origin, encryptionKey: HANDOVER.encryptionKey } as const,
      },
    })
    const own = await verifyGood(presentation, heardFrom('https://verifier.example'))
    expect(own.result).toMatchObject({ ok: true })
    const other = await verifyGood(presentation, heardFrom('https://verifier.example/'))
    expectRefusal(other, { reason: 'invalid_holder_signature' }, 'holder_binding')
  })

  it('is refused without holder binding even if the query waives holder binding', async () => {
    const presentation = make({ document: (document) => delete document.deviceSigned })
    const verification = await verifyGood(presentation, { expected: { holderBinding: false } })
    expectRefusal(verification, { reason: 'holder_binding_missing' }, 'holder_binding')
  })

  it.each([
    ['base64url with padding', `${make()}=`],
    ['standard base64', Buffer.from(make(), 'base64url').toString('base64').replace(/=+$/, '+/')],
    ['an empty text', ''],
    ['a number', 1],
    ['an object', { vp: 'x' }],
  ])('is refused if it is not base64url: %s', async (_, presentation) => {
    expectRefusal(await verifyGood(presentation), { reason: 'malformed_credential' }, 'structure')
  })

  it('is refused before it is decoded if it has more characters than the limit', async () => {
    expectRefusal(await verifyGood('A'.repeat(524_289)), { reason: 'limit_exceeded' }, 'structure')
  })
})

describe('trust in a document signer', () => {
  it.each([
    ['no anchor', { context: { anchors: [] } }],
    ['an anchor for another type only', { context: { anchors: [{ ...ANCHOR, credential_types: ['pid'] }] } }],
    [
      'an anchor for status lists only',
      { context: { anchors: [{ ...ANCHOR, purpose: ['status' as const] }] } },
    ],
  ])('an mdoc is refused if its document signer has %s', async (_, changes) => {
    expectRefusal(await verifyGood(make(), changes), { reason: 'untrusted_issuer' }, 'issuer_trust')
  })

  it('requires the extended key usage of the anchor, or that of ISO/IEC 18013-5 if the anchor names none', async () => {
    const pki = await mintIssuerPki({ leaf: { extendedKeyUsage: ['1.2.3.4'] } })
    const anchor = { ...ANCHOR, x509_ca_pem: pki.root.pem }
    const refused = await verifyGood(make({}, { pki }), { context: { anchors: [anchor] } })
    const violation = { reason: 'certificate_profile_violation', rule: 'extended_key_usage' } as const
    expectRefusal(refused, violation, 'issuer_trust')
    const asked = { context: { anchors: [{ ...anchor, eku: ['1.2.3.4'] }] } }
    expect((await verifyGood(make({}, { pki }), asked)).result).toMatchObject({ ok: true })
  })

  it.each([
    ['another country than its authority', 'C=FR,CN=Signer', undefined],
    ['no country', 'O=Test Issuer,CN=Signer', undefined],
    ['two countries', 'C=DE,C=FR,CN=Signer', undefined],
    ['a country and an authority without a country', 'C=DE,CN=Signer', 'O=Test Trust,CN=Test Issuing CA'],
    ['a state (ST) and an authority without a state', 'C=DE,ST=Hessen,CN=Signer', undefined],
    [
      'another state (ST) than its authority',
      'C=DE,ST=Hessen,CN=Signer',
      'C=DE,ST=Bayern,CN=Test Issuing CA',
    ],
  ])(
    'is given to a licence signer with %s only if its certificate is pinned (Annex B.1.4)',
    async (_, subject, authority) => {
      const pki = await mintIssuerPki({
        intermediate: authority === undefined ? {} : { subject: authority },
        leaf: { extendedKeyUsage: [SIGNER_USAGE], subject },
      })
      const { x509_ca_pem: __, ...common } = ANCHOR as typeof ANCHOR & { x509_ca_pem: string }
      const below = { ...common, x509_ca_pem: pki.root.pem }
      const refused = await verifyGood(make({}, { pki }), { context: { anchors: [below] } })
      const violation = { reason: 'certificate_profile_violation', rule: 'issuing_country' } as const
      expectRefusal(refused, violation, 'issuer_trust')
      const pinned = { ...common, x509_certificate_pem: pki.leaf.pem }
      const elements = MAKING.elements.filter(([name]) => name !== 'issuing_country')
      const { result } = await verifyGood(make({}, { pki, elements }), {
        context: { anchors: [below, pinned] },
      })
      expect(result).toMatchObject({ ok: true })
    },
  )

  it('is given to a licence signer whose certificate has the same ST (state) as its authority', async () => {
    const pki = await mintIssuerPki({
      intermediate: { subject: 'C=DE,ST=Bayern,CN=Test Issuing CA' },
      leaf: { extendedKeyUsage: [SIGNER_USAGE], subject: 'C=DE,ST=Bayern,CN=Signer' },
    })
    const context = { anchors: [{ ...ANCHOR, x509_ca_pem: pki.root.pem }] }
    expect((await verifyGood(make({}, { pki }), { context })).result).toMatchObject({ ok: true })
  })

  it.each([
    ['a licence verifies', 'DE-BY', true],
    ['a licence is refused', 'DE-HE', false],
  ])(
    '%s if its issuing_jurisdiction is %s and the ST of its signer is DE-BY (§9.3.1)',
    async (_, jurisdiction, isTrusted) => {
      const pki = await mintIssuerPki({
        intermediate: { subject: 'C=DE,ST=DE-BY,CN=Test Issuing CA' },
        leaf: { extendedKeyUsage: [SIGNER_USAGE], subject: 'C=DE,ST=DE-BY,CN=Signer' },
      })
      const context = { anchors: [{ ...ANCHOR, x509_ca_pem: pki.root.pem }] }
      const elements = [...MAKING.elements, ['issuing_jurisdiction', jurisdiction] as const]
      const verification = await verifyGood(make({}, { pki, elements }), { context })
      if (isTrusted) expect(verification.result).toMatchObject({ ok: true })
      else
        expectRefusal(verification, { reason: 'invalid_claim', claim: 'issuing_jurisdiction' }, 'disclosures')
    },
  )

  it('is given to a signer whose certificate is pinned', async () => {
    const { x509_ca_pem: _, ...common } = ANCHOR as typeof ANCHOR & { x509_ca_pem: string }
    const anchors = [{ ...common, x509_certificate_pem: PKI.leaf.pem }]
    expect((await verifyGood(make(), { context: { anchors } })).result).toMatchObject({ ok: true })
  })

  it('is not enough if the mdoc was signed with another key than the signer’s', async () => {
    const leaf = { ...PKI.leaf, privateJwk: makePrivateKey('P-256').export({ format: 'jwk' }) as JsonWebKey }
    const verification = await verifyGood(make({}, { pki: { ...PKI, leaf } }))
    expectRefusal(verification, { reason: 'invalid_issuer_signature' }, 'issuer_signature')
  })
})

describe('the validity of an mdoc', () => {
  // NOW is 2026-09-21T14:13:20Z.
  it.each([
    [
      'fails if validUntil is in the past by more than the clock tolerance',
      { validUntil: '2026-09-21T14:12:19Z' },
      ['credential_expired'],
    ],
    [
      'passes if validUntil is in the past within the clock tolerance',
      { validUntil: '2026-09-21T14:12:20Z' },
      [],
    ],
    [
      'fails if validFrom is in the future by more than the clock tolerance',
      { validFrom: '2026-09-21T14:14:21Z' },
      ['credential_not_yet_valid'],
    ],
    [
      'passes if validFrom is in the future within the clock tolerance',
      { validFrom: '2026-09-21T14:14:20Z' },
      [],
    ],
  ])('the check %s', async (_, times, reasons) => {
    const { result, trace } = await verifyGood(make(validity(times)))
    expect(result).toMatchObject({ ok: true, value: { reasons } })
    expect(trace).toContainEqual(['validity', reasons.length === 0 ? 'pass' : 'fail'])
  })

  it('is checked with the clock tolerance that the caller passes', async () => {
    const presentation = make(validity({ validUntil: '2026-09-21T14:11:30Z' }))
    const { result } = await verifyGood(presentation, { context: { clockSkew: 120 }, isJudged: false })
    expect(result).toMatchObject({ ok: true, value: { reasons: [] } })
  })

  it.each([
    [
      '`signed` before the validity of its signer’s certificate',
      { signed: '2023-12-31T23:59:59Z' },
      'signed',
    ],
    ['`signed` after the validity of its signer’s certificate', { signed: '2050-01-01T00:00:00Z' }, 'signed'],
    ['`validFrom` before `signed`', { validFrom: '2026-08-31T23:59:59Z' }, 'validFrom'],
    ['`validUntil` before `validFrom`', { validUntil: '2026-08-31T00:00:00Z' }, 'validUntil'],
  ])('an mdoc with %s is refused', async (_, times, claim) => {
    expectRefusal(await verifyGood(make(validity(times))), { reason: 'invalid_claim', claim }, 'validity')
  })

  it('an mdoc with an unsupported status mechanism is refused with status_unavailable, or with invalid_holder_signature if its device signature is also invalid', async () => {
    const presentation = make({ mso: (mso) => Object.assign(mso, { status: { status_list: {} } }) })
    expectRefusal(await verifyGood(presentation), { reason: 'status_unavailable' }, 'status')
    const elsewhere = await verifyGood(presentation, { expected: { nonce: 'another' } })
    expectRefusal(elsewhere, { reason: 'invalid_holder_signature' }, 'holder_binding')
  })
})

describe('the format mso_mdoc', () => {
  it('is requested with exactly one document type per query', () => {
    expect(mdoc.metaTypes(mdoc.buildMeta(['a']))).toEqual(['a'])
    expect(() => mdoc.buildMeta(['a', 'b'])).toThrow()
    for (const meta of [
      {},
      { doctype_value: '' },
      { doctype_value: ['a'] },
      Object.create({ doctype_value: 'a' }),
    ])
      expect(mdoc.metaTypes(meta)).toBeUndefined()
  })

  it('advertises signature algorithms only by their COSE numbers', () => {
    const algorithms = ALGORITHMS.map(([identifier]) => identifier)
    expect(mdoc.metadata).toEqual({
      issuerauth_alg_values: algorithms,
      deviceauth_alg_values: algorithms,
    })
  })
})
