// Accepted signers of lists (api/trust): the credential's own anchor, and `status` anchors that name its
// type.

import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import type { FetchResource } from '../../../src/net/guarded-fetch.ts'
import { err, ok } from '../../../src/result.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import {
  CERTIFICATE_REVOCATION,
  type CertificateRevocation,
  checkCertificates,
} from '../../../src/trust/revocation/certificate-revocation.ts'
import type { StatusContext } from '../../../src/trust/status/status-context.ts'
import { STATUS_LIST_JWT } from '../../../src/trust/status/status-jwt.ts'
import { checkStatus } from '../../../src/trust/status/status-list.ts'
import { mintLeaf } from '../../support/certificates/certificates.ts'
import { makeCrl } from '../../support/certificates/crl.ts'
import { caAnchor, NOW, pinnedAnchor, pki } from '../fixtures.ts'
import { context, ISSUER, jwksAnchor, makeCwt, makeJwt, statusOf, URI, word } from './status-fixtures.ts'

const jwt = await makeJwt()
const nameless = await makeJwt({ iss: undefined })
const other = await generateKeyPair('ES256', { extractable: true })
const added = { name: 'club_card', builtIn: false }

/** The credential's own anchor cannot have signed these lists. */
const own = jwksAnchor({ issuer: 'https://other.example' })

const withAnchors = (anchors: readonly TrustAnchor[], changes: Partial<StatusContext> = {}) =>
  statusOf(jwt, {}, { anchors, ...changes })

describe('a status list that is signed by the issuer of the credential', () => {
  it('is accepted', async () => {
    expect(await withAnchors([jwksAnchor()])).toBe('valid')
  })

  it('is accepted if it names no issuer', async () => {
    expect(await statusOf(nameless)).toBe('valid')
  })

  it("is accepted if the issuer's anchor is for `*`, even if an anchor for status lists names the type", async () => {
    const anchors = [
      jwksAnchor({ credential_types: ['*'] }),
      { ...own, name: 'status', purpose: ['status'], credential_types: ['club_card'] },
    ] as TrustAnchor[]
    expect(await withAnchors(anchors, { credentialType: added })).toBe('valid')
  })

  it.each<[string, object]>([
    ['has another name than the anchor of the credential', { name: 'another anchor' }],
    ['has another level than the anchor of the credential', { assurance_level: 'low' }],
    ['is for another type only', { credential_types: ['mdl'] }],
    ['is for added types only', { credential_types: ['*'] }],
    ['names another issuer', { issuer: `${ISSUER}/` }],
  ])('is not accepted if the anchor %s', async (_, changes) => {
    expect(await withAnchors([jwksAnchor(changes)])).toBe('untrusted_signer')
  })
})

describe('a status list whose signer has an anchor for status lists', () => {
  const status = (changes: object = {}) => jwksAnchor({ name: 'status', purpose: ['status'], ...changes })

  it('is accepted', async () => {
    expect(await withAnchors([own, status()])).toBe('valid')
    expect(await statusOf(nameless, {}, { anchors: [own, status()] })).toBe('valid')
  })

  it('is accepted for a type that the relying party added, if the anchor is for `*`', async () => {
    const anchors = [{ ...own, credential_types: ['club_card'] }, status({ credential_types: ['*'] })]
    expect(await withAnchors(anchors, { credentialType: added })).toBe('valid')
  })

  it.each<[string, object]>([
    ['is for issuers only', { purpose: ['issuer'] }],
    ['has no purpose', { purpose: undefined }],
    ['is for another type', { credential_types: ['mdl'] }],
    ['is for added types', { credential_types: ['*'] }],
  ])('is not accepted if the anchor %s', async (_, changes) => {
    expect(await withAnchors([own, status(changes)])).toBe('untrusted_signer')
  })

  it('is not accepted if its anchor is for `*` and another anchor for status lists names the type of the credential', async () => {
    const named = status({ name: 'named', issuer: 'https://named.example', credential_types: ['club_card'] })
    const anchors = [own, named, status({ credential_types: ['*'] })]
    expect(await withAnchors(anchors, { credentialType: added })).toBe('untrusted_signer')
  })
})

describe('a status list with a certificate chain', () => {
  const { privateKey } = pki.leaf.keys
  const x5c = [pki.leaf.x5c, pki.intermediate.x5c]

  it('is accepted if its chain leads to the anchor, or if its signer is pinned', async () => {
    const signed = await makeJwt({}, { x5c }, privateKey)
    expect(await statusOf(signed, {}, { anchors: [caAnchor(pki.root.pem)] })).toBe('valid')
    expect(await statusOf(signed, {}, { anchors: [pinnedAnchor(pki.leaf.pem)] })).toBe('valid')
  })

  it.each([
    ['its unprotected header', { unprotected: [[33, pki.chain]] as const }],
    ['its protected header', { header: [[33, pki.chain]] as const }],
  ])('is accepted as a CWT with its chain in %s', async (_, changes) => {
    const signed = await makeCwt(changes, privateKey)
    expect(await statusOf(signed, {}, { anchors: [caAnchor(pki.root.pem)] })).toBe('valid')
    expect(await statusOf(signed, {}, { anchors: [own] })).toBe('untrusted_signer')
  })

  it('is rejected if its chain contains the anchor, or if the key of the anchor signed the list (HAIP 1.0 §6.1.1)', async () => {
    const whole = await makeJwt({}, { x5c: [...x5c, pki.root.x5c] }, privateKey)
    const alone = await makeJwt({}, { x5c: [pki.root.x5c] }, pki.root.keys.privateKey)
    for (const signed of [whole, alone])
      expect(await statusOf(signed, {}, { anchors: [caAnchor(pki.root.pem)] })).toBe('untrusted_signer')
  })

  it('is rejected if its signer does not have the extended key usage that the anchor requires', async () => {
    const [documents, lists] = ['1.0.18013.5.1.2', '1.3.6.1.4.1.32473.1']
    const leaf = await mintLeaf(pki.intermediate, { extendedKeyUsage: [lists] })
    const signed = await makeJwt({}, { x5c: [leaf.x5c, pki.intermediate.x5c] }, leaf.keys.privateKey)
    const issuer = caAnchor(pki.root.pem, { eku: [documents] })
    const status = (eku: string) =>
      caAnchor(pki.root.pem, { name: 'status', purpose: ['status'], eku: [eku] })
    expect(await statusOf(signed, {}, { anchors: [issuer] })).toBe('untrusted_signer')
    expect(await statusOf(signed, {}, { anchors: [issuer, status(documents)] })).toBe('untrusted_signer')
    expect(await statusOf(signed, {}, { anchors: [issuer, status(lists)] })).toBe('valid')
  })

  it.each<[string, readonly string[] | undefined, object, string]>([
    ['without extended key usage is accepted', undefined, {}, 'valid'],
    ['with the usage for status lists is accepted', ['1.3.6.1.5.5.7.3.30'], {}, 'valid'],
    ['with anyExtendedKeyUsage is accepted', ['2.5.29.37.0'], {}, 'valid'],
    ['with an unrelated usage is rejected', ['1.3.6.1.5.5.7.3.36'], {}, 'untrusted_signer'],
    [
      'with a usage for TLS is rejected',
      ['1.3.6.1.5.5.7.3.1'],
      { signerUsages: ['1.3.6.1.5.5.7.3.1'] },
      'untrusted_signer',
    ],
    ['with the usage for document signers is rejected', ['1.0.18013.5.1.2'], {}, 'untrusted_signer'],
    [
      'with the usage of the credential’s own signer is accepted',
      ['1.0.18013.5.1.2'],
      { signerUsages: ['1.0.18013.5.1.2'] },
      'valid',
    ],
    [
      'with a usage that its anchor names is accepted',
      ['1.3.6.1.5.5.7.3.36'],
      { anchors: [caAnchor(pki.root.pem, { eku: ['1.3.6.1.5.5.7.3.36'] })] },
      'valid',
    ],
  ])(
    'a status list with a certificate chain from a signer %s',
    async (_, extendedKeyUsage, changes, expected) => {
      const leaf = await mintLeaf(pki.intermediate, extendedKeyUsage && { extendedKeyUsage })
      const signed = await makeJwt({}, { x5c: [leaf.x5c, pki.intermediate.x5c] }, leaf.keys.privateKey)
      expect(await statusOf(signed, {}, { anchors: [caAnchor(pki.root.pem)], ...changes })).toBe(expected)
    },
  )

  it('is rejected if another key signed it', async () => {
    const signed = await makeJwt({}, { x5c }, other.privateKey)
    expect(await statusOf(signed, {}, { anchors: [caAnchor(pki.root.pem)] })).toBe('invalid_signature')
  })

  it('is rejected if an anchor of its issuer contains keys and another key signed the list', async () => {
    const signed = await makeJwt({}, { x5c }, privateKey)
    const anchors = [caAnchor(pki.root.pem), jwksAnchor()]
    expect(await statusOf(signed, {}, { anchors })).toBe('invalid_signature')
  })

  it('is rejected if no anchor certifies its chain', async () => {
    const signed = await makeJwt({ iss: undefined }, { x5c }, privateKey)
    expect(await statusOf(signed, {}, { anchors: [jwksAnchor()] })).toBe('untrusted_signer')
  })
})

describe('a status list whose signer names a revocation list', async () => {
  const crl = 'http://crl.authority.example.org/status.crl'
  const leaf = await mintLeaf(pki.intermediate, { serialNumber: '7b', crls: [crl] })
  const x5c = [leaf.x5c, pki.intermediate.x5c]
  const revoked = await makeCrl(pki.intermediate, NOW, { revoked: ['7b'] })
  const good = await makeCrl(pki.intermediate, NOW)

  const checked = async (
    entry: number,
    certificateRevocation: CertificateRevocation,
    answer: Uint8Array<ArrayBuffer> | undefined,
    anchor = caAnchor(pki.root.pem),
  ) => {
    const body = utf8(await makeJwt({}, { x5c }, leaf.keys.privateKey))
    const asked: string[] = []
    const fetchResource: FetchResource = async ({ url }) => {
      asked.push(url)
      const found = url === crl ? answer : body
      return found === undefined ? err('unavailable') : ok({ body: found, contentType: '' })
    }
    const reference = { uri: URI, index: entry, form: STATUS_LIST_JWT } as const
    const world = context({ anchors: [anchor], fetchResource, certificateRevocation, checkCertificates })
    const status = word(await checkStatus(reference, world))
    return { status, isAsked: asked.includes(crl) }
  }

  it.each([
    ['is valid', good, { require: 'valid', accept_unknown: 'valid', off: 'valid' }],
    ['is revoked', revoked, { require: 'revoked_signer', accept_unknown: 'revoked_signer', off: 'valid' }],
    [
      'has an unknown status',
      undefined,
      { require: 'unconfirmed_signer', accept_unknown: 'unconfirmed', off: 'valid' },
    ],
  ] as const)(
    'a status list whose signer %s follows the setting certificate_revocation',
    async (_, answer, known) => {
      for (const setting of CERTIFICATE_REVOCATION) {
        const { status, isAsked } = await checked(2, setting, answer)
        expect([setting, status, isAsked]).toEqual([setting, known[setting], setting !== 'off'])
      }
    },
  )

  it('can revoke a credential with the setting accept_unknown, even if the revocation of its signer is unknown', async () => {
    expect((await checked(0, 'accept_unknown', undefined)).status).toBe('invalid')
  })

  it('is used without a check of its signer’s revocation if the signer is pinned', async () => {
    const pinned = pinnedAnchor(leaf.pem)
    expect(await checked(2, 'require', revoked, pinned)).toEqual({ status: 'valid', isAsked: false })
  })
})
