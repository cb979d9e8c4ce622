import { beforeAll, describe, expect, it } from 'vitest'
import { TRUST_LIST } from '../../../src/limits.ts'
import { type ListRules, verifyTrustList } from '../../../src/trust/lists/trust-list.ts'
import {
  type CertificateOptions,
  type IssuerPki,
  type Minted,
  mintIssuerPki,
  mintLeaf,
  VALID_UNTIL,
} from '../../support/certificates/certificates.ts'
import {
  LIST_ISSUED,
  LIST_NOW,
  type LoteOptions,
  lotePayload,
  MDL,
  mintListPki,
  mintListSigner,
  PID_ISSUANCE,
  PID_LIST,
  PID_REVOCATION,
  signLote,
  signVical,
  timeOf,
  VICAL_SIGNER,
  type VicalOptions,
} from '../../support/certificates/trust-lists.ts'

let signer: Minted
let stranger: Minted
let pki: IssuerPki
let scheme: IssuerPki
let rules: ListRules
let vicalRules: ListRules

beforeAll(async () => {
  ;[signer, stranger, pki, scheme] = await Promise.all([
    mintListSigner(),
    mintListSigner(),
    mintIssuerPki(),
    mintListPki(),
  ])
  const common = {
    signers: [{ x509_certificate_pem: signer.pem }],
    listType: null,
    last: null,
    now: LIST_NOW,
  }
  const pid = { type: PID_ISSUANCE, credential_types: ['pid'], assurance_level: 'high' } as const
  const mdl = { type: MDL, credential_types: ['mdl'], assurance_level: 'high' } as const
  rules = { ...common, kind: 'etsi_lote', services: [pid] }
  vicalRules = { ...common, kind: 'vical', services: [mdl] }
})

const lote = (options: LoteOptions = {}) =>
  signLote(signer, { services: [{ certificates: [pki.root.x5c] }], ...options })
const vical = (options: VicalOptions = {}) =>
  signVical(signer, { entries: [{ certificate: pki.root.der }], ...options })

const check = async (body: Uint8Array<ArrayBuffer>, changes: Partial<ListRules> = {}) => {
  const verified = await verifyTrustList(body, { ...rules, ...changes })
  return verified.ok ? verified.value : verified.error
}
const checkVical = (body: Uint8Array<ArrayBuffer>, changes: Partial<ListRules> = {}) =>
  check(body, { ...vicalRules, ...changes })

describe('a List of Trusted Entities (LoTE)', () => {
  it('gives its sequence number, its dates, and an anchor for each certificate of a mapped service', async () => {
    expect(await check(await lote())).toEqual({
      sequence: 7,
      issuedAt: LIST_ISSUED,
      nextUpdate: LIST_NOW + 29 * 86_400,
      signerExpires: VALID_UNTIL.getTime() / 1000,
      leftOut: 0,
      anchors: [
        {
          name: 'CN=Test Root CA,O=Test Trust,C=DE',
          credential_types: ['pid'],
          assurance_level: 'high',
          x509_ca_pem: expect.stringContaining('-----BEGIN CERTIFICATE-----'),
        },
      ],
    })
  })

  it('gives an anchor with x509_certificate_pem for a listed certificate that is not a CA certificate', async () => {
    const body = await lote({ services: [{ certificates: [pki.leaf.x5c] }] })
    expect(await check(body)).toMatchObject({ anchors: [{ x509_certificate_pem: expect.any(String) }] })
  })

  it('maps each service type as the operator configured it, and ignores other service types', async () => {
    const services = [
      { certificates: [pki.root.x5c] },
      { certificates: [pki.intermediate.x5c], type: PID_REVOCATION },
      { certificates: [scheme.root.x5c], type: 'http://uri.etsi.org/19602/SvcType/WalletSolution/Issuance' },
    ]
    const status = {
      type: PID_REVOCATION,
      credential_types: ['pid'],
      assurance_level: 'low',
      purpose: ['status'],
    } as const
    const found = await check(await lote({ services }), { services: [...rules.services, status] })
    expect(found).toMatchObject({
      leftOut: 0,
      anchors: [
        { name: 'CN=Test Root CA,O=Test Trust,C=DE', assurance_level: 'high' },
        { name: 'CN=Test Issuing CA,O=Test Trust,C=DE', assurance_level: 'low', purpose: ['status'] },
      ],
    })
  })

  it('gives one anchor for a certificate, even if several providers list the certificate', async () => {
    const service = { certificates: [pki.root.x5c] }
    expect(await check(await lote({ services: [service, service] }))).toMatchObject({
      anchors: [expect.anything()],
    })
  })

  it('leaves out invalid certificates, and gives an anchor for a valid certificate', async () => {
    const services = [{ certificates: ['AAAA', '!', pki.root.x5c] }]
    expect(await check(await lote({ services }))).toMatchObject({ leftOut: 2, anchors: [expect.anything()] })
  })

  it.each(['http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/withdrawn', 'anything'])(
    'gives no anchor for a service with the status %s',
    async (status) => {
      const services = [{ certificates: [pki.root.x5c], status }]
      expect(await check(await lote({ services }))).toBe('nothing_usable')
    },
  )

  it('gives an anchor for a service with the status “notified”', async () => {
    const status = 'http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/notified'
    expect(await check(await lote({ services: [{ certificates: [pki.root.x5c], status }] }))).toMatchObject({
      leftOut: 0,
    })
  })

  it('accepts sigT (JAdES) as a critical header, and no other critical header', async () => {
    const sigT = '2026-11-20T12:00:00Z'
    expect(await check(await lote({ header: { sigT, crit: ['sigT'] } }))).toMatchObject({ sequence: 7 })
    const [, payload, signature] = new TextDecoder().decode(await lote()).split('.')
    for (const crit of [['sigD'], ['sigT', 'sigD'], ['sigT', 'sigT'], [], ['exp'], 'sigT']) {
      const header = btoa(JSON.stringify({ alg: 'ES256', sigT, sigD: {}, crit })).replace(/=+$/, '')
      const body = new TextEncoder().encode(`${header}.${payload}.${signature}`)
      expect(await check(body as Uint8Array<ArrayBuffer>)).toBe('unsupported_critical_header')
    }
  })

  it('must have the type that the operator configured', async () => {
    expect(await check(await lote(), { listType: PID_LIST })).toMatchObject({ sequence: 7 })
    const other = 'http://uri.etsi.org/19602/LoTEType/EUWalletProvidersList'
    expect(await check(await lote({ type: other }), { listType: PID_LIST })).toBe('wrong_list_type')
    expect(await check(await lote({ type: null }), { listType: PID_LIST })).toBe('wrong_list_type')
  })

  it.each([
    ['not UTF-8 text', Uint8Array.of(0xff)],
    ['JSON instead of a JWS', new TextEncoder().encode('{}')],
    ['empty', new Uint8Array()],
  ])('is malformed if it is %s', async (_, body) => {
    expect(await check(body as Uint8Array<ArrayBuffer>)).toBe('malformed')
  })

  it.each([
    ['a sequence number that is a text', { sequence: '7' }],
    ['a negative sequence number', { sequence: -1 }],
    ['a fraction as its sequence number', { sequence: 1.5 }],
    ['another version', { version: 2 }],
    ['a number as its nextUpdate', { nextUpdate: 0 }],
    ['a nextUpdate without a time of day', { nextUpdate: '2046-12-20' }],
    ['a nextUpdate on a day that does not exist', { nextUpdate: '2046-02-30T00:00:00Z' }],
    ['a date of issue without a time zone', { issued: '2026-11-20T12:00:00' }],
    ['no LoTE member', { payload: lotePayload().LoTE }],
  ] satisfies [string, LoteOptions][])('is malformed with %s', async (_, options) => {
    expect(await check(await lote(options))).toBe('malformed')
  })
})

describe('a VICAL', () => {
  it('gives its sequence number, its dates, and an anchor for each authority of a mapped docType', async () => {
    expect(await checkVical(vical())).toMatchObject({
      sequence: 7,
      issuedAt: LIST_ISSUED,
      nextUpdate: LIST_NOW + 29 * 86_400,
      leftOut: 0,
      anchors: [{ credential_types: ['mdl'], x509_ca_pem: expect.any(String) }],
    })
  })

  it('is accepted with or without its CBOR tag', async () => {
    expect(await checkVical(vical({ tagged: true }))).toMatchObject({ sequence: 7 })
  })

  it('may have no sequence number and no nextUpdate', async () => {
    expect(await checkVical(vical({ sequence: null, nextUpdate: null }))).toMatchObject({
      sequence: null,
      nextUpdate: null,
    })
  })

  it('trusts an authority only for the docTypes that its entry names', async () => {
    const entries = [{ certificate: pki.root.der, docType: ['org.iso.23220.photoid.1'] }]
    expect(await checkVical(vical({ entries }))).toBe('nothing_usable')
  })

  it.each([
    ['another version', { version: '2.0' }],
    ['a date without the CBOR tag of a time', { date: '2026-11-20T12:00:00Z' }],
    ['a nextUpdate that is no time', { nextUpdate: timeOf('soon') }],
    ['a sequence number that is a text', { sequence: '7' }],
    ['a certificate that is not a byte string', { entries: [{ certificate: 'AAAA' }] }],
    ['a docType that is not a list', { entries: [{ certificate: new Uint8Array(), docType: MDL }] }],
    ['a number in its docType list', { entries: [{ certificate: new Uint8Array(), docType: [1] }] }],
    ['an empty chain', { chain: [] }],
  ] satisfies [string, VicalOptions][])('is malformed with %s', async (_, options) => {
    expect(await checkVical(vical(options))).toBe('malformed')
  })

  it('is refused if its signature algorithm is not supported', async () => {
    expect(await checkVical(vical({ algorithm: -257 }))).toBe('unsupported_algorithm')
  })
})

describe.each(['etsi_lote', 'vical'] as const)('a trust list of the kind %s', (kind) => {
  const make = async (options: { sequence?: number; date?: string; next?: string } = {}) => {
    const { sequence, date = '2026-11-20T12:00:00Z', next = '2046-12-20T12:00:00Z' } = options
    return kind === 'vical'
      ? vical({ sequence: sequence ?? 7, date: timeOf(date), nextUpdate: timeOf(next) })
      : lote({ sequence: sequence ?? 7, issued: date, nextUpdate: next })
  }
  const checkKind = (body: Uint8Array<ArrayBuffer>, changes: Partial<ListRules> = {}) =>
    kind === 'vical' ? checkVical(body, changes) : check(body, changes)

  it('is refused if one byte is changed', async () => {
    const good = await make()
    for (let i = 0; i < good.length; i += 97) {
      const tampered = good.slice()
      tampered[i] = (tampered[i] ?? 0) ^ 0x01
      expect(typeof (await checkKind(tampered)), `byte ${i}`).toBe('string')
    }
  })

  it('is refused if its signature was changed, even if it has no chain', async () => {
    const body = kind === 'vical' ? vical({ chain: null }) : await lote({ header: { x5c: undefined } })
    const tampered = body.slice()
    const last = tampered.length - 30
    tampered[last] = tampered[last] === 65 ? 66 : 65
    expect(await checkKind(body)).toMatchObject({ sequence: 7 })
    expect(await checkKind(tampered)).toBe('invalid_signature')
  })

  it('is refused if another key signed it, even if its header has the pinned certificate', async () => {
    const services = [{ certificates: [pki.root.x5c] }]
    const forged = (x5c: Minted) =>
      kind === 'vical'
        ? signVical(stranger, { entries: [{ certificate: pki.root.der }], chain: [x5c.der] })
        : signLote({ ...stranger, x5c: x5c.x5c }, { services })
    expect(await checkKind(await forged(stranger))).toBe('untrusted_signer')
    expect(await checkKind(await forged(signer))).toBe('invalid_signature')
  })

  it('is refused if the pinned certificate is expired', async () => {
    const now = Date.parse('2050-01-01T00:00:00Z') / 1000
    expect(await checkKind(await make(), { now })).toBe('certificate_expired')
  })

  it('may be signed by one of several pinned signers', async () => {
    const signers = [{ x509_certificate_pem: stranger.pem }, ...rules.signers]
    expect(await checkKind(await make(), { signers })).toMatchObject({ sequence: 7 })
  })

  it('may be signed by a signer below a pinned authority, whether the chain has that authority or not', async () => {
    const { leaf, intermediate, root } = scheme
    const signers = [{ x509_ca_pem: root.pem }]
    const under = (...chain: Minted[]) => {
      const services = [{ certificates: [pki.root.x5c] }]
      return kind === 'vical'
        ? signVical(leaf, { entries: [{ certificate: pki.root.der }], chain: chain.map(({ der }) => der) })
        : signLote(leaf, { services, header: { x5c: chain.map(({ x5c }) => x5c) } })
    }
    expect(await checkKind(await under(leaf, intermediate), { signers })).toMatchObject({ sequence: 7 })
    expect(await checkKind(await under(leaf, intermediate, root), { signers })).toMatchObject({ sequence: 7 })
    expect(await checkKind(await under(leaf), { signers })).toBe('untrusted_signer')
    const narrow = [{ x509_ca_pem: root.pem, eku: ['1.2.3'] }]
    expect(await checkKind(await under(leaf, intermediate), { signers: narrow })).toBe(
      'certificate_profile_violation',
    )
  })

  it('must not be signed by the pinned authority itself', async () => {
    const { root } = scheme
    const services = [{ certificates: [pki.root.x5c] }]
    const body =
      kind === 'vical'
        ? signVical(root, { entries: [{ certificate: pki.root.der }] })
        : await signLote(root, { services })
    expect(await checkKind(body, { signers: [{ x509_ca_pem: root.pem }] })).toBe(
      'malformed_certificate_chain',
    )
  })

  it('is refused as expired from its nextUpdate on', async () => {
    const next = '2046-11-21T12:00:00Z'
    expect(await checkKind(await make({ next }), { now: LIST_NOW - 1 })).toMatchObject({
      nextUpdate: LIST_NOW,
    })
    expect(await checkKind(await make({ next }))).toBe('expired')
  })

  it('is refused if it is received more than 300 seconds before its date of issue', async () => {
    const date = '2046-11-21T12:05:00Z'
    expect(await checkKind(await make({ date }))).toMatchObject({ issuedAt: LIST_NOW + 300 })
    expect(await checkKind(await make({ date }), { now: LIST_NOW - 1 })).toBe('not_yet_issued')
  })

  it('is refused if the last list has a higher sequence number, or the same or no number and a later date', async () => {
    const issuedAt = LIST_ISSUED
    const body = await make()
    const checkAfter = (sequence: number | null, at: number | null) =>
      checkKind(body, { last: { sequence, issuedAt: at } })
    expect(await checkAfter(6, issuedAt + 5)).toMatchObject({ sequence: 7 })
    expect(await checkAfter(7, issuedAt)).toMatchObject({ sequence: 7 })
    expect(await checkAfter(7, issuedAt + 1)).toBe('rolled_back')
    expect(await checkAfter(8, issuedAt - 5)).toBe('rolled_back')
    expect(await checkAfter(null, issuedAt + 1)).toBe('rolled_back')
    expect(await checkAfter(null, issuedAt)).toMatchObject({ sequence: 7 })
  })

  it('is refused as too large before it is decoded', async () => {
    const body = (size: number) => new Uint8Array(size).fill(0xff)
    expect(await checkKind(body(1024))).toBe('malformed')
    expect(await checkKind(body(10 * 1024 * 1024))).toBe('too_large')
  })
})

it('a VICAL without a sequence number is refused if the VICAL before it had a sequence number', async () => {
  const last = { sequence: 1, issuedAt: 0 }
  expect(await checkVical(vical({ sequence: null }), { last })).toBe('rolled_back')
})

it('a VICAL is accepted only if its signer has the key usage contentCommitment and the extended key usage for VICALs', async () => {
  const { intermediate, root } = scheme
  const checkLeaf = async (options: CertificateOptions) => {
    const leaf = await mintLeaf(intermediate, options)
    const entries = [{ certificate: pki.root.der }]
    const signed = signVical(leaf, { entries, chain: [leaf.der, intermediate.der] })
    return checkVical(signed, { signers: [{ x509_ca_pem: root.pem }] })
  }
  const extendedKeyUsage = [VICAL_SIGNER]
  expect(await checkLeaf({ extendedKeyUsage, keyUsage: ['nonRepudiation'] })).toMatchObject({ sequence: 7 })
  expect(await checkLeaf({ extendedKeyUsage, keyUsage: ['keyEncipherment'] })).toBe(
    'certificate_profile_violation',
  )
  expect(await checkLeaf({})).toBe('certificate_profile_violation')
  expect(await checkLeaf({ extendedKeyUsage: ['1.0.18013.5.1.2'] })).toBe('certificate_profile_violation')
})

it('a trust list with too many anchors is refused', async () => {
  const leaves: Minted[] = []
  for (let i = 0; i < 2; i++) leaves.push(await mintLeaf(pki.intermediate, { subject: `CN=${i}` }))
  const services = [{ certificates: leaves.map(({ x5c }) => x5c) }]
  const grants = Array.from({ length: TRUST_LIST.anchors / 2 + 1 }, () =>
    [...rules.services].map((grant) => ({ ...grant })),
  ).flat()
  expect(await check(await lote({ services }), { services: grants })).toBe('too_large')
})
