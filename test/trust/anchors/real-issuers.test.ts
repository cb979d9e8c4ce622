// Certificates of real issuers, and credentials that they signed, from public repositories
// (test/vectors/real-issuers.json). Tests show which certificates can be an anchor, and for which signers.
// They are compared with `jose` and node:crypto.

import { X509Certificate } from 'node:crypto'
import { compactVerify, decodeJwt, decodeProtectedHeader, importX509 } from 'jose'
import { describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../../src/codec/base64url.ts'
import { decodeHex, utf8 } from '../../../src/codec/bytes.ts'
import { decodeCbor } from '../../../src/codec/cbor.ts'
import { resolveDocumentSigner } from '../../../src/formats/mdoc/document-signer.ts'
import { decodeIssuerSigned } from '../../../src/formats/mdoc/issuer-signed.ts'
import { verifyDeviceResponse } from '../../../src/formats/mdoc/verify.ts'
import { sdJwtVc } from '../../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { CheckId, CheckResult, Context } from '../../../src/formats/verification/format.ts'
import { MDOC } from '../../../src/limits.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../../src/trust/anchors/parse-anchor.ts'
import { verifyTrustList } from '../../../src/trust/lists/trust-list.ts'
import { decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import { findBrokenRule } from '../../../src/trust/x509/certificate-profile.ts'
import { EXPECTED } from '../../formats/sd-jwt-vc/good.ts'
import { MDL, PID_ISSUANCE, PID_LIST } from '../../support/certificates/trust-lists.ts'
import german from '../../vectors/lote-german-sandbox.json' with { type: 'json' }
import real from '../../vectors/real-issuers.json' with { type: 'json' }
import { pki } from '../fixtures.ts'

const SHARED = { credential_types: ['pid', 'mdl'], assurance_level: 'low' } as const
const toX509 = (base64: string) => new X509Certificate(Buffer.from(base64, 'base64'))
const toAnchor = (name: string, base64: string) => ({
  ...SHARED,
  name,
  x509_ca_pem: toX509(base64).toString(),
})

const AUTHORITIES = real.authorities.map(({ name, certificate }) => toAnchor(name, certificate))
describe('the certificate of a real authority', () => {
  it.each(real.authorities.map(({ name, certificate }) => [name, certificate] as const))(
    'is accepted as an anchor for its document signers: %s',
    (name, certificate) => {
      expect(parseTrustAnchor(toAnchor(name, certificate))).toMatchObject({ ok: true })
      const authority = decodeCertificate(new Uint8Array(toX509(certificate).raw))
      const leaf = decodeCertificate(pki.leaf.der)
      if (authority === undefined || leaf === undefined) throw new Error('not decoded')
      expect(authority.subjectKey).toBeDefined()
      expect(authority.notAfter).toBe(toX509(certificate).validToDate.getTime() / 1000)
      expect(findBrokenRule([leaf, authority], { extendedKeyUsage: undefined })).toBeUndefined()
    },
  )
})

/** The authorities that the German sandbox lists, from its published list. */
const GERMAN = await listedAuthorities()

async function listedAuthorities(): Promise<readonly TrustAnchor[]> {
  const [signer = ''] = decodeProtectedHeader(german.jwt).x5c ?? []
  const verified = await verifyTrustList(utf8(german.jwt), {
    kind: 'etsi_lote',
    signers: [{ x509_certificate_pem: toX509(signer).toString() }],
    listType: PID_LIST,
    services: [{ type: PID_ISSUANCE, credential_types: ['pid'], assurance_level: 'high' }],
    last: null,
    now: Date.parse('2026-07-13T12:00:00Z') / 1000,
  })
  if (!verified.ok) throw new Error(verified.error)
  return verified.value.anchors
}

const [byUtDs02, byUtPython, byEuKotlin, byGermany] = real.credentials
const DAY = 86_400

/** An SD-JWT VC with nothing disclosed, by default a minute after it was issued. */
async function check(
  issuerJwt: string | undefined,
  anchors: readonly TrustAnchor[],
  changes: { readonly now?: number } = {},
) {
  const trace: [CheckId, CheckResult][] = []
  const { iat = 0 } = decodeJwt(issuerJwt ?? '')
  const context: Context = {
    now: iat + 60,
    anchors,
    typeOf: () => ({ name: 'pid', builtIn: true }),
    fetchResource: async () => ({ ok: false, error: 'unavailable' }),
    statusUnavailable: 'accept',
    trace: (check, result) => trace.push([check, result]),
    ...changes,
  }
  const result = await sdJwtVc.verify(`${issuerJwt}~`, { ...EXPECTED, holderBinding: false }, context)
  return { result, trace }
}

describe('a credential of a real issuer', () => {
  it.each([
    [byUtDs02, AUTHORITIES, 'EU reference PID issuers, UT'],
    [byUtPython, AUTHORITIES, 'EU reference PID issuers, UT'],
    [byEuKotlin, AUTHORITIES, 'EU reference PID issuers, EU'],
    [byGermany, GERMAN, 'CN=PIDP Demo CA,OU=T CS IDE,O=Bundesdruckerei GmbH,L=Berlin,C=DE'],
  ])(
    'verifies with the library jose, and also with our code if its own authority is an anchor: case %#',
    async (credential, anchors, name) => {
      const jwt = credential?.issuer_jwt ?? ''
      const [leaf = ''] = decodeProtectedHeader(jwt).x5c ?? []
      await compactVerify(jwt, await importX509(toX509(leaf).toString(), 'ES256'))
      const { result, trace } = await check(jwt, anchors)
      expect(trace).toContainEqual(['issuer_signature', 'pass'])
      expect(result).toMatchObject({ ok: true, value: { anchor: { name } } })
    },
  )

  it('is refused once its signer’s certificate has expired', async () => {
    const now = Date.parse('2026-07-05T00:00:00Z') / 1000
    const { result } = await check(byUtDs02?.issuer_jwt, AUTHORITIES, { now })
    expect(result).toEqual({ ok: false, error: { reason: 'certificate_expired' } })
  })

  it('is refused if only other authorities of the same operator are anchors', async () => {
    const others = AUTHORITIES.filter(({ name }) => name !== 'EU reference PID issuers, EU')
    const { result } = await check(byEuKotlin?.issuer_jwt, others)
    expect(result).toEqual({ ok: false, error: { reason: 'untrusted_issuer' } })
  })

  it('is expired after its exp, even while the certificate of its signer is valid', async () => {
    const { exp = 0 } = decodeJwt(byUtPython?.issuer_jwt ?? '')
    const { result } = await check(byUtPython?.issuer_jwt, AUTHORITIES, { now: exp + DAY })
    expect(result).toMatchObject({ ok: true, value: { reasons: ['credential_expired'] } })
  })

  // The authority's own usage is 1.3.130.2.0.0.1.7, its signer's 1.3.130.2.0.0.1.2.
  it.each([
    ['is accepted', 'has', byUtDs02, true],
    ['is refused', 'lacks', byUtPython, false],
  ])(
    '%s if the anchor requires the extended key usage for PID signers and the signer of the credential %s that usage',
    async (_result, _usage, credential, isTrusted) => {
      const anchors = AUTHORITIES.map((anchor) => ({ ...anchor, eku: ['1.3.130.2.0.0.1.2'] }))
      const { result } = await check(credential?.issuer_jwt, anchors)
      const refused = {
        ok: false,
        error: { reason: 'certificate_profile_violation', rule: 'extended_key_usage' },
      }
      expect(result).toMatchObject(isTrusted ? { ok: true } : refused)
    },
  )
})

describe('a driving licence of a real issuer', () => {
  const at = (time: string, anchors: readonly TrustAnchor[]): Context => ({
    now: Date.parse(time) / 1000,
    anchors,
    typeOf: () => ({ name: 'mdl', builtIn: true }),
    fetchResource: async () => ({ ok: false, error: 'unavailable' }),
    trace: () => undefined,
  })

  it('is refused if the extended key usage of its signer is for another document (ISO/IEC 18013-5 B.1.4)', async () => {
    const bytes = decodeBase64url(real.licence.issuer_signed) ?? new Uint8Array()
    const item = decodeCbor(bytes, MDOC.deviceResponse)
    const issuerSigned = item.ok ? decodeIssuerSigned(item.value) : item
    if (!issuerSigned.ok) throw new Error('not decoded')
    expect(issuerSigned.value.mso.docType).toBe(MDL)
    const type = { name: 'mdl', builtIn: true }
    const context = at('2026-05-01T00:00:00Z', AUTHORITIES)
    expect(await resolveDocumentSigner(issuerSigned.value, type, context)).toEqual({
      ok: false,
      error: { reason: 'certificate_profile_violation', rule: 'extended_key_usage' },
    })
  })

  it('verifies in a wallet’s response over the Digital Credentials API while the certificate of its pinned signer is valid', async () => {
    const { device_response, session_transcript, signer } = real.wallet_answer
    const { x509_ca_pem: pem, ...shared } = toAnchor('Multipaz test signer', signer)
    const pinned = [{ ...shared, x509_certificate_pem: pem }]
    const session = { transcript: decodeHex(session_transcript) ?? new Uint8Array(), privateKey: null }
    const checked = (time: string) => verifyDeviceResponse(device_response, session, at(time, pinned))
    const claims = { given_name: 'Erika', family_name: 'Mustermann', age_over_21: true }
    expect(await checked('2025-07-15T00:00:00Z')).toMatchObject({
      ok: true,
      value: { holderBound: true, claims: { 'org.iso.18013.5.1': claims }, reasons: [] },
    })
    expect(await checked('2026-10-08T00:00:00Z')).toEqual({
      ok: false,
      error: { reason: 'certificate_expired' },
    })
  })
})
