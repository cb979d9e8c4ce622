import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WALLET_METADATA } from '../../src/limits.ts'
import { checkWalletMetadata, parseWalletMetadata } from '../../src/openid4vp/request/wallet-metadata.ts'
import { effortOf } from './effort.ts'
import { changedText, RUNS } from './generators.ts'

/** The public key of RFC 7517 Appendix A.1. */
const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  use: 'enc',
}

const GOOD = JSON.stringify({
  vp_formats_supported: { 'dc+sd-jwt': {} },
  client_id_prefixes_supported: ['x509_hash'],
  jwks: { keys: [KEY] },
})

const REQUEST = {
  clientIdPrefix: 'x509_hash',
  responseMode: 'direct_post',
  query: { credentials: [{ id: 'age', format: 'dc+sd-jwt', meta: {} }] },
} as const

describe('randomly generated wallet metadata', () => {
  it('are parsed or rejected, and at most as many keys are imported as the limit allows', async () => {
    const members = fc.dictionary(fc.constantFrom(...Object.keys(JSON.parse(GOOD))), fc.jsonValue())
    const keys = fc.array(
      fc.oneof(fc.constant(KEY), fc.dictionary(fc.constantFrom(...Object.keys(KEY)), fc.jsonValue())),
    )
    const input = fc.oneof(
      fc.string(),
      changedText([GOOD]),
      members.map((json) => JSON.stringify(json)),
      keys.map((list) => JSON.stringify({ jwks: { keys: list } })),
    )
    await fc.assert(
      fc.asyncProperty(input, async (text) => {
        const { result: parsed, cryptoCalls } = await effortOf(() => parseWalletMetadata(text))
        expect(cryptoCalls).toBeLessThanOrEqual(WALLET_METADATA.keys)
        if (parsed.ok) checkWalletMetadata(parsed.value, REQUEST)
        else expect(parsed.error).toBe('invalid')
      }),
      RUNS,
    )
  })
})
