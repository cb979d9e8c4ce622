// HPKE compared with RFC 9180 A.3, and with messages of an independent implementation.

import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { Aes128Gcm, Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { expect, it } from 'vitest'
import { decodeHex, encodeHex } from '../../src/codec/bytes.ts'
import { isHpkePoint, openHpke } from '../../src/crypto/hpke.ts'
import type { PrivateJwk } from '../../src/crypto/jwk.ts'
import annexC from '../vectors/annex-c.json' with { type: 'json' }

const hex = (text: string) => {
  const bytes = decodeHex(text)
  if (bytes === undefined) throw new Error('not hexadecimal')
  return bytes
}

const { rfc9180 } = annexC
const RFC_KEY: PrivateJwk = {
  kty: 'EC',
  crv: 'P-256',
  x: Buffer.from(rfc9180.pkRm.slice(2, 66), 'hex').toString('base64url'),
  y: Buffer.from(rfc9180.pkRm.slice(66), 'hex').toString('base64url'),
  d: Buffer.from(rfc9180.skRm, 'hex').toString('base64url'),
}
const RFC_BINDING = { info: hex(rfc9180.info), aad: hex(rfc9180.aad) }
const RFC_MESSAGE = { enc: hex(rfc9180.enc), cipherText: hex(rfc9180.ct) }

it('HPKE decrypts the first message of RFC 9180 A.3 to the published bytes', async () => {
  const opened = await openHpke(RFC_MESSAGE, RFC_KEY, RFC_BINDING)
  expect(opened && encodeHex(opened)).toBe(rfc9180.pt)
})

it('HPKE does not decrypt the second message of RFC 9180 A.3, which has another nonce', async () => {
  const second = { ...RFC_MESSAGE, cipherText: hex(rfc9180.secondCt) }
  expect(await openHpke(second, RFC_KEY, { ...RFC_BINDING, aad: hex(rfc9180.secondAad) })).toBeUndefined()
})

it('HPKE does not decrypt the first message of RFC 9180 A.3 if enc or ciphertext has a flipped bit or lacks a byte', async () => {
  for (const part of ['enc', 'cipherText'] as const) {
    for (let i = 0; i < RFC_MESSAGE[part].length; i++) {
      const flipped = Uint8Array.from(RFC_MESSAGE[part])
      flipped[i] = (flipped[i] ?? 0) ^ (1 << (i % 8))
      expect(await openHpke({ ...RFC_MESSAGE, [part]: flipped }, RFC_KEY, RFC_BINDING)).toBeUndefined()
    }
    const cut = RFC_MESSAGE[part].subarray(0, -1)
    expect(await openHpke({ ...RFC_MESSAGE, [part]: cut }, RFC_KEY, RFC_BINDING)).toBeUndefined()
  }
})

it.each(['info', 'aad'] as const)('HPKE does not decrypt a message with another %s', async (name) => {
  const other = { ...RFC_BINDING, [name]: Uint8Array.of(...RFC_BINDING[name], 0) }
  expect(await openHpke(RFC_MESSAGE, RFC_KEY, other)).toBeUndefined()
})

const info = Uint8Array.of(1, 2, 3)

async function sealed(
  aead: Aes128Gcm | Aes256Gcm,
  publicJwk: JsonWebKey,
  plaintext: Uint8Array<ArrayBuffer>,
) {
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead })
  const recipientPublicKey = await suite.kem.importKey('jwk', publicJwk, true)
  const { enc, ct } = await suite.seal({ recipientPublicKey, info: info.buffer }, plaintext.buffer)
  return { enc: new Uint8Array(enc), cipherText: new Uint8Array(ct) }
}

function freshKey(): PrivateJwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({
    format: 'jwk',
  }) as PrivateJwk
}

it.each([0, 1, 5000])('HPKE decrypts %i bytes that a foreign implementation encrypted', async (length) => {
  const key = freshKey()
  const { d: _, ...publicJwk } = key
  const plaintext = Uint8Array.from({ length }, (_, i) => i % 251)
  const message = await sealed(new Aes128Gcm(), publicJwk, plaintext)
  expect(isHpkePoint(message.enc)).toBe(true)
  expect(await openHpke(message, key, { info })).toEqual(plaintext)
})

it('HPKE does not decrypt a message with AES-256-GCM or a message for another key', async () => {
  const key = freshKey()
  const { d: _, ...publicJwk } = key
  const plaintext = Uint8Array.of(9)
  expect(await openHpke(await sealed(new Aes256Gcm(), publicJwk, plaintext), key, { info })).toBeUndefined()
  const message = await sealed(new Aes128Gcm(), publicJwk, plaintext)
  expect(await openHpke(message, freshKey(), { info })).toBeUndefined()
})
