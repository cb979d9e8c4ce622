// Configuration from the environment: each error is reported by its name and prevents the start.

import { describe, expect, it } from 'vitest'
import { parseConfig } from '../src/config.ts'
import { VERSION } from '../src/version.ts'
import { TEST_ENVIRONMENT, VERIFIER_CA_PEM } from './support/service/environment.ts'

const [KEY] = JSON.parse(TEST_ENVIRONMENT.ACCESS_TOKEN_KEYS).keys as [{ readonly kid: string }]

const keys = (...all: readonly object[]) => ({
  ...TEST_ENVIRONMENT,
  ACCESS_TOKEN_KEYS: JSON.stringify({ keys: all }),
})

describe('ACCESS_TOKEN_KEYS', () => {
  it('accepts several keys, and keeps their order', () => {
    const { accessTokenKeys } = parseConfig(keys(KEY, { ...KEY, kid: 'older' }))
    expect(accessTokenKeys.keys.map(({ kid }) => kid)).toEqual([KEY.kid, 'older'])
  })

  it('accepts retired keys without their private half, but not as the first key', () => {
    const { d: _, ...retired } = { ...KEY, kid: 'retired' } as typeof KEY & { readonly d?: string }
    expect(parseConfig(keys(KEY, retired)).accessTokenKeys.keys[1]).toEqual(retired)
    expect(() => parseConfig(keys(retired, KEY))).toThrow('ACCESS_TOKEN_KEYS.keys.0.d')
  })

  it('refuses a repeated kid, since one of the keys would verify nothing', () => {
    expect(() => parseConfig(keys(KEY, { ...KEY, kid: 'older' }, KEY))).toThrow(
      'ACCESS_TOKEN_KEYS.keys: must not repeat a kid',
    )
  })

  it('requires at least one key', () => {
    expect(() => parseConfig(keys())).toThrow('ACCESS_TOKEN_KEYS.keys')
  })
})

it('the build id is BUILD_ID of the launcher, else the version id on Cloudflare, else the version of the project', () => {
  const version = { id: '5b2b6f5c-version', tag: 'v1', timestamp: '2026-11-28T22:00:00Z' }
  const buildOf = (more: object) => parseConfig({ ...TEST_ENVIRONMENT, ...more }).buildId
  expect(buildOf({ CF_VERSION_METADATA: version })).toBe(version.id)
  expect(buildOf({ CF_VERSION_METADATA: version, BUILD_ID: 'launched' })).toBe('launched')
  expect(buildOf({})).toBe(VERSION)
})

it('the commit is BUILD_COMMIT of the launcher, else the version tag on Cloudflare, else undefined', () => {
  const version = { id: 'v', tag: '4d1f0a2b9c3e', timestamp: '2026-11-28T22:00:00Z' }
  const commitOf = (more: object) => parseConfig({ ...TEST_ENVIRONMENT, ...more }).commit
  expect(commitOf({ CF_VERSION_METADATA: version })).toBe(version.tag)
  expect(commitOf({ CF_VERSION_METADATA: version, BUILD_COMMIT: '871e7156' })).toBe('871e7156')
  expect(commitOf({ CF_VERSION_METADATA: { ...version, tag: '' } })).toBe(undefined)
  expect(commitOf({})).toBe(undefined)
})

it('the digest of the bundle is BUNDLE_DIGEST, which must have 64 hexadecimal digits, or undefined if BUNDLE_DIGEST is not set', () => {
  const digestOf = (more: object) => parseConfig({ ...TEST_ENVIRONMENT, ...more }).bundleSha256
  expect(digestOf({ BUNDLE_DIGEST: 'ab'.repeat(32) })).toBe('ab'.repeat(32))
  expect(digestOf({})).toBe(undefined)
  expect(() => digestOf({ BUNDLE_DIGEST: 'ab' })).toThrow('BUNDLE_DIGEST: must be 64 hexadecimal digits')
})

it('LOG_REQUESTS must be `all` or `problems`', () => {
  const parse = (LOG_REQUESTS: string) => () => parseConfig({ ...TEST_ENVIRONMENT, LOG_REQUESTS })
  for (const value of ['all', 'problems']) expect(parse(value)).not.toThrow()
  expect(parse('none')).toThrow('configuration: LOG_REQUESTS: must be')
})

describe('OIDC_KEYS', () => {
  const [es256, rs256] = JSON.parse(TEST_ENVIRONMENT.OIDC_KEYS).keys as [OidcKey, OidcKey]
  type OidcKey = { readonly kid: string; readonly d: string }
  const { d: _, ...retired } = { ...es256, kid: 'retired' }
  const withKeys = (...all: readonly object[]) =>
    parseConfig({ ...TEST_ENVIRONMENT, OIDC_KEYS: JSON.stringify({ keys: all }) }).oidc?.keys

  it('accepts several keys of one type, also if a retired key is first', () => {
    expect(withKeys(retired, es256, rs256)).toHaveLength(3)
  })

  it.each([
    ['no P-256 key', [rs256]],
    ['no RSA key', [es256]],
    ['no private P-256 key', [retired, rs256]],
  ])('is refused with %s, because each algorithm that a client can register needs a key', (_, all) => {
    expect(() => withKeys(...all)).toThrow('must have a private P-256 key and a private RSA key')
  })

  it('refuses a repeated kid, since one of the keys would verify nothing', () => {
    expect(() => withKeys(es256, { ...rs256, kid: es256.kid })).toThrow(
      'OIDC_KEYS.keys: must not repeat a kid',
    )
  })

  it.each(['OIDC_KEYS', 'OIDC_SUBJECT_KEY'])(
    'must be set together with OIDC_SUBJECT_KEY: a configuration without %s is refused',
    (name) => {
      const { [name]: _, ...without } = TEST_ENVIRONMENT as Record<string, string>
      expect(() => parseConfig(without)).toThrow('OIDC_KEYS: must be set together with OIDC_SUBJECT_KEY')
    },
  )
})

describe('METRICS_TOKEN', () => {
  it('is refused with fewer than 32 characters, and so is ADMIN_TOKEN', () => {
    for (const name of ['METRICS_TOKEN', 'ADMIN_TOKEN'])
      expect(() => parseConfig({ ...TEST_ENVIRONMENT, [name]: 'x'.repeat(31) })).toThrow(`${name}: must`)
  })

  it('must differ from ADMIN_TOKEN, since it must not open the routes of the operator', () => {
    const { ADMIN_TOKEN } = TEST_ENVIRONMENT
    expect(() => parseConfig({ ...TEST_ENVIRONMENT, METRICS_TOKEN: ADMIN_TOKEN })).toThrow(
      'configuration: METRICS_TOKEN: must differ from ADMIN_TOKEN',
    )
  })

  it('may be absent', () => {
    const { METRICS_TOKEN: _, ...without } = TEST_ENVIRONMENT
    expect(parseConfig(without).metricsToken).toBeNull()
  })
})

describe('VERIFIER_FURTHER_KEYS', () => {
  const further = (...all: readonly object[]) =>
    parseConfig({ ...TEST_ENVIRONMENT, VERIFIER_FURTHER_KEYS: JSON.stringify({ keys: all }) }).verifier

  it('is an empty list by default', () => {
    expect(parseConfig(TEST_ENVIRONMENT).verifier.furtherKeys).toEqual([])
  })

  it('is read as a list of public keys, without any other members', () => {
    const { kty, crv, x, y } = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
    expect(further({ kty, crv, x, y, d: 'secret', kid: 'k' }).furtherKeys).toEqual([{ kty, crv, x, y }])
  })

  it('is refused if a key has an invalid coordinate', () => {
    const { kty, crv, x } = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
    expect(() => further({ kty, crv, x, y: 'short' })).toThrow('VERIFIER_FURTHER_KEYS.keys.0.y')
  })
})

describe('TSA_URL', () => {
  const AUTHORITY = { TSA_URL: 'https://tsa.example.com/rfc3161', TSA_CA_PEM: VERIFIER_CA_PEM }
  const parse = (more: object) => parseConfig({ ...TEST_ENVIRONMENT, ...more }).timeStamping

  it('names the time-stamp authority, and is absent by default', () => {
    expect(parse({})).toBeNull()
    const expected = { url: AUTHORITY.TSA_URL, authorities: VERIFIER_CA_PEM.trim(), authorization: undefined }
    expect(parse(AUTHORITY)).toEqual(expected)
    expect(parse({ ...AUTHORITY, TSA_AUTHORIZATION: 'Basic eA==' })?.authorization).toBe('Basic eA==')
  })

  it.each<readonly [string, object, string]>([
    ['the certificate is missing', { TSA_CA_PEM: undefined }, 'TSA_URL'],
    ['the address is missing', { TSA_URL: undefined }, 'TSA_URL'],
    [
      'only TSA_AUTHORIZATION is set',
      { TSA_URL: undefined, TSA_CA_PEM: undefined, TSA_AUTHORIZATION: 'x' },
      'TSA_URL',
    ],
    ['the certificate is no PEM', { TSA_CA_PEM: 'x' }, 'TSA_CA_PEM'],
    ['the address is http', { TSA_URL: 'http://tsa.example.com/' }, 'TSA_URL'],
    ['the address is private', { TSA_URL: 'https://10.0.0.1/' }, 'TSA_URL'],
    [
      'the address is on loopback without ALLOW_LOOPBACK',
      { TSA_URL: 'http://127.0.0.1:1/', ALLOW_LOOPBACK: '0' },
      'TSA_URL',
    ],
    ['TSA_AUTHORIZATION has a line break', { TSA_AUTHORIZATION: 'a\nb' }, 'TSA_AUTHORIZATION'],
  ])('is refused if %s', (_, change, name) => {
    expect(() => parse({ ...AUTHORITY, ...change })).toThrow(`configuration: ${name}`)
  })
})
