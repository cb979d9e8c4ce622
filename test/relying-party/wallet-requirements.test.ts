// Requirements of wallets. Each case changes one thing of settings that meet them. @peculiar/x509 makes the
// certificates; one certificate is foreign.

import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { lackingRequirements } from '../../src/relying-party/verifier/wallet-requirements.ts'
import { type CertificateOptions, mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'
import { identityOf } from '../support/wallets/good-request.ts'
import foreign from '../vectors/google-wallet.json' with { type: 'json' }

const LEGAL = ['C=NL', 'O=Test Shop', '2.5.4.97=NTRNL-12345678', 'CN=Test Shop']
const NATURAL = ['C=NL', '2.5.4.4=Jansen', '2.5.4.42=Kim', '2.5.4.5=PNONL-1', 'CN=Kim Jansen']

const root = await mintRoot()
const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 24 * 3600 * 1000

/** Lacking requirements of settings, with the chain of the service. */
const lackingFor = (settings: object, chain?: string) =>
  lackingRequirements(
    { name: 'Shop', origins: [], verifier: null, ...settings },
    { baseUrl: 'https://verifier.example', googleAggregator: null, chain, now: NOW / 1000 },
  )
const lackingOf = async (subject: readonly string[]) =>
  lackingFor({}, (await mintLeaf(root, { subject: subject.join(',') })).pem)

describe('the subject of the access certificate', () => {
  it.each([[LEGAL], [NATURAL]])(
    'meets the requirement only with all attributes of a legal or a natural person: %j',
    async (subject) => {
      expect(await lackingOf(subject)).not.toContain('organization')
      for (const attribute of subject) {
        expect(await lackingOf(subject.filter((one) => one !== attribute))).toContain('organization')
      }
    },
  )

  it('is read from the chain that the operator configured, even with text around its certificates', async () => {
    const { pem } = await mintLeaf(root, { subject: LEGAL.join(',') })
    const text = `Bag Attributes\nsubject=CN=Test Shop\n${pem}\nissuer=CN=Root\n${root.pem}`
    const { verifier } = parseConfig({ ...TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_CHAIN_PEM: text })
    expect(verifier.certificateChainPem).toBe([pem, root.pem].map((one) => one.trim()).join('\n'))
    expect(await lackingFor({}, verifier.certificateChainPem)).not.toContain('organization')
  })

  it('is reported as missing if the certificate cannot be read, but not if the certificate is unknown', async () => {
    expect(await lackingFor({})).toEqual(['reader_certificate', 'google_wallet'])
    expect(await lackingFor({}, 'no certificate')).toContain('organization')
  })
})

describe('the requirement of a reader certificate', () => {
  const readerOf = async (options: CertificateOptions = {}, domains = ['shop.example']) => {
    const leaf = await mintLeaf(root, { extendedKeyUsage: ['1.0.18013.5.1.6'], ...options })
    return { ...identityOf(leaf), domains }
  }
  const lackingWith = async (reader: object, origins = ['https://shop.example']) =>
    (await lackingFor({ origins, reader_certificates: [reader] })).includes('reader_certificate')

  it('is met if the certificate covers a page of the relying party or of the service', async () => {
    expect(await lackingWith(await readerOf())).toBe(false)
    expect(await lackingWith(await readerOf(), ['https://other.example', 'https://shop.example'])).toBe(false)
    expect(await lackingWith(await readerOf({}, ['verifier.example']), [])).toBe(false)
  })

  it('is not met if no certificate covers a page of the relying party or of the service', async () => {
    expect(await lackingWith(await readerOf({}, ['other.example']))).toBe(true)
    expect(await lackingWith(await readerOf(), [])).toBe(true)
  })

  it('is not met if no certificate is valid now', async () => {
    const expired = { notBefore: new Date(NOW - 2 * DAY), notAfter: new Date(NOW - DAY) }
    const future = { notBefore: new Date(NOW + DAY), notAfter: new Date(NOW + 2 * DAY) }
    expect(await lackingWith(await readerOf(expired))).toBe(true)
    expect(await lackingWith(await readerOf(future))).toBe(true)
  })
})

describe('the requirement google_wallet', () => {
  const google_wallet = { rp_metadata_bytes: foreign.rp_metadata_bytes }
  const verifier = { certificate_chain_pem: foreign.certificate_pem }
  const isLacking = async (settings: object, chain?: string) =>
    (await lackingFor(settings, chain)).includes('google_wallet')

  it('is met if the verifier certificate names the configured metadata, or names no metadata', async () => {
    expect(await isLacking({ google_wallet, verifier })).toBe(false)
    expect(await isLacking({ google_wallet }, (await mintLeaf(root)).pem)).toBe(false)
    expect(await isLacking({ google_wallet })).toBe(false)
  })

  it('is not met if the verifier certificate of the relying party or of the service names other metadata', async () => {
    const other = { logo_uri: 'https://shop.example/l.png', privacy_policy_uri: 'https://shop.example/p' }
    expect(await isLacking({ google_wallet: other, verifier })).toBe(true)
    expect(await isLacking({ google_wallet: other }, foreign.certificate_pem)).toBe(true)
  })
})
