// Reader certificates of a relying party: what is judged when they are set, and which sign for an origin.

import { describe, expect, it } from 'vitest'
import type { P256PrivateJwk } from '../../src/config.ts'
import { creationSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { readerLifetimes, readersFor } from '../../src/relying-party/verifier/reader-certificate.ts'
import {
  type CertificateOptions,
  type Minted,
  mintIntermediate,
  mintLeaf,
  mintRoot,
} from '../support/certificates/certificates.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const RULES = { now: NOW, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }
const READER = { extendedKeyUsage: ['1.0.18013.5.1.6'] }
const root = await mintRoot()
const good = await mintLeaf(root, READER)

function readerOf([leaf, ...issuers]: readonly [Minted, ...Minted[]], domains = ['shop.example']) {
  const { crv, x, y, d } = leaf.privateJwk as P256PrivateJwk
  const certificate_chain_pem = [leaf, ...issuers].map(({ pem }) => pem).join('\n')
  return { signing_jwk: { kty: 'EC' as const, crv, x, y, d }, certificate_chain_pem, domains }
}

async function parsed(verifier: unknown) {
  const result = await creationSchema(RULES).safeParseAsync({ name: 'Shop', verifier })
  return result.success
    ? { verifier: result.data.verifier, readers: result.data.reader_certificates }
    : result.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`)
}

describe('reader_certificates', () => {
  it('may be set alone in `verifier`, or together with its other members', async () => {
    const reader = readerOf([good])
    expect(await parsed({ reader_certificates: [reader] })).toEqual({ verifier: null, readers: [reader] })
    const leaf = await mintLeaf(root)
    const { domains: _, ...identity } = readerOf([leaf])
    expect(await parsed({ ...identity, reader_certificates: [reader] })).toEqual({
      verifier: identity,
      readers: [reader],
    })
    expect(await parsed(identity)).toEqual({ verifier: identity, readers: [] })
    expect(await parsed(null)).toEqual({ verifier: null, readers: [] })
  })

  it.each([
    [{}, ['/verifier/signing_jwk', '/verifier/certificate_chain_pem']],
    [
      { reader_certificates: [readerOf([good])], attestation_jwt: 'x' },
      ['/verifier/signing_jwk', '/verifier/certificate_chain_pem'],
    ],
    [{ reader_certificates: [] }, ['/verifier/reader_certificates']],
    [{ reader_certificates: Array(5).fill(readerOf([good])) }, ['/verifier/reader_certificates']],
  ])('are refused if members are missing or superfluous: case %#', async (verifier, pointers) => {
    const errors = (await parsed(verifier)) as string[]
    expect(errors.map((error) => error.split(':')[0])).toEqual(pointers)
  })

  it.each<[string, CertificateOptions, string]>([
    [
      'no extended key usage',
      {},
      'must have the extended key usage 1.0.18013.5.1.6 in the first certificate',
    ],
    [
      'the extended key usage of a document signer',
      { extendedKeyUsage: ['1.0.18013.5.1.2'] },
      'must have the extended key usage 1.0.18013.5.1.6 in the first certificate',
    ],
    [
      'an expired leaf',
      { ...READER, notAfter: new Date(NOW - 1000) },
      'must contain only certificates that are valid now',
    ],
    [
      'a leaf that is not valid yet',
      { ...READER, notBefore: new Date(NOW + 86_400_000) },
      'must contain only certificates that are valid now',
    ],
  ])('are refused with %s', async (_, options, message) => {
    const reader = readerOf([await mintLeaf(root, options)])
    expect(await parsed({ reader_certificates: [reader] })).toEqual([
      `/verifier/reader_certificates/0/certificate_chain_pem: ${message}`,
    ])
  })

  it('are refused if the chain contains the root, or if the key or the issuer is wrong', async () => {
    const intermediate = await mintIntermediate(root)
    const other = await mintLeaf(root, READER)
    const chains = [
      readerOf([good, root]),
      { ...readerOf([good]), signing_jwk: readerOf([other]).signing_jwk },
      readerOf([good, intermediate]),
    ]
    const faults = await Promise.all(chains.map((reader) => parsed({ reader_certificates: [reader] })))
    const pointer = '/verifier/reader_certificates/0/certificate_chain_pem'
    expect(faults).toEqual([
      [`${pointer}: must not contain a self-signed certificate: leave the root out`],
      [`${pointer}: must begin with the certificate of signing_jwk`],
      [`${pointer}: must have each certificate issued by the next`],
    ])
  })

  it.each([
    'https://shop.example',
    'shop.example:443',
    'Shop.example',
    '*.shop.example',
    'shop.example.',
    '',
  ])('are refused for the domain %j', async (domain) => {
    const errors = (await parsed({ reader_certificates: [readerOf([good], [domain])] })) as string[]
    expect(errors[0]).toMatch(/^\/verifier\/reader_certificates\/0\/domains\/0: /)
  })
})

describe('readersFor', () => {
  it('returns the valid certificates for exactly the host of the origin, in the order of the settings', async () => {
    const expired = readerOf([await mintLeaf(root, { ...READER, notAfter: new Date(NOW - 1000) })])
    const first = readerOf([good], ['a.example', 'shop.example'])
    const second = readerOf([await mintLeaf(root, READER)])
    const all = [expired, first, second]
    const keysOf = (origin: string, now = NOW) =>
      readersFor(all, origin, now).map(({ signingJwk }) =>
        all.findIndex((one) => one.signing_jwk === signingJwk),
      )
    expect(keysOf('https://shop.example')).toEqual([1, 2])
    expect(keysOf('https://shop.example:8443')).toEqual([1, 2])
    expect(keysOf('https://a.example')).toEqual([1])
    expect(keysOf('https://b.a.example')).toEqual([])
    for (const host of [
      'shop.example.evil.example',
      'evil-shop.example',
      'shop.example.',
      '[::1]',
      '127.0.0.1',
    ])
      expect(keysOf(`https://${host}`)).toEqual([])
    expect(readersFor([first], 'https://shop.example', NOW)[0]?.chain).toEqual([good.der])
  })
})

describe('readerLifetimes', () => {
  it('leaves out a certificate if another certificate for all of its domains expires later', async () => {
    const old = readerOf([await mintLeaf(root, { ...READER, notAfter: new Date(NOW + 1000) })])
    const renewed = readerOf([await mintLeaf(root, READER)])
    const elsewhere = { ...old, domains: ['shop.example', 'b.example'] }
    const ends = (all: (typeof old)[]) => readerLifetimes(all).map(({ expiresAt }) => expiresAt)
    expect(ends([old])).toEqual([NOW + 1000])
    expect(ends([old, renewed])).toEqual(ends([renewed]))
    expect(ends([elsewhere, renewed])).toEqual([NOW + 1000, ...ends([renewed])])
  })
})
