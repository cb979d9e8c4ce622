import { CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import type { PrivateJwk } from '../../../src/crypto/jwk.ts'
import { openid4vp10 } from '../../../src/openid4vp/protocols/openid4vp-1.0.ts'
import {
  createEncryptionKey,
  decryptJwe,
  parseEncryptedJwe,
  RESPONSE_LIMIT,
} from '../../../src/openid4vp/response/response-encryption.ts'
import { encryptResponse } from '../../support/people/wallet.ts'
import vectors from '../../vectors/oid4vp-1.0.json' with { type: 'json' }

const { publicJwk, privateJwk } = await createEncryptionKey()
const jwk = { ...publicJwk, kid: 'k1' }
const key = { kid: 'k1', privateJwk }
const parameters = { state: 's', vp_token: { age: ['p'] } }

describe('an encrypted response', () => {
  it('is decrypted as published in OpenID4VP 1.0 §8.3', async () => {
    const { compact, privateJwk: published } = vectors.jwe
    expect(await open(compact, { kid: published.kid, privateJwk: published as PrivateJwk })).toEqual({
      ok: true,
      value: { vp_token: { example_credential_id: ['eyJhb...YMetA'] } },
    })
  })

  it.each(['A128GCM', 'A256GCM'])(
    'an encrypted response of a foreign library with random apu and apv is decrypted: %s',
    async (enc) => {
      expect(await open(await encryptResponse(parameters, jwk, { enc }))).toEqual({
        ok: true,
        value: parameters,
      })
    },
  )

  it('is decrypted without apu and apv', async () => {
    const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(parameters)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: 'k1' })
      .encrypt(await importJWK(jwk, 'ECDH-ES'))
    expect(await open(jwe)).toEqual({ ok: true, value: parameters })
  })

  it('is decrypted if its header has further members', async () => {
    const jwe = await encryptResponse(parameters, jwk, {
      header: { typ: 'JWT', cty: 'json', jku: 'https://x.example' },
    })
    expect(await open(jwe)).toEqual({ ok: true, value: parameters })
  })

  it('has a new key for each request', async () => {
    const other = await createEncryptionKey()
    expect(other.publicJwk).not.toEqual(publicJwk)
    expect(Object.keys(other.publicJwk)).not.toContain('d')
  })

  it.each<[reason: string, name: string, make: () => Promise<string>]>([
    ['malformed_response', 'four parts', async () => (await good()).split('.').slice(0, 4).join('.')],
    ['malformed_response', 'six parts', async () => `${await good()}.AA`],
    ['malformed_response', 'an encrypted key', () => withPart(1, () => 'AAAA')],
    ['malformed_response', 'a header that is not JSON', () => withPart(0, () => 'AAAA')],
    [
      'malformed_response',
      'a header with a member twice',
      () => withHeaderText((text) => `{"kid":"k1",${text.slice(1)}`),
    ],
    ['malformed_response', 'a header with padding', () => withPart(0, (part) => `${part}=`)],
    ['malformed_response', 'an iv of 16 bytes', () => withPart(2, () => 'A'.repeat(22))],
    ['malformed_response', 'a ciphertext with padding', () => withPart(3, (part) => `${part}==`)],
    ['malformed_response', 'a ciphertext with white space', () => withPart(3, (part) => `${part}\n`)],
    ['malformed_response', 'a tag of 12 bytes', () => withPart(4, (part) => part.slice(0, 16))],
    ['unsupported_encryption', 'another alg', () => withHeader({ alg: 'ECDH-ES+A128KW' })],
    ['unsupported_encryption', 'alg dir', () => withHeader({ alg: 'dir' })],
    ['unsupported_encryption', 'alg RSA1_5', () => withHeader({ alg: 'RSA1_5' })],
    ['unsupported_encryption', 'alg in a list', () => withHeader({ alg: ['ECDH-ES'] })],
    [
      'unsupported_encryption',
      'an enc that was not offered',
      () => encryptResponse(parameters, jwk, { enc: 'A128CBC-HS256' }),
    ],
    ['unsupported_encryption', 'zip', () => withHeader({ zip: 'DEF' })],
    ['unsupported_encryption', 'crit', () => withHeader({ crit: ['exp'], exp: 1 })],
    ['unsupported_encryption', 'no epk', () => withHeader({ epk: undefined })],
    [
      'unsupported_encryption',
      'an epk on another curve',
      async () => withHeader({ epk: await epkOn('P-384') }),
    ],
    ['unknown_encryption_key', 'no kid', () => withHeader({ kid: undefined })],
    ['unknown_encryption_key', 'a kid that is a number', () => withHeader({ kid: 1 })],
    [
      'unknown_encryption_key',
      'the kid of another key',
      () => encryptResponse(parameters, { ...jwk, kid: 'k2' }),
    ],
    [
      'decryption_failed',
      'an epk off the curve',
      () => withHeader({ epk: { ...publicJwk, y: publicJwk.x } }),
    ],
    ['decryption_failed', 'another epk on the curve', () => withHeader({ epk: publicJwk })],
    ['decryption_failed', 'a changed apu', () => withHeader({ apu: 'AAAA' })],
    [
      'decryption_failed',
      'a key that is not ours',
      async () => encryptResponse(parameters, { ...(await createEncryptionKey()).publicJwk, kid: 'k1' }),
    ],
    ['decryption_failed', 'a flipped bit of ciphertext', () => withPart(3, flip)],
    ['decryption_failed', 'a flipped bit of the tag', () => withPart(4, flip)],
    ['decryption_failed', 'a flipped bit of the iv', () => withPart(2, flip)],
    ['malformed_response', 'a plaintext that is not JSON', () => encryptResponse('state=s', jwk)],
    [
      'malformed_response',
      'a plaintext with a member twice',
      () => encryptResponse('{"state":"a","state":"b"}', jwk),
    ],
    ['malformed_response', 'a plaintext that is an array', () => encryptResponse('[]', jwk)],
    [
      'limit_exceeded',
      'a plaintext that is nested too deep',
      () => encryptResponse(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, jwk),
    ],
    [
      'limit_exceeded',
      'a header that is nested too deep',
      () => withHeaderText((text) => `{"x":${'['.repeat(9)}${']'.repeat(9)},${text.slice(1)}`),
    ],
    [
      'limit_exceeded',
      'a header of more than 8192 characters',
      () => withHeaderText((text) => `{"x":"${'x'.repeat(8192)}",${text.slice(1)}`),
    ],
    ['limit_exceeded', 'more than a mebibyte', async () => `${await good()}${'A'.repeat(RESPONSE_LIMIT)}`],
  ])('is refused as %s: %s', async (reason, _name, make) => {
    expect(await open(await make())).toEqual({ ok: false, error: { reason } })
  })

  it('is not decrypted with the key of another request, whatever kid it has', async () => {
    const other = await createEncryptionKey()
    const decrypted = await open(await good(), { kid: 'k1', privateJwk: other.privateJwk })
    expect(decrypted).toEqual({ ok: false, error: { reason: 'decryption_failed' } })
  })
})

async function open(jwe: string, withKey: { kid: string; privateJwk: PrivateJwk } = key) {
  const parsed = parseEncryptedJwe(jwe, openid4vp10.responseEncryption)
  return parsed.ok ? decryptJwe(parsed.value, withKey) : parsed
}

function good(): Promise<string> {
  return encryptResponse(parameters, jwk)
}

async function withPart(index: number, change: (part: string) => string): Promise<string> {
  const parts = (await good()).split('.')
  return parts.map((part, i) => (i === index ? change(part) : part)).join('.')
}

function withHeaderText(change: (text: string) => string): Promise<string> {
  return withPart(0, (part) =>
    Buffer.from(change(Buffer.from(part, 'base64url').toString())).toString('base64url'),
  )
}

function withHeader(members: object): Promise<string> {
  return withHeaderText((text) => JSON.stringify({ ...JSON.parse(text), ...members }))
}

function flip(part: string): string {
  const bytes = Buffer.from(part, 'base64url')
  bytes[0]! ^= 1
  return bytes.toString('base64url')
}

async function epkOn(crv: string): Promise<JWK> {
  return exportJWK((await generateKeyPair('ECDH-ES', { crv, extractable: true })).publicKey)
}
