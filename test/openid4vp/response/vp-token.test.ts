import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/codec/json.ts'
import type { DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { RESPONSE_LIMIT } from '../../../src/openid4vp/response/response-encryption.ts'
import { parseVpToken } from '../../../src/openid4vp/response/vp-token.ts'

const QUERY: DcqlQuery = {
  credentials: [
    { id: 'one', format: 'dc+sd-jwt', meta: {} },
    { id: 'many', format: 'dc+sd-jwt', meta: {}, multiple: true },
    { id: 'more', format: 'dc+sd-jwt', meta: {}, multiple: true },
    { id: 'most', format: 'dc+sd-jwt', meta: {}, multiple: true },
  ],
}

describe('a VP Token', () => {
  it('contains its presentations, as strings or objects, in the order of the query', () => {
    const parsed = parsePlain('{"many":["a",{"b":1}],"one":["c"]}')
    const groups = parsed.ok
      ? parsed.value.map(({ query, presentations }) => [query.id, presentations])
      : parsed
    expect(groups).toEqual([
      ['one', ['c']],
      ['many', ['a', { b: 1 }]],
    ])
  })

  it('has the same presentations as JSON text and in a decrypted response', () => {
    const token = { one: ['c'] }
    expect(parseEncrypted(token)).toEqual(parsePlain(JSON.stringify(token)))
  })

  it.each([
    ['JSON text', '{"one":["c"]}'],
    ['an array', ['c']],
    ['null', null],
  ])('is refused as invalid_vp_token if it is %s in a decrypted response', (_, token) => {
    expect(parseEncrypted(token)).toEqual({ ok: false, error: { reason: 'invalid_vp_token' } })
  })

  it.each<[reason: string, queryId: string | undefined, token: string]>([
    ['invalid_vp_token', undefined, 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln~'],
    ['invalid_vp_token', undefined, '["c"]'],
    ['invalid_vp_token', undefined, '"c"'],
    ['invalid_vp_token', undefined, '{"one":["c"],"one":["d"]}'],
    ['invalid_vp_token', 'one', '{"one":"c"}'],
    ['invalid_vp_token', 'one', '{"one":{"0":"c"}}'],
    ['invalid_vp_token', 'one', '{"one":[1]}'],
    ['invalid_vp_token', 'one', '{"one":[null]}'],
    ['invalid_vp_token', 'many', '{"many":["a",["b"]]}'],
    ['wrong_presentation_count', 'one', '{"one":[]}'],
    ['wrong_presentation_count', 'one', '{"one":["c","d"]}'],
    ['wrong_presentation_count', 'many', '{"many":[]}'],
    ['unknown_credential_query', undefined, '{"one":["c"],"other":["d"]}'],
    ['unknown_credential_query', undefined, '{"__proto__":["d"]}'],
    ['limit_exceeded', 'many', tokenOf({ many: 11 })],
    ['limit_exceeded', undefined, tokenOf({ many: 10, more: 10, one: 1 })],
    ['limit_exceeded', undefined, `{"one":[${'['.repeat(40)}${']'.repeat(40)}]}`],
    ['limit_exceeded', undefined, `{"one":["${'c'.repeat(RESPONSE_LIMIT)}"]}`],
  ])(
    'is refused as %s, and the error names the query %s (undefined: no query): case %#',
    (reason, queryId, token) => {
      const error = queryId === undefined ? { reason } : { reason, queryId }
      expect(parsePlain(token)).toEqual({ ok: false, error })
    },
  )

  it('may have as many presentations as the limits allow', () => {
    expect(parsePlain(tokenOf({ many: 10, more: 10 })).ok).toBe(true)
  })
})

function parsePlain(vpToken: string) {
  return parseVpToken({ vpToken, hasJsonValues: false }, QUERY)
}

function parseEncrypted(vpToken: Json) {
  return parseVpToken({ vpToken, hasJsonValues: true }, QUERY)
}

function tokenOf(counts: Record<string, number>): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(counts).map(([id, count]) => [id, Array(count).fill('p')])),
  )
}
