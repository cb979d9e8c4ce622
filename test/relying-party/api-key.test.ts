import { describe, expect, it } from 'vitest'
import { matchesApiKey, newApiKey, parseApiKey } from '../../src/relying-party/keys/api-key.ts'

const GRANT = {
  relyingPartyId: `rp_${'A'.repeat(43)}`,
  livemode: false,
  scopes: ['verify:read'],
  created_at: 1,
  expires_at: null,
} as const

describe('an API key', () => {
  it('contains its relying party, its key id and its mode as plain text', async () => {
    const { apiKey, record } = await newApiKey({ ...GRANT, livemode: true })
    expect(parseApiKey(apiKey)).toEqual({
      relyingPartyId: GRANT.relyingPartyId,
      keyId: record.key_id,
      livemode: true,
      key: apiKey,
    })
  })

  it('is stored without its secret', async () => {
    const { apiKey, record } = await newApiKey(GRANT)
    expect(JSON.stringify(record)).not.toContain(apiKey.split('.')[2])
  })

  it('is different each time', async () => {
    const keys = await Promise.all(Array.from({ length: 100 }, () => newApiKey(GRANT)))
    expect(new Set(keys.map(({ apiKey }) => apiKey.split('.')[2])).size).toBe(100)
    expect(new Set(keys.map(({ record }) => record.key_id)).size).toBe(100)
  })

  it('matches its own record, but a key that differs in one character does not match', async () => {
    const { apiKey, record } = await newApiKey(GRANT)
    expect(await matchesApiKey(record, parseApiKey(apiKey)!)).toBe(true)
    for (let i = 0; i < apiKey.length; i++) {
      const altered = apiKey.slice(0, i) + (apiKey[i] === 'a' ? 'b' : 'a') + apiKey.slice(i + 1)
      const parsed = parseApiKey(altered)
      if (parsed !== undefined) expect(await matchesApiKey(record, parsed), altered).toBe(false)
    }
  })

  it('does not match the stored record of another key', async () => {
    const { apiKey, record } = await newApiKey(GRANT)
    const parsed = parseApiKey(apiKey)!
    expect(await matchesApiKey(record, parsed)).toBe(true)
    const { record: successor } = await newApiKey(GRANT)
    expect(await matchesApiKey({ ...record, hash: successor.hash }, parsed)).toBe(false)
  })

  it('cannot be parsed if its form or its length is changed', async () => {
    const { apiKey } = await newApiKey(GRANT)
    const other = [
      '',
      'wv_',
      apiKey.slice(0, -1),
      `${apiKey}a`,
      `${apiKey}\n`,
      ` ${apiKey}`,
      apiKey.replace('wv_test', 'wv_demo'),
      apiKey.replace('.', '_'),
      apiKey.replace(/[0-9a-f]{16}/, 'XXXXXXXXXXXXXXXX'),
    ]
    for (const text of other) expect(parseApiKey(text), text).toBeUndefined()
  })
})
