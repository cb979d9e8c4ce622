import { beforeAll, describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import type { PublishedJwk, SigningJwk } from '../../src/config.ts'
import {
  ACCESS_TOKEN_LIFETIME,
  type AccessTokenGrant,
  issueAccessToken,
  verifyAccessToken,
} from '../../src/relying-party/keys/access-token.ts'

// Tokens are made and verified here with WebCrypto alone, because the library of src/ cannot prove itself.

const NOW = Date.parse('2026-11-20T12:00:00.400Z')
const SECONDS = Math.floor(NOW / 1000)
const BASE = 'https://verifier.example'
const GRANT: AccessTokenGrant = {
  relyingPartyId: 'rp_one',
  keyId: '0123456789abcdef',
  livemode: false,
  scopes: ['verify:create', 'verify:read'],
  keyExpiresAt: null,
}

let first: SigningJwk
let second: SigningJwk
let stranger: SigningJwk

beforeAll(async () => {
  ;[first, second, stranger] = await Promise.all([makeJwk('first'), makeJwk('second'), makeJwk('first')])
})

const issuer = (...keys: [SigningJwk, ...PublishedJwk[]]) => ({ baseUrl: BASE, accessTokenKeys: { keys } })
const issue = (grant: Partial<AccessTokenGrant> = {}) =>
  issueAccessToken(issuer(first, second), { ...GRANT, ...grant }, NOW)

describe('a token that was issued', () => {
  it('is a JWT by RFC 9068, signed by the first of the keys', async () => {
    const { token, expiresIn } = await issue()
    const [header, payload, signature] = token.split('.') as [string, string, string]
    expect(parsed(header)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
    expect(parsed(payload)).toEqual({
      iss: BASE,
      aud: BASE,
      sub: 'rp_one',
      client_id: 'rp_one',
      iat: SECONDS,
      exp: SECONDS + 900,
      jti: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      scope: 'verify:create verify:read',
      key_id: '0123456789abcdef',
      livemode: false,
    })
    expect(expiresIn).toBe(900)
    const { kty, crv, x, y } = first
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, ECDSA, false, ['verify'])
    const raw = decodeBase64url(signature) ?? new Uint8Array()
    expect(await crypto.subtle.verify(ECDSA, key, raw, utf8(`${header}.${payload}`))).toBe(true)
  })

  it('has a unique identifier (jti)', async () => {
    const [a, b] = await Promise.all([issue(), issue()])
    expect(parsed(a.token.split('.')[1] ?? '').jti).not.toBe(parsed(b.token.split('.')[1] ?? '').jti)
  })

  it('expires with its API key at the latest, and expires_in is its actual lifetime', async () => {
    const { token, expiresIn } = await issue({ keyExpiresAt: NOW + 60_000 })
    expect(expiresIn).toBe(60)
    expect(parsed(token.split('.')[1] ?? '').exp).toBe(SECONDS + 60)
    expect((await issue({ keyExpiresAt: NOW + 3_600_000 })).expiresIn).toBe(ACCESS_TOKEN_LIFETIME)
  })

  it('gives the values with which it was issued, and is reported as expired from the second of its expiry', async () => {
    const { token } = await issue()
    const { keyExpiresAt, ...granted } = GRANT
    const at = (seconds: number) =>
      verifyAccessToken(issuer(first, second), token, (SECONDS + seconds) * 1000)
    expect(await at(0)).toEqual({ ok: true, value: granted })
    expect(await at(899)).toEqual({ ok: true, value: granted })
    expect(await at(900)).toEqual({ ok: false, error: 'expired_token' })
  })

  it('is accepted while its signing key is one of the configured keys, and is invalid when this key is removed', async () => {
    const { token } = await issue()
    expect((await verifyAccessToken(issuer(second, first), token, NOW)).ok).toBe(true)
    expect(await verifyAccessToken(issuer(second), token, NOW)).toEqual(INVALID)
  })
})

describe('a key whose private half is removed from the configuration', () => {
  it('makes every token that it signed invalid', async () => {
    const { token } = await issue()
    const { d: _, ...retired } = first
    expect((await verifyAccessToken(issuer(second, first), token, NOW)).ok).toBe(true)
    expect(await verifyAccessToken(issuer(second, retired), token, NOW)).toEqual(INVALID)
  })
})

const INVALID = { ok: false, error: 'invalid_token' }
const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: 'first' }
const CLAIMS = {
  iss: BASE,
  aud: BASE,
  sub: 'rp_one',
  client_id: 'rp_one',
  iat: SECONDS,
  exp: SECONDS + 900,
  jti: 'x',
  scope: 'verify:read',
  key_id: '0123456789abcdef',
  livemode: false,
}
const verify = (token: string, now: number = NOW) => verifyAccessToken(issuer(first, second), token, now)

describe('a token', () => {
  it('a token with the members of our tokens is accepted if another program signs it with one of our keys', async () => {
    expect(await verify(await sign(HEADER, CLAIMS, first))).toEqual({
      ok: true,
      value: {
        relyingPartyId: 'rp_one',
        keyId: '0123456789abcdef',
        livemode: false,
        scopes: ['verify:read'],
      },
    })
    // RFC 9068 §4
    expect((await verify(await sign({ ...HEADER, typ: 'application/at+jwt' }, CLAIMS, first))).ok).toBe(true)
    expect((await verify(await sign({ ...HEADER, kid: 'second' }, CLAIMS, second))).ok).toBe(true)
  })

  it.each<[string, object]>([
    ['the typ JWT of our own signed claims', { typ: 'JWT' }],
    ['no typ', { typ: undefined }],
    ['typ of a receipt', { typ: 'verification-receipt+jwt' }],
    ['the typ of a Request Object', { typ: 'oauth-authz-req+jwt' }],
    ['alg none', { alg: 'none' }],
    ['alg HS256', { alg: 'HS256' }],
    ['alg ES384', { alg: 'ES384' }],
    ['no alg', { alg: undefined }],
    ['an unknown kid', { kid: 'third' }],
    ['no kid', { kid: undefined }],
    ['the kid of another of our keys', { kid: 'second' }],
    ['a critical extension', { crit: ['exp'], exp: 1 }],
    ['an unencoded payload', { crit: ['b64'], b64: false }],
  ])('a token whose header has %s is invalid', async (_, change) => {
    expect(await verify(await sign({ ...HEADER, ...change }, CLAIMS, first))).toEqual(INVALID)
  })

  it.each<[string, object]>([
    ['another issuer', { iss: 'https://other.example' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'https://other.example' }],
    ['the audience of our own signed claims (a relying party)', { aud: 'rp_one' }],
    ['no audience', { aud: undefined }],
    ['no exp', { exp: undefined }],
    ['an exp that is a string', { exp: '2099-01-01' }],
    ['no iat', { iat: undefined }],
    ['an nbf in the future', { nbf: SECONDS + 60 }],
    ['no sub', { sub: undefined }],
    ['no client_id', { client_id: undefined }],
    ['a client_id that is not the subject', { client_id: 'rp_two' }],
    ['no jti', { jti: undefined }],
    ['no scope', { scope: undefined }],
    ['a list for scope', { scope: ['verify:read'] }],
    ['no key_id', { key_id: undefined }],
    ['no livemode', { livemode: undefined }],
    ['livemode as a string', { livemode: 'false' }],
  ])('a token with %s is invalid', async (_, change) => {
    expect(await verify(await sign(HEADER, { ...CLAIMS, ...change }, first))).toEqual(INVALID)
  })

  it('is reported as expired only if its expiry is its only fault, and otherwise as invalid', async () => {
    const late = (SECONDS + 900) * 1000
    expect(await verify(await sign(HEADER, CLAIMS, first), late)).toEqual({
      ok: false,
      error: 'expired_token',
    })
    expect(await verify(await sign(HEADER, CLAIMS, stranger), late)).toEqual(INVALID)
    expect(
      await verify(await sign(HEADER, { ...CLAIMS, aud: 'https://other.example' }, first), late),
    ).toEqual(INVALID)
  })

  it('a token of an unknown signer is invalid, even if it names the kid of our key or contains the signer’s key', async () => {
    expect(await verify(await sign(HEADER, CLAIMS, stranger))).toEqual(INVALID)
    const { d, kid, ...jwk } = stranger
    expect(await verify(await sign({ ...HEADER, jwk }, CLAIMS, stranger))).toEqual(INVALID)
    expect(await verify(await sign({ ...HEADER, kid: undefined, jwk }, CLAIMS, stranger))).toEqual(INVALID)
  })

  it('a token signed with our public key as a shared secret is invalid', async () => {
    const input = `${encoded({ ...HEADER, alg: 'HS256' })}.${encoded(CLAIMS)}`
    const { kty, crv, x, y } = first
    const secret = utf8(JSON.stringify({ kty, crv, x, y }))
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['sign'])
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(input)))
    expect(await verify(`${input}.${encodeBase64url(mac)}`)).toEqual(INVALID)
  })

  it('is invalid if one character is changed, added or left out', async () => {
    const token = await sign(HEADER, CLAIMS, first)
    for (let i = 0; i < token.length; i += 1) {
      const other = token[i] === 'A' ? 'B' : 'A'
      expect(await verify(token.slice(0, i) + other + token.slice(i + 1)), `at ${i}`).toEqual(INVALID)
    }
    // The last character holds two bits of the signature and four that must be zero.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const last of alphabet.replace(token.at(-1) ?? '', '')) {
      expect(await verify(token.slice(0, -1) + last), last).toEqual(INVALID)
    }
    for (const text of [
      `${token}=`,
      `${token}.`,
      ` ${token}`,
      token.slice(0, -1),
      `${token}A`,
      `.${token}`,
    ]) {
      expect(await verify(text)).toEqual(INVALID)
    }
  })

  it.each(['', '.', '..', '...', 'a.b.c', `${encoded(HEADER)}..`, `e30.e30.${'A'.repeat(86)}`, 'null', '{}'])(
    'the text %j is an invalid token, and the check does not throw',
    async (text) => {
      expect(await verify(text)).toEqual(INVALID)
    },
  )

  it.each(['null', '[]', '"x"', '1', '{', '{"iss":', '\u0000', '{"__proto__":{}}'])(
    'a token whose payload is %j is invalid, and the check does not throw',
    async (payload) => {
      expect(await verify(await signText(JSON.stringify(HEADER), payload, first))).toEqual(INVALID)
    },
  )

  it('grants only scopes that exist; unknown scopes in the token are ignored', async () => {
    const token = await sign(HEADER, { ...CLAIMS, scope: 'verify:read admin toString verify:all' }, first)
    expect(await verify(token)).toMatchObject({ ok: true, value: { scopes: ['verify:read'] } })
    const empty = await sign(HEADER, { ...CLAIMS, scope: '' }, first)
    expect(await verify(empty)).toMatchObject({ ok: true, value: { scopes: [] } })
  })
})

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

async function makeJwk(kid: string): Promise<SigningJwk> {
  const pair = (await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])) as CryptoKeyPair
  const { x = '', y = '', d = '' } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JsonWebKey
  return { kty: 'EC', crv: 'P-256', x, y, d, kid }
}

function sign(header: object, claims: object, jwk: SigningJwk): Promise<string> {
  return signText(JSON.stringify(header), JSON.stringify(claims), jwk)
}

async function signText(header: string, payload: string, jwk: SigningJwk): Promise<string> {
  const input = `${encodeBase64url(utf8(header))}.${encodeBase64url(utf8(payload))}`
  const { kty, crv, x, y, d } = jwk
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y, d }, ECDSA, false, ['sign'])
  const signature = new Uint8Array(await crypto.subtle.sign(ECDSA, key, utf8(input)))
  return `${input}.${encodeBase64url(signature)}`
}

function encoded(value: object): string {
  return encodeBase64url(utf8(JSON.stringify(value)))
}

function parsed(part: string) {
  return JSON.parse(new TextDecoder().decode(decodeBase64url(part)))
}
