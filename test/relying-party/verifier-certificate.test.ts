// Errors of a relying party's own certificate, each with its own message when the certificate is set. The
// certificates are made with @peculiar/x509, which shares no code with src/trust.

import { describe, expect, it } from 'vitest'
import { creationSchema, patchSchema } from '../../src/relying-party/settings/settings-schema.ts'
import {
  type CertificateOptions,
  type Minted,
  mintIntermediate,
  mintLeaf,
  mintRoot,
  nameConstraints,
} from '../support/certificates/certificates.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const RULES = { now: NOW, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }
const HOST = { altNames: [{ type: 'dns', value: 'verifier.example' }] } as const
const PREFERS_SAN = { request_options: { client_id_prefix: 'x509_san_dns' } } as const

const root = await mintRoot()

function verifierOf([leaf, ...issuers]: readonly [Minted, ...Minted[]]) {
  const { kty, crv, x, y, d } = leaf.privateJwk
  const certificate_chain_pem = [leaf, ...issuers].map(({ pem }) => pem).join('\n')
  return { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem }
}

/** Returns `pointer: message` of each error. */
async function errorsOf(body: object, current?: Parameters<typeof patchSchema>[1]): Promise<string[]> {
  const schema = current === undefined ? creationSchema(RULES) : patchSchema(RULES, current)
  const { error } = await schema.safeParseAsync(current === undefined ? { name: 'Shop', ...body } : body)
  return error?.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`) ?? []
}

/** Returns the message about a chain of a leaf and its authority. */
async function fault(leaf: CertificateOptions, intermediate: CertificateOptions = {}): Promise<string[]> {
  const authority = await mintIntermediate(root, intermediate)
  const faults = await errorsOf({ verifier: verifierOf([await mintLeaf(authority, leaf), authority]) })
  return faults.map((text) => text.replace('/verifier/certificate_chain_pem: ', ''))
}

const CASES: readonly (readonly [string, CertificateOptions, CertificateOptions, string])[] = [
  [
    'a leaf that is an authority',
    { ca: true, keyUsage: ['keyCertSign'] },
    {},
    'must begin with a leaf, not with an authority',
  ],
  [
    'a leaf that may not sign',
    { keyUsage: ['keyEncipherment'] },
    {},
    'must have the key usage digitalSignature',
  ],
  ['a leaf without a key usage', { keyUsage: null }, {}, 'must have the key usage digitalSignature'],
  ['an issuer that is no authority', {}, { ca: false }, 'must contain only authorities after'],
  [
    'an unknown critical extension',
    { extensions: [{ oid: '1.2.3.4', critical: true, value: Uint8Array.of(5, 0) }] },
    {},
    'must not contain an unknown critical extension',
  ],
  [
    'a name that its authority may not certify',
    { altNames: [{ type: 'dns', value: 'verifier.example' }] },
    { extensions: [nameConstraints({ permitted: [{ type: 'dns', value: 'other.example' }] })] },
    'may not certify',
  ],
  ['a leaf that has expired', { notAfter: new Date('2026-11-19') }, {}, 'certificates that are valid now'],
  ['an issuer not valid yet', {}, { notBefore: new Date('2026-11-21') }, 'certificates that are valid now'],
  ['a leaf that names a different issuer', { issuerName: 'CN=Somebody else' }, {}, 'issued by the next'],
]

describe('a verifier certificate chain', () => {
  it('is accepted if it has no fault, even if the leaf has only the extended key usage for TLS servers', async () => {
    expect(await fault({})).toEqual([])
    expect(await fault({ extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'] })).toEqual([])
  })

  it.each(CASES)(
    'a verifier certificate chain with %s is refused, and the message names this fault',
    async (_, leaf, intermediate, message) => {
      expect(await fault(leaf, intermediate)).toEqual([expect.stringContaining(message)])
    },
  )

  it('a verifier certificate chain with more authorities than a pathLenConstraint allows is refused, and the message names this fault', async () => {
    const upper = await mintIntermediate(root, { subject: 'CN=Upper', pathLength: 0 })
    const lower = await mintIntermediate(upper, { subject: 'CN=Lower' })
    const faults = await errorsOf({ verifier: verifierOf([await mintLeaf(lower), lower, upper]) })
    expect(faults).toEqual([expect.stringContaining('pathLenConstraint')])
  })
})

describe('a preference for x509_san_dns', async () => {
  const named = verifierOf([await mintLeaf(root, HOST)])
  const unnamed = verifierOf([await mintLeaf(root)])
  const wildcard = verifierOf([await mintLeaf(root, { altNames: [{ type: 'dns', value: '*.example' }] })])
  const common = verifierOf([await mintLeaf(root, { subject: 'CN=verifier.example' })])
  const MESSAGE = expect.stringContaining('must name the host of this service')

  it('is accepted if the certificate names the host of the service, or if the relying party has no own certificate', async () => {
    expect(await errorsOf({ verifier: named, ...PREFERS_SAN })).toEqual([])
    expect(await errorsOf(PREFERS_SAN)).toEqual([])
    expect(await errorsOf({ verifier: unnamed })).toEqual([])
  })

  it.each([
    ['no name', unnamed],
    ['a wildcard', wildcard],
    ['a common name', common],
  ])('is refused with a certificate that has %s', async (_, verifier) => {
    expect(await errorsOf({ verifier, ...PREFERS_SAN })).toEqual([MESSAGE])
  })

  it('is checked against the stored settings if only the preference or only the certificate changes', async () => {
    const pem = ({ certificate_chain_pem }: typeof named) => ({ certificate_chain_pem })
    const prefers = { livemode: false, verifier: pem(named), ...PREFERS_SAN }
    const hashed = { livemode: false, verifier: pem(unnamed), request_options: {} }
    expect(await errorsOf({ verifier: unnamed }, prefers)).toEqual([
      expect.stringMatching(/^\/verifier\/certificate_chain_pem: .*must name the host/),
    ])
    expect(await errorsOf(PREFERS_SAN, hashed)).toEqual([
      expect.stringMatching(/^\/request_options\/client_id_prefix: .*must name the host/),
    ])
    expect(await errorsOf({ verifier: null }, prefers)).toEqual([])
    expect(await errorsOf({ by_value: true }, { ...hashed, ...PREFERS_SAN })).toEqual([])
  })
})
