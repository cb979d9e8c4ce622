// `google_wallet` of the settings, and the warnings about its certificate. The certificates are made with
// @peculiar/x509; one certificate is foreign.

import { decode, Tagged } from 'cborg'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { googleWallet, writeGoogleMetadata } from '../../src/relying-party/document/google-wallet.ts'
import { googleWalletWarnings } from '../../src/relying-party/verifier/google-wallet-warnings.ts'
import { mintLeaf, mintRoot, tlv } from '../support/certificates/certificates.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'
import foreign from '../vectors/google-wallet.json' with { type: 'json' }

const DISPLAY = {
  logo_uri: 'https://shop.example/logo.png',
  privacy_policy_uri: 'https://shop.example/privacy',
}
const BYTES = { rp_metadata_bytes: foreign.rp_metadata_bytes }
const AGGREGATOR = { display_name: 'Verifier', ...DISPLAY }

function errorsOf(setting: object): string[] {
  const { error } = googleWallet.safeParse(setting)
  return error?.issues.map(({ path }) => `/${path.join('/')}`) ?? []
}

describe('google_wallet', () => {
  it.each([
    ['a logo and a privacy policy', DISPLAY],
    ['a logo, a privacy policy and a name', { display_name: 'Shop', ...DISPLAY }],
    ['the bytes that Google returned', BYTES],
  ])('may contain %s', (_, setting) => {
    expect(googleWallet.parse(setting)).toEqual(setting)
  })

  it.each([
    ['no logo', { privacy_policy_uri: DISPLAY.privacy_policy_uri }, '/logo_uri'],
    ['no privacy policy', { logo_uri: DISPLAY.logo_uri }, '/privacy_policy_uri'],
    ['a logo by http', { ...DISPLAY, logo_uri: 'http://shop.example/logo.png' }, '/logo_uri'],
    ['a logo that is no URL', { ...DISPLAY, logo_uri: 'https:// x' }, '/logo_uri'],
    [
      'a long privacy policy',
      { ...DISPLAY, privacy_policy_uri: `https://a.example/${'x'.repeat(500)}` },
      '/privacy_policy_uri',
    ],
    ['an empty name', { ...DISPLAY, display_name: '' }, '/display_name'],
    ['a name with a line break', { ...DISPLAY, display_name: 'a\nb' }, '/display_name'],
    ['a name of 101 characters', { ...DISPLAY, display_name: 'x'.repeat(101) }, '/display_name'],
    ['bytes beside a display', { ...DISPLAY, ...BYTES }, '/rp_metadata_bytes'],
    ['bytes that are no metadata', { rp_metadata_bytes: 'oA' }, '/rp_metadata_bytes'],
    [
      'bytes that are not base64url',
      { rp_metadata_bytes: `${foreign.rp_metadata_bytes}=` },
      '/rp_metadata_bytes',
    ],
    ['an unknown member', { ...DISPLAY, terms_uri: 'https://a.example' }, '/'],
  ])('is refused with %s', (_, setting, pointer) => {
    expect(errorsOf(setting)).toEqual([pointer])
  })

  it('uses the name of the relying party, and the aggregator of the configuration', () => {
    const variable = JSON.stringify(AGGREGATOR)
    const { googleAggregator } = parseConfig({ ...TEST_ENVIRONMENT, GOOGLE_WALLET_AGGREGATOR: variable })
    const bytes = Buffer.from(writeGoogleMetadata(DISPLAY, 'Shop', googleAggregator), 'base64url')
    const { value } = decode(bytes, { tags: { 24: Tagged.decoder(24) } }) as Tagged
    expect(decode(value)).toEqual({
      schema_version: 'v1',
      display: { display_name: 'Shop', ...DISPLAY },
      aggregator_info: AGGREGATOR,
    })
    expect(writeGoogleMetadata(BYTES, 'Shop', googleAggregator)).toBe(foreign.rp_metadata_bytes)
  })

  it.each([
    ['no JSON', 'x', 'must be JSON'],
    ['an object without display_name', JSON.stringify(DISPLAY), 'display_name'],
    [
      'an object whose logo_uri is an http URL',
      JSON.stringify({ ...AGGREGATOR, logo_uri: 'http://a.example' }),
      'must be an https URL',
    ],
  ])('the service does not start if the aggregator for Google Wallet is %s', (_, variable, message) => {
    const environment = { ...TEST_ENVIRONMENT, GOOGLE_WALLET_AGGREGATOR: variable }
    expect(() => parseConfig(environment)).toThrow(message)
  })
})

const config = parseConfig(TEST_ENVIRONMENT)
const root = await mintRoot()

async function leafFor(value: Uint8Array) {
  const { pem } = await mintLeaf(root, {
    extensions: [{ oid: '1.3.6.1.4.1.11129.10.1', critical: false, value }],
  })
  return pem
}

const digestOf = async (base64url: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.from(base64url, 'base64url')))

async function codesOf(google_wallet: object | null, pem: string | null, name = 'Shop') {
  const verifier = pem && { certificate_chain_pem: pem }
  const view = { google_wallet, name, verifier }
  const warnings = await googleWalletWarnings(config, view as never)
  return warnings.map(({ code, pointer }) => `${code} ${pointer}`)
}

describe('the certificate of a Verifier Registrar', () => {
  it('causes no warning if it is for the metadata of the settings; either this service or Google encoded the metadata', async () => {
    const pem = await leafFor(tlv(4, await digestOf(writeGoogleMetadata(DISPLAY, 'Shop', null))))
    expect(await codesOf(DISPLAY, pem)).toEqual([])
    expect(await codesOf(BYTES, foreign.certificate_pem)).toEqual([])
  })

  it('causes a warning if it is for other metadata', async () => {
    const mismatch = ['google_metadata_mismatch /google_wallet']
    expect(await codesOf(DISPLAY, foreign.certificate_pem)).toEqual(mismatch)
    const pem = await leafFor(tlv(4, await digestOf(writeGoogleMetadata(DISPLAY, 'Shop', null))))
    expect(await codesOf(DISPLAY, pem, 'Shop Ltd')).toEqual(mismatch)
    expect(await codesOf({ ...DISPLAY, logo_uri: 'https://shop.example/new.png' }, pem)).toEqual(mismatch)
  })

  it.each([
    ['no OCTET STRING', (digest: Uint8Array) => tlv(0x0c, digest)],
    ['only the digest', (digest: Uint8Array) => digest],
    ['a shorter digest', (digest: Uint8Array) => tlv(4, digest.subarray(1))],
  ])('causes a warning if its extension contains %s', async (_, wrap) => {
    const pem = await leafFor(wrap(await digestOf(foreign.rp_metadata_bytes)))
    expect(await codesOf(BYTES, pem)).toEqual(['google_metadata_mismatch /google_wallet'])
  })

  it('causes a warning if the settings have no metadata', async () => {
    expect(await codesOf(null, foreign.certificate_pem)).toEqual(['google_metadata_missing /google_wallet'])
  })

  it('may be missing or have no extension, because Google also signs certificates without the extension', async () => {
    expect(await codesOf(BYTES, (await mintLeaf(root)).pem)).toEqual([])
    expect([await codesOf(BYTES, null), await codesOf(null, null)]).toEqual([[], []])
  })
})
