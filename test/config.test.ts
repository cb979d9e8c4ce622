// Configuration from the environment: each error is reported by its name and prevents the start.

import { describe, expect, it } from 'vitest'
import { parseConfig } from '../src/config.ts'
import { TEST_ENVIRONMENT } from './support/service/environment.ts'

const [KEY] = JSON.parse(TEST_ENVIRONMENT.ACCESS_TOKEN_KEYS).keys as [{ readonly kid: string }]

const keys = (...all: readonly object[]) => ({
  ...TEST_ENVIRONMENT,
  ACCESS_TOKEN_KEYS: JSON.stringify({ keys: all }),
})

describe('ACCESS_TOKEN_KEYS', () => {
  it('accepts several keys, the first of which signs', () => {
    const { accessTokenKeys } = parseConfig(keys(KEY, { ...KEY, kid: 'older' }))
    expect(accessTokenKeys.keys.map(({ kid }) => kid)).toEqual([KEY.kid, 'older'])
  })

  it('accepts retired keys without their private half, but not as the first', () => {
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

describe('VERIFIER_FURTHER_KEYS', () => {
  const further = (...all: readonly object[]) =>
    parseConfig({ ...TEST_ENVIRONMENT, VERIFIER_FURTHER_KEYS: JSON.stringify({ keys: all }) }).verifier

  it('are empty by default', () => {
    expect(parseConfig(TEST_ENVIRONMENT).verifier.furtherKeys).toEqual([])
  })

  it('are read as public keys, without other members', () => {
    const { kty, crv, x, y } = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
    expect(further({ kty, crv, x, y, d: 'secret', kid: 'k' }).furtherKeys).toEqual([{ kty, crv, x, y }])
  })

  it('are refused with an invalid coordinate', () => {
    const { kty, crv, x } = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
    expect(() => further({ kty, crv, x, y: 'short' })).toThrow('VERIFIER_FURTHER_KEYS.keys.0.y')
  })
})
