// The environment: what is wrong in it stops the start, each fault by its name.

import { describe, expect, it } from 'vitest'
import { parseConfig } from '../src/config.ts'
import { TEST_ENVIRONMENT } from './support/environment.ts'

const [KEY] = JSON.parse(TEST_ENVIRONMENT.ACCESS_TOKEN_KEYS).keys as [{ readonly kid: string }]

const keys = (...all: readonly object[]) => ({
  ...TEST_ENVIRONMENT,
  ACCESS_TOKEN_KEYS: JSON.stringify({ keys: all }),
})

describe('ACCESS_TOKEN_KEYS', () => {
  it('may hold several keys, the first of which signs', () => {
    const { accessTokenKeys } = parseConfig(keys(KEY, { ...KEY, kid: 'older' }))
    expect(accessTokenKeys.keys.map(({ kid }) => kid)).toEqual([KEY.kid, 'older'])
  })

  it('may hold retired keys without their private half, but never as the one that signs', () => {
    const { d: _, ...retired } = { ...KEY, kid: 'retired' } as typeof KEY & { readonly d?: string }
    expect(parseConfig(keys(KEY, retired)).accessTokenKeys.keys[1]).toEqual(retired)
    expect(() => parseConfig(keys(retired, KEY))).toThrow('ACCESS_TOKEN_KEYS.keys.0.d')
  })

  it('may name no kid twice: of two keys with the same, one would verify nothing', () => {
    expect(() => parseConfig(keys(KEY, { ...KEY, kid: 'older' }, KEY))).toThrow(
      'ACCESS_TOKEN_KEYS.keys: name a kid twice',
    )
  })

  it('holds one key at least', () => {
    expect(() => parseConfig(keys())).toThrow('ACCESS_TOKEN_KEYS.keys')
  })
})
