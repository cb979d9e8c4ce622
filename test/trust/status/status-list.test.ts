// Token Status List §5, §6 and §8.3: the published tokens, and one test for each reason to reject a list.

import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { decodeHex, utf8 } from '../../../src/codec/bytes.ts'
import { decodeCbor } from '../../../src/codec/cbor.ts'
import { STATUS_LIST } from '../../../src/limits.ts'
import type { FetchError } from '../../../src/net/guarded-fetch.ts'
import { STATUS_LIST_CWT } from '../../../src/trust/status/status-cwt.ts'
import { STATUS_LIST_JWT } from '../../../src/trust/status/status-jwt.ts'
import { checkStatus, parseStatusClaim, parseStatusElement } from '../../../src/trust/status/status-list.ts'
import vectors from '../../vectors/token-status-list.json' with { type: 'json' }
import { NOW } from '../fixtures.ts'
import {
  type Cbor,
  cbor,
  context,
  deflate,
  type Entries,
  goodClaims,
  jwksAnchor,
  makeCwt,
  makeJwt,
  statusOf,
  URI,
  web,
  word,
} from './status-fixtures.ts'

const FORMS = { jwt: STATUS_LIST_JWT, cwt: STATUS_LIST_CWT }
const good = { jwt: await makeJwt(), cwt: await makeCwt() }
const stranger = await generateKeyPair('ES256', { extractable: true })

describe('the published status list tokens', () => {
  const uri = 'https://example.com/statuslists/1'
  const anchors = [jwksAnchor({ issuer: 'https://example.com', jwks: { keys: [vectors.key] } })]
  const changes = { anchors, now: 1_700_000_000 }
  const published = { jwt: vectors.jwt, cwt: decodeHex(vectors.cwtHex)! }
  // The draft's first example: b9 a3, one bit an entry.
  const statuses = [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]

  it.each(['jwt', 'cwt'] as const)('verify with the published key: %s', async (form) => {
    const found = statuses.map((_, index) => statusOf(published[form], { uri, index }, changes))
    expect(await Promise.all(found)).toEqual(statuses.map((status) => (status ? 'invalid' : 'valid')))
    expect(await statusOf(published[form], { uri, index: 16 }, changes)).toBe('index_out_of_range')
  })

  it('give no status if one character of the JWT is changed', async () => {
    for (let i = 0; i < published.jwt.length; i++) {
      const other = published.jwt[i] === 'A' ? 'B' : 'A'
      const changed = published.jwt.slice(0, i) + other + published.jwt.slice(i + 1)
      expect(await isStatus(statusOf(changed, { uri, index: 1 }, changes))).toBe(false)
    }
  })

  it('give no status if one byte of the CWT is changed', async () => {
    // The kid is neither signed nor required: it only selects among the anchor's keys.
    const kid = vectors.cwtHex.indexOf('a104423132') / 2
    for (let i = 0; i < published.cwt.length; i++) {
      if (i >= kid && i < kid + 5) continue
      const changed = published.cwt.slice()
      changed[i]! ^= 1
      expect([i, await isStatus(statusOf(changed, { uri, index: 1 }, changes))]).toEqual([i, false])
    }
  })
})

async function isStatus(found: Promise<string>): Promise<boolean> {
  return ['valid', 'invalid', 'suspended', 'other'].includes(await found)
}

describe('a good status list', () => {
  it.each(['jwt', 'cwt'] as const)('gives each status that its entries have: %s', async (form) => {
    const expected = ['invalid', 'suspended', 'valid', 'other', 'valid', 'invalid']
    const found = expected.map((_, index) => statusOf(good[form], { index }))
    expect(await Promise.all(found)).toEqual(expected)
  })

  it.each(['jwt', 'cwt'] as const)('gives no status for an index after its last entry: %s', async (form) => {
    expect(await statusOf(good[form], { index: 11 })).toBe('other')
    expect(await statusOf(good[form], { index: 12 })).toBe('index_out_of_range')
  })

  it('needs neither `exp` nor `ttl` nor `iss`', async () => {
    expect(await statusOf(await makeJwt({ exp: undefined, ttl: undefined, iss: undefined }))).toBe('valid')
    // Biome-ignore format: entries
    expect(
      await statusOf(
        await makeCwt({
          claims: [
            [4, undefined],
            [65534, undefined],
          ],
        }),
      ),
    ).toBe('valid')
  })

  it('is requested as a JWT or as a CWT, according to the credential’s format', async () => {
    for (const form of ['jwt', 'cwt'] as const) {
      const { fetchResource, asked } = web(async () => good[form])
      await checkStatus({ uri: URI, index: 2, form: FORMS[form] }, context({ fetchResource }))
      const accept = `application/statuslist+${form}`
      expect(asked).toEqual([{ url: URI, accept, limit: STATUS_LIST.tokenBytes }])
    }
  })

  it('is rejected if a JWT is expected and a CWT is received, or a CWT is expected and a JWT is received', async () => {
    expect(await statusOf(good.jwt, { form: STATUS_LIST_CWT })).toBe('malformed_token')
    expect(await statusOf(good.cwt, { form: STATUS_LIST_JWT })).toBe('malformed_token')
  })
})

const list = goodClaims.status_list
const bomb = deflate(new Uint8Array(64 * 1_048_576))

describe('a status list as a JWT', () => {
  it.each<[string, object, object, string]>([
    ['no `typ`', {}, { typ: undefined }, 'wrong_token_type'],
    ['the `typ` of another token', {}, { typ: 'JWT' }, 'wrong_token_type'],
    ['no `sub`', { sub: undefined }, {}, 'invalid_claim'],
    ['the address of another list', { sub: `${URI}/` }, {}, 'another_list'],
    ['no `iat`', { iat: undefined }, {}, 'invalid_claim'],
    ['a text for `iat`', { iat: `${NOW}` }, {}, 'invalid_claim'],
    ['an `iat` in the future', { iat: NOW + 61 }, {}, 'not_yet_valid'],
    ['an `nbf` in the future', { nbf: NOW + 61 }, {}, 'not_yet_valid'],
    ['a text for `nbf`', { nbf: 'now' }, {}, 'invalid_claim'],
    ['an `exp` that is now', { exp: NOW }, {}, 'expired'],
    ['a text for `exp`', { exp: `${NOW + 1000}` }, {}, 'invalid_claim'],
    ['a `ttl` of 0', { ttl: 0 }, {}, 'invalid_claim'],
    ['a negative `ttl`', { ttl: -1 }, {}, 'invalid_claim'],
    ['a text for `ttl`', { ttl: '600' }, {}, 'invalid_claim'],
    ['a number for `iss`', { iss: 1 }, {}, 'invalid_claim'],
    ['no `status_list`', { status_list: undefined }, {}, 'invalid_claim'],
    ['a `status_list` that is no object', { status_list: [list] }, {}, 'invalid_claim'],
    ['no `bits`', { status_list: { lst: list.lst } }, {}, 'invalid_claim'],
    ['3 bits per entry', { status_list: { ...list, bits: 3 } }, {}, 'invalid_claim'],
    ['16 bits per entry', { status_list: { ...list, bits: 16 } }, {}, 'invalid_claim'],
    ['a text for `bits`', { status_list: { ...list, bits: '2' } }, {}, 'invalid_claim'],
    ['no `lst`', { status_list: { bits: 2 } }, {}, 'invalid_claim'],
    ['a padded `lst`', { status_list: { ...list, lst: `${list.lst}=` } }, {}, 'invalid_claim'],
    ['a `lst` that is not zlib', { status_list: { bits: 2, lst: 'AAAA' } }, {}, 'malformed_list'],
    [
      'a `lst` that inflates to 64 MiB',
      { status_list: { bits: 2, lst: encodeBase64url(bomb) } },
      {},
      'too_large',
    ],
    ['claims nested too deep', { a: [[[[[[[[0]]]]]]]] }, {}, 'too_large'],
    ['an empty `x5c`', {}, { x5c: [] }, 'malformed_token'],
    ['an `x5c` that is not base64', {}, { x5c: ['-_-_'] }, 'malformed_token'],
    ['a number for `kid`', {}, { kid: 1 }, 'malformed_token'],
  ])('a status list as a JWT with %s is rejected', async (_, claims, header, cause) => {
    expect(await statusOf(await makeJwt(claims, header))).toBe(cause)
  })

  it('is accepted with an `iat` one minute in the future', async () => {
    expect(await statusOf(await makeJwt({ iat: NOW + 60 }))).toBe('valid')
  })

  it.each([
    [{ alg: 'none', typ: 'statuslist+jwt' }, 'unsupported_algorithm'],
    [{ alg: 'HS256', typ: 'statuslist+jwt' }, 'unsupported_algorithm'],
    [{ alg: 'ES256', typ: 'statuslist+jwt', crit: ['a'], a: 1 }, 'unsupported_critical_header'],
  ])('a status list as a JWT with the header %j is rejected', async (header, cause) => {
    const [, payload, signature] = good.jwt.split('.')
    const encoded = encodeBase64url(utf8(JSON.stringify(header)))
    expect(await statusOf(`${encoded}.${payload}.${signature}`)).toBe(cause)
  })

  it('is rejected if another key signed it', async () => {
    expect(await statusOf(await makeJwt({}, {}, stranger.privateKey))).toBe('invalid_signature')
  })

  it('is rejected if it is not UTF-8 or if it is too large', async () => {
    expect(await statusOf(Uint8Array.of(0xff), { form: STATUS_LIST_JWT })).toBe('malformed_token')
    const large = 'a'.repeat(STATUS_LIST.tokenBytes + 1)
    expect(await statusOf(large)).toBe('too_large')
  })
})

describe('a status list as a CWT', () => {
  const cases: readonly [string, Parameters<typeof makeCwt>[0], string][] = [
    ['without its tag', { tag: 17 }, 'malformed_token'],
    ['without a type', { header: [[16, undefined]] }, 'wrong_token_type'],
    ['of another type', { header: [[16, 'application/cwt']] }, 'wrong_token_type'],
    [
      'with its type in the unprotected header',
      { header: [[16, undefined]], unprotected: [[16, 'application/statuslist+cwt']] },
      'wrong_token_type',
    ],
    ['without an algorithm', { header: [[1, undefined]] }, 'unsupported_algorithm'],
    ['with a MAC', { header: [[1, 5]] }, 'unsupported_algorithm'],
    ['with its algorithm in the unprotected header', { header: [[1, undefined]], unprotected: [[1, -7]] }, 'unsupported_algorithm'],
    ['with a critical header', { header: [[2, [99]], [99, 1]] }, 'unsupported_critical_header'],
    ['with one label in both headers', { header: [[4, utf8('a')]], unprotected: [[4, utf8('b')]] }, 'malformed_token'],
    ['with a text for kid', { unprotected: [[4, 'a']] }, 'malformed_token'],
    ['with an empty x5chain', { unprotected: [[33, []]] }, 'malformed_token'],
    ['with an x5chain of text', { unprotected: [[33, 'a']] }, 'malformed_token'],
    ['without sub', { claims: [[2, undefined]] }, 'invalid_claim'],
    ['with the address of another list', { claims: [[2, `${URI}/`]] }, 'another_list'],
    ['without iat', { claims: [[6, undefined]] }, 'invalid_claim'],
    ['with a text for iat', { claims: [[6, '1']] }, 'invalid_claim'],
    ['with an iat in the future', { claims: [[6, NOW + 61]] }, 'not_yet_valid'],
    ['with an nbf in the future', { claims: [[5, NOW + 61]] }, 'not_yet_valid'],
    ['with an exp that is now', { claims: [[4, NOW]] }, 'expired'],
    ['with a text for exp', { claims: [[4, '1']] }, 'invalid_claim'],
    ['with a ttl of 0', { claims: [[65534, 0]] }, 'invalid_claim'],
    ['with a number for iss', { claims: [[1, 1]] }, 'invalid_claim'],
    ['without a list', { claims: [[65533, undefined]] }, 'invalid_claim'],
    ['of 3 bits per entry', { list: [['bits', 3]] }, 'invalid_claim'],
    ['without lst', { list: [['lst', undefined]] }, 'invalid_claim'],
    ['with a text for lst', { list: [['lst', list.lst]] }, 'invalid_claim'],
    ['that is not zlib', { list: [['lst', utf8('abc')]] }, 'malformed_list'],
    ['that inflates to 64 MiB', { list: [['lst', bomb]] }, 'too_large'],
  ] // biome-ignore format: a table
  it.each(cases)('is rejected %s', async (_, changes, cause) => {
    expect(await statusOf(await makeCwt(changes))).toBe(cause)
  })

  it('is rejected if another key signed it', async () => {
    expect(await statusOf(await makeCwt({}, stranger.privateKey))).toBe('invalid_signature')
  })

  it('is rejected if bytes follow it', async () => {
    expect(await statusOf(Uint8Array.of(...good.cwt, 0))).toBe('malformed_token')
  })
})

describe('an unavailable status list', () => {
  it.each<[FetchError, string]>([
    ['unavailable', 'not_fetched'],
    ['forbidden', 'address_forbidden'],
    ['too_large', 'too_large'],
  ])('gives no status if the fetch fails with “%s”', async (fault, cause) => {
    const { fetchResource } = web(async () => ({ fault }))
    const found = await checkStatus({ uri: URI, index: 2, form: STATUS_LIST_JWT }, context({ fetchResource }))
    expect(found).toEqual({ ok: false, error: cause })
  })
})

describe('a credential with a status element', () => {
  const reference = { uri: URI, idx: 7 }

  it('names its status list and its index', () => {
    expect(parseStatusClaim({ status_list: reference })).toEqual({
      ok: true,
      value: [{ uri: URI, index: 7, form: STATUS_LIST_JWT }],
    })
    expect(element([['status_list', new Map<string, Cbor>(Object.entries(reference))]])).toEqual({
      ok: true,
      value: [{ uri: URI, index: 7, form: STATUS_LIST_CWT }],
    })
  })

  it.each([
    null,
    'status_list',
    {},
    { bitstring: reference },
    { status_list: [reference] },
    { status_list: { idx: 7 } },
    { status_list: { ...reference, uri: 1 } },
    { status_list: { ...reference, uri: `https://${'a'.repeat(2048)}` } },
    { status_list: { uri: URI } },
    { status_list: { ...reference, idx: '7' } },
    { status_list: { ...reference, idx: -1 } },
    { status_list: { ...reference, idx: 0.5 } },
    { status_list: { ...reference, idx: 2 ** 53 } },
  ])('has no status if its status element is malformed or has an unsupported mechanism', (status) => {
    expect(word(parseStatusClaim(status) as never)).toBe('unsupported_mechanism')
  })

  it.each<[string, Entries]>([
    ['no members', []],
    ['another mechanism', [['identifier_list', new Map([['uri', URI]])]]],
    ['no index', [['status_list', new Map([['uri', URI]])]]],
    // Biome-ignore format: a table
    [
      'a negative index',
      [
        [
          'status_list',
          new Map<string, Cbor>([
            ['idx', -1],
            ['uri', URI],
          ]),
        ],
      ],
    ],
    // Biome-ignore format: a table
    [
      'a number as uri',
      [
        [
          'status_list',
          new Map<string, Cbor>([
            ['idx', 1],
            ['uri', 1],
          ]),
        ],
      ],
    ],
  ])('has no status if its status element has %s', (_, entries) => {
    expect(word(element(entries) as never)).toBe('unsupported_mechanism')
  })

  function element(entries: Entries) {
    const item = decodeCbor(cbor(new Map(entries as [string, Cbor][])), { bytes: 4096, depth: 4, items: 16 })
    if (!item.ok) throw new Error(item.error)
    return parseStatusElement(item.value)
  }
})
