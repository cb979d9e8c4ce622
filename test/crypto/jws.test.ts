import { describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import { signatureAlgorithm } from '../../src/crypto/algorithms.ts'
import type { PublicJwk } from '../../src/crypto/jwk.ts'
import { type DecodedJws, decodeJws, verifyJws } from '../../src/crypto/jws.ts'
import { makeKey, signJwt } from '../support/people/issuer.ts'

const LIMITS = { length: 4096, depth: 8 }

// RFC 7515 A.3
const JWS =
  'eyJhbGciOiJFUzI1NiJ9' +
  '.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ' +
  '.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q'
const KEY: PublicJwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}

const b64 = (text: string) => Buffer.from(text).toString('base64url')
const decoded = (compact: string): DecodedJws => {
  const jws = decodeJws(compact, LIMITS)
  if (!jws.ok) throw new Error(jws.error)
  return jws.value
}
const fault = (compact: string, limits = LIMITS) => {
  const jws = decodeJws(compact, limits)
  return jws.ok ? undefined : jws.error
}

describe('a compact JWS', () => {
  it('a compact JWS of RFC 7515 A.3 is decoded and verifies', async () => {
    const jws = decoded(JWS)
    expect(jws.header).toEqual({ alg: 'ES256' })
    expect(jws.payload).toEqual({ iss: 'joe', exp: 1300819380, 'http://example.com/is_root': true })
    expect(await verifyJws(jws, KEY)).toBe(true)
  })

  it('a compact JWS of RFC 8037 A.4 verifies', async () => {
    const algorithm = signatureAlgorithm('EdDSA')
    const signature = decodeBase64url(
      'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
    )
    if (algorithm === undefined || signature === undefined) throw new Error('vector')
    const signingInput = utf8('eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc')
    const jws = { header: {}, payload: {}, algorithm, signature, signingInput }
    const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const
    expect(await verifyJws(jws, key)).toBe(true)
    expect(await verifyJws({ ...jws, signingInput: utf8('eyJhbGciOiJFZERTQSJ9.AA') }, key)).toBe(false)
  })

  it.each(['ES256', 'ES384', 'ES512', 'Ed25519'])(
    'a compact JWS signed with %s verifies with its own key, and with no other key',
    async (alg) => {
      const [key, other] = [await makeKey(alg), await makeKey(alg)]
      const jws = decoded(signJwt({ alg }, { a: 1 }, key))
      expect(await verifyJws(jws, key.publicJwk)).toBe(true)
      expect(await verifyJws(jws, other.publicJwk)).toBe(false)
    },
  )

  it('does not verify with a key of another curve or type', async () => {
    for (const alg of ['ES384', 'Ed25519']) {
      expect(await verifyJws(decoded(JWS), (await makeKey(alg)).publicJwk)).toBe(false)
    }
  })

  it('does not verify with a signature in DER, or with a signature of any other length', async () => {
    const jws = decoded(JWS)
    const der = Uint8Array.from([
      0x30,
      0x44,
      2,
      0x20,
      ...jws.signature.slice(0, 32),
      2,
      0x20,
      ...jws.signature.slice(32),
    ])
    for (const signature of [der, jws.signature.slice(1), new Uint8Array(65), new Uint8Array(64)]) {
      expect(await verifyJws({ ...jws, signature }, KEY)).toBe(false)
    }
  })

  it.each([
    ['is empty', ''],
    ['has two parts', JWS.split('.').slice(0, 2).join('.')],
    ['has four parts', `${JWS}.`],
    ['has no header', JWS.slice(JWS.indexOf('.'))],
    ['has no payload', `${JWS.split('.')[0]}..${JWS.split('.')[2]}`],
    ['has no signature', `${JWS.split('.').slice(0, 2).join('.')}.`],
    ['ends in a line feed', `${JWS}\n`],
    ['begins with a space', ` ${JWS}`],
    ['is padded', `${JWS}=`],
    ['has a non-canonical signature', `${JWS.slice(0, -1)}R`],
    ['has a header that is no object', `${b64('["ES256"]')}.e30.AAAA`],
    ['has a payload that is no object', `${b64('{"alg":"ES256"}')}.${b64('"x"')}.AAAA`],
    ['has a payload that is not JSON', `${b64('{"alg":"ES256"}')}.${b64('{a:1}')}.AAAA`],
    [
      'has a payload that is not UTF-8',
      `${b64('{"alg":"ES256"}')}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.AAAA`,
    ],
    ['names alg twice', `${b64('{"alg":"none","alg":"ES256"}')}.e30.AAAA`],
    ['names a claim twice', `${b64('{"alg":"ES256"}')}.${b64('{"a":1,"a":2}')}.AAAA`],
  ])('is malformed if it %s', (_, text) => {
    expect(fault(text)).toBe('malformed')
  })

  it.each([
    '{"alg":"none"}',
    '{"alg":"HS256"}',
    '{"alg":"RS256"}',
    '{"alg":["ES256"]}',
    '{"alg":"es256"}',
    '{}',
  ])(
    'a compact JWS with header %s is rejected because of its algorithm, with and without a signature',
    (header) => {
      expect(fault(`${b64(header)}.e30.AAAA`)).toBe('unsupported_algorithm')
      expect(fault(`${b64(header)}.e30.`)).toBe('unsupported_algorithm')
    },
  )

  it.each([
    '{"alg":"ES256","crit":[]}',
    '{"alg":"ES256","crit":["exp"],"exp":1}',
    '{"alg":"ES256","crit":null}',
    '{"alg":"ES256","b64":false}',
  ])('a compact JWS with header %s is rejected because of a critical extension', (header) => {
    expect(fault(`${b64(header)}.e30.AAAA`)).toBe('unsupported_critical_header')
  })

  it('is rejected if its header or its payload is too long or too deeply nested', () => {
    const header = b64('{"alg":"ES256"}')
    expect(fault(`${header}.${b64(JSON.stringify({ a: 'x'.repeat(4096) }))}.AAAA`)).toBe('too_large')
    expect(fault(`${b64(JSON.stringify({ alg: 'x'.repeat(4096) }))}.e30.AAAA`)).toBe('too_large')
    expect(fault(`${header}.${b64(`{"a":${'['.repeat(8)}${']'.repeat(8)}}`)}.AAAA`)).toBe('too_large')
    expect(fault(`${header}.${b64(`{"a":${'['.repeat(7)}${']'.repeat(7)}}`)}.AAAA`)).toBeUndefined()
  })

  it('a compact JWS that consists of dots only is rejected', () => {
    expect(fault('.'.repeat(1_000_000))).toBe('malformed')
  })
})
