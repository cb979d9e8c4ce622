import { compactDecrypt, generateKeyPair, importJWK, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { WALLET_METADATA } from '../../../src/limits.ts'
import { encryptRequestObject } from '../../../src/openid4vp/request/request-encryption.ts'
import { checkWalletMetadata, parseWalletMetadata } from '../../../src/openid4vp/request/wallet-metadata.ts'
import { QUERY } from '../fixtures.ts'

const REQUEST = { clientIdPrefix: 'x509_hash', responseMode: 'direct_post.jwt', query: QUERY } as const

/** Metadata of a capable wallet. Each case changes one member. */
const GOOD = {
  vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] }, mso_mdoc: {} },
  client_id_prefixes_supported: ['x509_san_dns', 'x509_hash'],
  response_modes_supported: ['direct_post', 'direct_post.jwt'],
  response_types_supported: ['vp_token'],
  request_object_signing_alg_values_supported: ['ES384', 'ES256'],
  request_object_encryption_alg_values_supported: ['ECDH-ES', 'RSA-OAEP-256'],
  request_object_encryption_enc_values_supported: ['A128CBC-HS256', 'A256GCM'],
}

const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
const PRIVATE = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JWK
const KEY = { kty: 'EC', crv: 'P-256', x: PRIVATE.x, y: PRIVATE.y, kid: 'w1', use: 'enc' }
const RSA = { kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'enc' }

async function parse(metadata: unknown) {
  const parsed = await parseWalletMetadata(JSON.stringify(metadata))
  if (!parsed.ok) throw new Error('not wallet metadata')
  return parsed.value
}

async function mismatch(change: object): Promise<string | undefined> {
  return checkWalletMetadata(await parse({ ...GOOD, ...change }), REQUEST)
}

describe('the metadata of a wallet', () => {
  it('allow a request if they are empty, or if they support everything in the request', async () => {
    expect(checkWalletMetadata(await parse({}), REQUEST)).toBeUndefined()
    expect(checkWalletMetadata(await parse(GOOD), REQUEST)).toBeUndefined()
    expect(await mismatch({ unknown_member: [{}], vp_formats: 'of another version' })).toBeUndefined()
  })

  it.each([
    ['client_id_prefix_not_supported', { client_id_prefixes_supported: ['redirect_uri'] }],
    ['signing_algorithm_not_supported', { request_object_signing_alg_values_supported: ['ES512'] }],
    ['response_mode_not_supported', { response_modes_supported: ['direct_post', 'fragment'] }],
    ['no_format_in_common', { vp_formats_supported: { ldp_vc: {} } }],
    ['no_format_in_common', { vp_formats_supported: {} }],
    ['request_encryption_not_possible', { jwks: { keys: [RSA] } }],
  ])('lead to a refusal with the reason %s', async (expected, change) => {
    expect(await mismatch(change)).toBe(expected)
  })

  it('need only one of the requested formats', async () => {
    const mdl = { id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
    const query = { credentials: [...QUERY.credentials, mdl] }
    const metadata = await parse({ vp_formats_supported: { mso_mdoc: {} } })
    expect(checkWalletMetadata(metadata, { ...REQUEST, query })).toBeUndefined()
    expect(checkWalletMetadata(metadata, REQUEST)).toBe('no_format_in_common')
  })

  const many = (length: number) => Array.from({ length }, (_, i) => `n${i}`)
  it.each<[string, string]>([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['a member that occurs twice', '{"jwks":{"keys":[]},"jwks":{"keys":[]}}'],
    ['`vp_formats_supported` that is a list', '{"vp_formats_supported":["mso_mdoc"]}'],
    ['a text instead of a list of prefixes', '{"client_id_prefixes_supported":"x509_hash"}'],
    ['an empty list', '{"response_modes_supported":[]}'],
    ['a list of numbers', '{"request_object_signing_alg_values_supported":[1]}'],
    ['keys that are no key set', '{"jwks":[]}'],
    ['null as its keys', '{"jwks":null}'],
    ['too many names', JSON.stringify({ response_modes_supported: many(WALLET_METADATA.names + 1) })],
    ['a name that is too long', JSON.stringify({ response_modes_supported: ['x'.repeat(201)] })],
    ['too many keys', JSON.stringify({ jwks: { keys: Array(WALLET_METADATA.keys + 1).fill(KEY) } })],
    ['nesting that is too deep', `{"x":${'['.repeat(17)}${']'.repeat(17)}}`],
    ['too many characters', JSON.stringify({ x: 'x'.repeat(WALLET_METADATA.characters) })],
  ])('are refused as invalid: %s', async (_, text) => {
    expect(await parseWalletMetadata(text)).toEqual({ ok: false, error: 'invalid' })
  })

  it('are read without the members called `__proto__` and `constructor`', async () => {
    const text = '{"__proto__":{"vp_formats_supported":{}},"constructor":[]}'
    expect(await parseWalletMetadata(text)).toMatchObject({ ok: true, value: { formats: undefined } })
  })
})

describe('an encrypted request', () => {
  const encryptionFor = async (jwks: object, change: object = {}) =>
    (await parse({ ...GOOD, ...change, jwks })).encryption
  const { x, y } = KEY
  const jwk = { kty: 'EC', crv: 'P-256', x, y }

  it('is not made if the wallet sends only encryption algorithms, or only signing keys', async () => {
    expect((await parse(GOOD)).encryption).toBeUndefined()
    expect(await encryptionFor({ keys: [] })).toBeUndefined()
    expect(await encryptionFor({ keys: [{ ...KEY, use: 'sig' }] })).toBeUndefined()
  })

  it('uses the first usable key and a common content encryption', async () => {
    const keys = [{ ...KEY, use: 'sig', kid: 's' }, RSA, { ...KEY, alg: 'ECDH-ES+A256KW' }, KEY]
    expect(await encryptionFor({ keys })).toEqual({ jwk, kid: 'w1', contentEncryption: 'A256GCM' })
  })

  it('uses the required algorithms if the wallet lists none', async () => {
    const { encryption } = await parse({ jwks: { keys: [{ ...jwk, d: PRIVATE.d }] } })
    expect(encryption).toEqual({ jwk, kid: undefined, contentEncryption: 'A128GCM' })
  })

  it.each<[string, object, object]>([
    ['another key agreement', KEY, { request_object_encryption_alg_values_supported: ['RSA-OAEP-256'] }],
    [
      'another content encryption',
      KEY,
      { request_object_encryption_enc_values_supported: ['A128CBC-HS256'] },
    ],
    ['a key for another algorithm', { ...KEY, alg: 'ECDH-ES+A128KW' }, {}],
    ['a point off the curve', { ...KEY, y: KEY.x }, {}],
    ['another curve', { ...KEY, crv: 'P-384' }, {}],
    ['a key without y', { ...KEY, y: undefined }, {}],
    ['an empty object as its key', {}, {}],
  ])('is impossible with %s', async (_, key, change) => {
    expect(await encryptionFor({ keys: [key] }, change)).toBe('unsupported')
  })

  it.each(['A128GCM', 'A256GCM'])('is a nested JWT that a foreign library decrypts: %s', async (enc) => {
    const encryption = await encryptionFor(
      { keys: [KEY] },
      { request_object_encryption_enc_values_supported: [enc] },
    )
    if (encryption === undefined || encryption === 'unsupported') throw new Error('not to be encrypted')
    const jwe = await encryptRequestObject('header.payload.signature', encryption)
    const opened = await compactDecrypt(jwe, await importJWK(PRIVATE, 'ECDH-ES'))
    expect(Buffer.from(opened.plaintext).toString()).toBe('header.payload.signature')
    expect(opened.protectedHeader).toEqual({
      alg: 'ECDH-ES',
      enc,
      kid: 'w1',
      typ: 'oauth-authz-req+jwt',
      cty: 'JWT',
      epk: expect.objectContaining({ crv: 'P-256' }),
    })
  })
})
