import fc from 'fast-check'
import { CompactEncrypt, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { openid4vp10 } from '../../src/openid4vp/protocols/openid4vp-1.0.ts'
import {
  createEncryptionKey,
  decryptJwe,
  parseEncryptedJwe,
} from '../../src/openid4vp/response/response-encryption.ts'
import { effortOf } from './effort.ts'
import { changedText, RUNS } from './generators.ts'

const { publicJwk, privateJwk } = await createEncryptionKey()
const key = { kid: 'k1', privateJwk }
const GOOD = await new CompactEncrypt(Buffer.from(JSON.stringify({ state: 's', vp_token: { age: ['p'] } })))
  .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: 'k1', apu: 'YXB1', apv: 'YXB2' })
  .encrypt(await importJWK({ ...publicJwk }, 'ECDH-ES'))

const FAULTS = [
  'limit_exceeded',
  'malformed_response',
  'unsupported_encryption',
  'unknown_encryption_key',
  'decryption_failed',
]

/** A header of generated members in place of the good header. */
const otherHeader = fc
  .dictionary(
    fc.constantFrom('alg', 'enc', 'kid', 'epk', 'apu', 'apv', 'zip', 'crit', 'p2c'),
    fc.oneof(
      fc.constantFrom('ECDH-ES', 'A128GCM', 'k1', 'DEF', 'dir', 'PBES2-HS256+A128KW'),
      fc.json().map((json) => JSON.parse(json) as unknown),
    ),
  )
  .map((header) =>
    [Buffer.from(JSON.stringify(header)).toString('base64url'), ...GOOD.split('.').slice(1)].join('.'),
  )

describe('a randomly generated JWE', () => {
  it('is parsed without any cryptography, and decrypted or rejected with a typed reason', async () => {
    const input = fc.oneof(fc.string(), changedText([GOOD]), otherHeader)
    await fc.assert(
      fc.asyncProperty(input, async (compact) => {
        const { result: parsed, cryptoCalls } = await effortOf(() =>
          parseEncryptedJwe(compact, openid4vp10.responseEncryption),
        )
        expect(cryptoCalls).toBe(0)
        const opened = parsed.ok ? await decryptJwe(parsed.value, key) : parsed
        if (!opened.ok) {
          expect(FAULTS).toContain(opened.error.reason)
          return
        }
        expect(compact).toBe(GOOD)
      }),
      RUNS,
    )
  })
})
