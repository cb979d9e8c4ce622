// Relying party metadata of Google Wallet, compared with cborg, and with the metadata of a foreign verifier.

import { decode, encode, rfc8949EncodeOptions, Tagged } from 'cborg'
import { describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../../src/codec/base64url.ts'
import { buildGoogleMetadata, isGoogleMetadata } from '../../../src/openid4vp/request/google-metadata.ts'
import foreign from '../../vectors/google-wallet.json' with { type: 'json' }

const SHOP = {
  display_name: 'Käse & Wein',
  logo_uri: 'https://shop.example/logo.png',
  privacy_policy_uri: 'https://shop.example/privacy',
}
const AGGREGATOR = { ...SHOP, display_name: 'Verifier' }

const embedded = (bytes: Uint8Array) => new Tagged(24, bytes)
const wrapped = (map: unknown) => new Uint8Array(encode(embedded(encode(map, rfc8949EncodeOptions))))
const asText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

describe('the metadata for Google Wallet', () => {
  it('is the deterministic encoding of the display, with or without an aggregator', () => {
    const map = { schema_version: 'v1', display: SHOP }
    expect(buildGoogleMetadata(SHOP, null)).toBe(asText(wrapped(map)))
    expect(buildGoogleMetadata(SHOP, AGGREGATOR)).toBe(
      asText(wrapped({ ...map, aggregator_info: AGGREGATOR })),
    )
  })

  it('can be decoded by another library', () => {
    const bytes = Buffer.from(buildGoogleMetadata(SHOP, AGGREGATOR), 'base64url')
    const tags = Tagged.decoder(24)
    const { value } = decode(bytes, { tags: { 24: tags } }) as Tagged
    expect(decode(value)).toEqual({ schema_version: 'v1', display: SHOP, aggregator_info: AGGREGATOR })
  })
})

describe('metadata that Google returned', () => {
  const good = { schema_version: 'v1', display: SHOP }

  it('is accepted with its members in any order, and with unknown members', () => {
    expect(isGoogleMetadata(decodeBase64url(foreign.rp_metadata_bytes))).toBe(true)
    expect(isGoogleMetadata(wrapped({ ...good, aggregator_info: AGGREGATOR, region: ['US'] }))).toBe(true)
  })

  it.each([
    ['no bytes', undefined],
    ['the map itself, without bytes and tag', new Uint8Array(encode(good))],
    ['the bytes of the map without a tag', new Uint8Array(encode(encode(good)))],
    ['bytes with another tag', new Uint8Array(encode(new Tagged(18, encode(good))))],
    ['a map with the tag, instead of bytes', new Uint8Array(encode(new Tagged(24, good)))],
    ['bytes that are no CBOR', new Uint8Array(encode(embedded(Uint8Array.of(0xff))))],
    ['a map with a byte after its end', Uint8Array.of(...wrapped(good), 0)],
    ['a list of displays', wrapped([good])],
    ['a map without a version', wrapped({ display: SHOP })],
    ['a map with a number as its version', wrapped({ ...good, schema_version: 1 })],
    ['a map without a display', wrapped({ schema_version: 'v1' })],
    ['a display without a name', wrapped({ ...good, display: { ...SHOP, display_name: '' } })],
    [
      'a display with bytes as its logo',
      wrapped({ ...good, display: { ...SHOP, logo_uri: Uint8Array.of(1) } }),
    ],
    [
      'a display without a privacy policy',
      wrapped({ ...good, display: { display_name: 'A', logo_uri: 'https://a.example' } }),
    ],
    ['more bytes than the limit', wrapped({ ...good, more: 'x'.repeat(4096) })],
  ])('is refused if it is %s', (_, bytes) => {
    expect(isGoogleMetadata(bytes)).toBe(false)
  })
})
