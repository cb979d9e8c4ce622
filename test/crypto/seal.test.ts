import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../src/codec/base64url.ts'
import { deriveKey, seal, unseal } from '../../src/crypto/seal.ts'

const SECRET = Uint8Array.from({ length: 32 }, (_, i) => i)
const KEY = new Uint8Array(32).fill(0x42)
const IV = Uint8Array.from({ length: 12 }, (_, i) => 0xf0 + i)
const PLACE = { key: KEY, aad: 'session/v_1/generation/3' }
const TEXT = '{"d":"geheim – secret"}'

/** Output of node:crypto for the same input: iv, ciphertext, tag. */
function sealedByNode(text: string | Uint8Array, { key, aad }: typeof PLACE = PLACE): string {
  const cipher = createCipheriv('aes-256-gcm', key, IV).setAAD(Buffer.from(aad))
  return Buffer.concat([IV, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

describe('a derived key', () => {
  it('is HKDF-SHA256 of the secret with its purpose, as node:crypto computes it', async () => {
    const expected = hkdfSync('sha256', SECRET, new Uint8Array(32), 'wallet-verifier/webhook', 32)
    expect(Buffer.from(await deriveKey(SECRET, 'webhook')).equals(Buffer.from(expected))).toBe(true)
  })

  it('differs for another purpose and for another secret', async () => {
    const keys = [
      await deriveKey(SECRET, 'a'),
      await deriveKey(SECRET, 'b'),
      await deriveKey(SECRET.slice().fill(9, 31), 'a'),
    ]
    expect(new Set(keys.map((key) => encodeBase64url(key))).size).toBe(3)
  })
})

describe('a sealed text', () => {
  it('consists of its iv and the AES-256-GCM output, as node:crypto computes it', async () => {
    expect(await seal(PLACE, TEXT, IV)).toBe(sealedByNode(TEXT))
  })

  it('is opened by node:crypto', async () => {
    const bytes = Buffer.from(await seal(PLACE, TEXT, IV), 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, 12))
    decipher.setAAD(Buffer.from(PLACE.aad)).setAuthTag(bytes.subarray(-16))
    expect(decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')).toBe(TEXT)
  })

  it.each([TEXT, '', 'x'.repeat(100_000)])(
    'a sealed text that node:crypto made can be opened',
    async (text) => {
      expect(await unseal(PLACE, sealedByNode(text))).toBe(text)
    },
  )
})

describe('a sealed text cannot be opened', () => {
  it('with another key', async () => {
    expect(await unseal({ ...PLACE, key: KEY.slice().fill(0, 31) }, sealedByNode(TEXT))).toBeUndefined()
  })

  it('if the associated data differ from those of the encryption', async () => {
    expect(await unseal({ ...PLACE, aad: 'session/v_1/generation/4' }, sealedByNode(TEXT))).toBeUndefined()
  })

  it('with any single bit changed', async () => {
    const bytes = decodeBase64url(sealedByNode('hi'))!
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = bytes.slice()
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(await unseal(PLACE, encodeBase64url(changed)), `bit ${bit}`).toBeUndefined()
    }
  })

  it('if it is cut off at any byte', async () => {
    const bytes = decodeBase64url(sealedByNode('hi'))!
    for (let length = 0; length < bytes.length; length++) {
      expect(await unseal(PLACE, encodeBase64url(bytes.slice(0, length))), `${length} bytes`).toBeUndefined()
    }
  })

  it('with three bytes appended', async () => {
    expect(await unseal(PLACE, `${sealedByNode(TEXT)}AAAA`)).toBeUndefined()
  })

  it.each(['', '!', 'A', 'not base64url at all', `${sealedByNode(TEXT)}=`])(
    'if it is not base64url: %j',
    async (text) => {
      expect(await unseal(PLACE, text)).toBeUndefined()
    },
  )

  it('if the decrypted bytes are not text', async () => {
    expect(await unseal(PLACE, sealedByNode(Uint8Array.of(0xff, 0xfe)))).toBeUndefined()
  })
})
