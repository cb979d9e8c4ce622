// The setting `evidence` (api/evidence): keys that it accepts, and keys that it names as wrong.

import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { describeIssue } from '../../src/codec/schema.ts'
import { evidenceSettings } from '../../src/relying-party/document/evidence-settings.ts'

const ec = async (crv: 'P-256' | 'P-384' | 'P-521', kid: string) => {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES+A256KW', { crv, extractable: true })
  return { jwk: { ...(await exportJWK(publicKey)), kid }, d: (await exportJWK(privateKey)).d }
}
const rsa = await generateKeyPair('RSA-OAEP-256', { extractable: true })
const RSA: JWK = { ...(await exportJWK(rsa.publicKey)), kid: 'rsa' }
const RSA_PRIVATE = await exportJWK(rsa.privateKey)
const [{ jwk: P256, d: D }, { jwk: P384 }, { jwk: P521 }, { jwk: OTHER }] = await Promise.all([
  ec('P-256', 'one'),
  ec('P-384', 'two'),
  ec('P-521', 'three'),
  ec('P-256', 'four'),
])

const parse = (keys: unknown, more: object = {}) =>
  evidenceSettings.safeParse({ jwks: { keys }, ...more }, { error: describeIssue })

describe('the setting `evidence`', () => {
  it('accepts P-256, P-384 and RSA keys, and drops members that only describe the use of a key', () => {
    const described = { ...P256, use: 'enc', alg: 'ECDH-ES+A256KW', key_ops: ['deriveBits'] }
    expect(parse([described, P384, { ...RSA, alg: 'RSA-OAEP-256' }]).data).toEqual({
      jwks: { keys: [P256, P384, RSA] },
      for: 'requested',
      outcomes: ['verified'],
      time_stamp: 'none',
      push: null,
    })
  })

  it('accepts each value of `for` and `outcomes`', () => {
    const more = { for: 'all', outcomes: ['verified', 'rejected'] }
    expect(parse([P256], more).data).toMatchObject(more)
  })

  const { kid: _, ...NAMELESS } = P256
  it.each<readonly [string, unknown, string]>([
    ['no key', [], 'jwks.keys'],
    ['four keys', [P256, P384, RSA, OTHER], 'jwks.keys'],
    ['two keys with one kid', [P256, { ...P384, kid: P256.kid }], 'jwks.keys'],
    ['a key without a kid', [NAMELESS], 'jwks.keys.0.kid'],
    ['a private EC key', [{ ...P256, d: D }], 'jwks.keys.0.d'],
    ['a private RSA key', [{ ...RSA, p: RSA_PRIVATE.p }], 'jwks.keys.0.p'],
    ['a symmetric key', [{ kty: 'oct', k: 'AAAA', kid: 'k' }], 'jwks.keys.0.kty'],
    ['a P-521 key', [P521], 'jwks.keys.0.crv'],
    ['a key for signatures', [{ ...P256, use: 'sig' }], 'jwks.keys.0.use'],
    ['another algorithm', [{ ...P256, alg: 'ECDH-ES' }], 'jwks.keys.0.alg'],
    ['a point off the curve', [{ ...P256, y: P256.x }], 'jwks.keys.0'],
    ['an RSA key of fewer than 2048 bits', [{ ...RSA, n: RSA.n?.slice(0, 300) }], 'jwks.keys.0.n'],
    ['an even RSA exponent', [{ ...RSA, e: 'AQAA' }], 'jwks.keys.0.e'],
  ])('rejects %s, and names the member', (_, keys, path) => {
    const issues = parse(keys).error?.issues.map((issue) => issue.path.join('.'))
    expect(issues).toEqual([path])
  })

  it.each<readonly [object, string]>([
    [{ outcomes: [] }, 'outcomes'],
    [{ outcomes: ['expired'] }, 'outcomes.0'],
    [{ for: 'some' }, 'for'],
    [{ time_stamp: 'always' }, 'time_stamp'],
    [{ archive: null }, ''],
  ])('rejects %j', (more, path) => {
    expect(parse([P256], more).error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })

  const PUSH = {
    kind: 's3',
    endpoint: 'https://s3.example.com',
    region: 'eu-central-1',
    bucket: 'case-files',
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI/K7MDENG',
  }

  it('accepts an object store, with its defaults', () => {
    expect(parse([P256], { push: PUSH }).data?.push).toEqual({ ...PUSH, prefix: '', retain_days: null })
    const more = { prefix: 'bank/cases-2027', retain_days: 36_500 }
    expect(parse([P256], { push: { ...PUSH, ...more } }).data?.push).toMatchObject(more)
  })

  it.each<readonly [object, string]>([
    [{ kind: 'ftp' }, 'kind'],
    [{ region: '' }, 'region'],
    [{ region: 'eu/1' }, 'region'],
    [{ bucket: 'Case' }, 'bucket'],
    [{ bucket: 'a/b' }, 'bucket'],
    [{ prefix: '/bank' }, 'prefix'],
    [{ prefix: 'bank/' }, 'prefix'],
    [{ prefix: '..' }, 'prefix'],
    [{ prefix: 'a/b/c/d/e/f' }, 'prefix'],
    [{ access_key_id: 'a/b' }, 'access_key_id'],
    [{ secret_access_key: '' }, 'secret_access_key'],
    [{ secret_access_key: 'a b' }, 'secret_access_key'],
    [{ retain_days: 0 }, 'retain_days'],
    [{ retain_days: 36_501 }, 'retain_days'],
    [{ session_token: 'x' }, ''],
  ])('rejects an object store with %j, and names the member', (change, path) => {
    const issues = parse([P256], { push: { ...PUSH, ...change } }).error?.issues
    expect(issues?.map((issue) => issue.path.join('.'))).toEqual([['push', path].filter(Boolean).join('.')])
  })
})
