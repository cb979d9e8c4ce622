// Published trusted lists in XML, verified as of their own time, and compared with xmlsec1.

import { createHash, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type TlRules, verifyEtsiTl } from '../../../src/trust/lists/etsi-tl.ts'
import { readServices } from '../../../src/trust/lists/tl-services.ts'
import { verifyXmlList } from '../../../src/trust/lists/tl-signature.ts'
import { readSignature } from '../../../src/trust/xml/enveloped-signature.ts'
import { canonicalize } from '../../../src/trust/xml/exclusive-c14n.ts'
import { parseXml } from '../../../src/trust/xml/xml-tree.ts'
import { type PublishedName, publishedList, readVector } from '../../support/certificates/published-lists.ts'
import { EAA_Q, GRANTED, TL_TYPE } from '../../support/certificates/xml-lists.ts'
import vectors from '../../vectors/trusted-lists.json' with { type: 'json' }

const NOW = Date.parse('2026-08-25T12:00:00Z') / 1000
const NAMES = Object.keys(vectors.lists) as PublishedName[]
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const fingerprint = (pem: string) => sha256(Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64'))

const rulesFor = (name: PublishedName, changes: Partial<TlRules> = {}): TlRules => ({
  signers: [publishedList(name).signer],
  listTypes: [TL_TYPE],
  territory: name,
  services: [{ type: EAA_Q, credential_types: ['pid'], assurance_level: 'substantial' }],
  last: null,
  now: NOW,
  ...changes,
})

describe.each(NAMES)('the published list of %s', (name) => {
  const { bytes, signer, expected } = publishedList(name)

  it('is the recorded file, and the recorded certificate signed it', () => {
    expect(sha256(bytes)).toBe(expected.sha256)
    expect(fingerprint(signer)).toBe(expected.signer)
  })

  it('verifies, and has the same canonical bytes as with xmlsec1', async () => {
    const root = parseXml(bytes)
    const signature = root.ok ? readSignature(root.value) : root
    if (!root.ok || !signature.ok) throw new Error('the list has another form')
    const { element, signedInfo, signedProperties } = signature.value
    expect({
      document: sha256(canonicalize(root.value, element)),
      signed_properties: sha256(canonicalize(signedProperties)),
      signed_info: sha256(canonicalize(signedInfo)),
    }).toEqual(expected.canonical)
    const contentDigest = Buffer.from(expected.canonical.document, 'hex').toString('base64')
    expect(await verifyXmlList(bytes, [signer])).toMatchObject({ ok: true, value: { contentDigest } })
  })

  it('is refused if the signer of another list is pinned', async () => {
    const other = publishedList(name === 'SE' ? 'IS' : 'SE').signer
    expect(await verifyXmlList(bytes, [other])).toEqual({ ok: false, error: 'untrusted_signer' })
  })
})

describe('the list of Sweden', () => {
  const { bytes, text } = publishedList('SE')

  it('gives no anchor for its one provider of attestations, because the certificate has an RSA key', async () => {
    const [, listed = ''] = /EAA\/Q<.*?X509Certificate>([^<]+)</s.exec(text) ?? []
    const { publicKey } = new X509Certificate(Buffer.from(listed, 'base64'))
    expect(publicKey.asymmetricKeyType).toBe('rsa')
    expect(await verifyEtsiTl(bytes, rulesFor('SE'))).toMatchObject({
      ok: true,
      value: {
        sequence: 62,
        issuedAt: Date.parse('2026-08-19T13:56:19Z') / 1000,
        nextUpdate: Date.parse('2027-02-19T14:56:19Z') / 1000,
        ended: null,
        leftOut: 1,
        changesLater: false,
        anchors: [],
      },
    })
  })

  it('gives an anchor for each CA certificate that node:crypto reads in its time-stamping services', async () => {
    const type = 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST'
    const grant = { type, credential_types: ['pid'], assurance_level: 'low' } as const
    const found = await verifyEtsiTl(bytes, rulesFor('SE', { services: [grant] }))
    const listed = [...text.matchAll(/TSA\/QTST<.*?X509Certificate>([^<]+)</gs)].map(
      ([, der = '']) => new X509Certificate(Buffer.from(der, 'base64')),
    )
    const authorities = listed.filter(({ ca }) => ca).map(({ fingerprint256 }) => fingerprint256)
    const anchors = found.ok ? found.value.anchors : []
    expect(anchors.length).toBeGreaterThan(0)
    expect(
      anchors.map(
        (anchor) => 'x509_ca_pem' in anchor && new X509Certificate(anchor.x509_ca_pem).fingerprint256,
      ),
    ).toEqual(authorities)
    expect(anchors[0]?.service).toEqual({ type, status: GRANTED })
  })

  it('gives no anchor for a service whose status starts in the future, and reports changesLater', async () => {
    const now = Date.parse('2026-08-20T21:59:59Z') / 1000
    expect(await verifyEtsiTl(bytes, rulesFor('SE', { now }))).toMatchObject({
      ok: true,
      value: { anchors: [], leftOut: 0, changesLater: true },
    })
  })

  it('gives exactly one service for each element TSPService, and none for a former service', () => {
    const root = parseXml(bytes)
    const services = root.ok ? readServices(root.value) : []
    expect(services).toHaveLength(text.split('<TSPService>').length - 1)
    expect(new Set(services.map(({ provider }) => provider)).size).toBeGreaterThan(3)
    expect(services.every(({ name }) => name !== '')).toBe(true)
  })
})

it('the signer of each national list is in the list of lists', () => {
  const listOfLists = publishedList('EU').text.replace(/\s/g, '')
  for (const name of ['SE', 'IS', 'EL'] as const) {
    const certificate = publishedList(name).signer.replace(/-----.*-----|\s/g, '')
    expect(listOfLists.includes(certificate), name).toBe(true)
  }
})

it('a list that was indented again after it was signed is refused', async () => {
  const bytes = readVector(vectors.reindented.file)
  expect(sha256(bytes)).toBe(vectors.reindented.sha256)
  const signature = new TextDecoder().decode(bytes).split('KeyInfo>')[1] ?? ''
  const [, certificate = ''] = /X509Certificate>([^<]+)</.exec(signature) ?? []
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.replace(/\s/g, '').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  expect(await verifyXmlList(bytes, [pem])).toEqual({ ok: false, error: 'invalid_signature' })
})
