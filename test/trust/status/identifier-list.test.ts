// Identifier lists (ISO/IEC 18013-5 second edition §12.3.6). cborg encodes them and node:crypto signs them.

import { createPrivateKey, sign } from 'node:crypto'
import { encode, Tagged } from 'cborg'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { decodeCbor } from '../../../src/codec/cbor.ts'
import { IDENTIFIER_LIST, STATUS_LIST } from '../../../src/limits.ts'
import type { StatusContext } from '../../../src/trust/status/status-context.ts'
import { checkStatuses, parseStatusElement } from '../../../src/trust/status/status-list.ts'
import { NOW } from '../fixtures.ts'
import { context, keys, makeCwt, web, word } from './status-fixtures.ts'

const URI = 'https://status.example/identifiers/1'
const STATUS_URI = 'https://status.example/lists/1'
const TYP = 'application/identifierlist+cwt'
const REVOKED = Uint8Array.of(4, 5, 6)
const VALID = Uint8Array.of(1, 2, 3)

type Claims = Map<number, unknown>

/** A list in which one byte string is revoked. Each change edits one part. */
async function makeList(
  changes: {
    readonly claims?: (claims: Claims) => void
    readonly header?: (header: Claims) => void
    readonly identifiers?: ReadonlyMap<unknown, unknown>
    readonly key?: CryptoKey
    readonly tag?: number
  } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const header: Claims = new Map<number, unknown>([
    [1, -7],
    [16, TYP],
  ])
  const identifiers = changes.identifiers ?? new Map([[REVOKED, {}]])
  const claims: Claims = new Map<number, unknown>([
    [2, URI],
    [4, NOW + 1000],
    [6, NOW - 100],
    [65530, { identifiers, aggregation_uri: 'https://status.example/all' }],
  ])
  changes.header?.(header)
  changes.claims?.(claims)
  const [protectedHeader, payload] = [encode(header), encode(claims)]
  const jwk = await exportJWK(changes.key ?? keys.privateKey)
  const key = createPrivateKey({ key: jwk, format: 'jwk' } as never)
  const signed = encode(['Signature1', protectedHeader, new Uint8Array(), payload])
  const signature = new Uint8Array(sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }))
  const message = [protectedHeader, new Map(), payload, signature]
  return new Uint8Array(encode(new Tagged(changes.tag ?? 18, message)))
}

/** The status of an MSO with this `status` element, if the addresses have these lists. */
async function statusOf(
  element: object,
  lists: Readonly<Record<string, Uint8Array<ArrayBuffer>>>,
  changes: Partial<StatusContext> = {},
): Promise<string> {
  const item = decodeCbor(new Uint8Array(encode(element)), { bytes: 4096, depth: 6, items: 64 })
  if (!item.ok) throw new Error(item.error)
  const references = parseStatusElement(item.value)
  if (!references.ok) return references.error
  const fetchResource: StatusContext['fetchResource'] = async (request) =>
    web(async () => lists[request.url] ?? { fault: 'unavailable' }).fetchResource(request)
  return word(await checkStatuses(references.value, context({ fetchResource, ...changes })))
}

const identifierList = (id: unknown, uri = URI) => ({ identifier_list: { id, uri } })

/** The status of an identifier that is not in the list, as this list says. */
async function judged(list: Uint8Array<ArrayBuffer>, id: unknown = VALID, now = NOW): Promise<string> {
  return statusOf(identifierList(id), { [URI]: list }, { now })
}

describe('an identifier list', () => {
  it('revokes a credential whose identifier is in it, and no other credential', async () => {
    const list = await makeList()
    expect(await judged(list, REVOKED)).toBe('invalid')
    expect(await judged(list, VALID)).toBe('valid')
    expect(await judged(list, Uint8Array.of(4, 5))).toBe('valid')
  })

  it('revokes no credential if it is empty', async () => {
    expect(await judged(await makeList({ identifiers: new Map() }))).toBe('valid')
  })

  it('may have typ in the claims only, or in both the claims and the header', async () => {
    const inClaims = await makeList({ header: (h) => h.delete(16), claims: (claims) => claims.set(16, TYP) })
    expect(await judged(inClaims)).toBe('valid')
    expect(await judged(await makeList({ claims: (claims) => claims.set(16, TYP) }))).toBe('valid')
  })

  it('may have no sub and no iat, and may have details of a revocation', async () => {
    const identifiers = new Map([[REVOKED, { reason: 'stolen', at: 1 }]])
    const list = await makeList({
      identifiers,
      claims: (claims) => {
        claims.delete(2)
        claims.delete(6)
      },
    })
    expect([await judged(list), await judged(list, REVOKED)]).toEqual(['valid', 'invalid'])
  })

  it('compares a text identifier only with text identifiers, and a byte string only with byte strings', async () => {
    const bytes = await makeList({ identifiers: new Map([[new TextEncoder().encode('450'), {}]]) })
    expect(await judged(bytes, '450')).toBe('another_identifier_type')
    const text = await makeList({ identifiers: new Map([['450', {}]]) })
    expect([await judged(text, '450'), await judged(text, '451')]).toEqual(['invalid', 'valid'])
    expect(await judged(text, VALID)).toBe('another_identifier_type')
    expect(await judged(await makeList({ identifiers: new Map() }), '450')).toBe('another_identifier_type')
    const both = new Map<unknown, unknown>([
      ['450', {}],
      [REVOKED, {}],
    ])
    const mixed = await makeList({ identifiers: both })
    const statuses = ['450', '451', REVOKED, VALID].map((id) => judged(mixed, id))
    expect(await Promise.all(statuses)).toEqual(['invalid', 'valid', 'invalid', 'valid'])
  })

  it.each<[string, (claims: Claims) => void, string]>([
    ['no exp', (claims) => claims.delete(4), 'invalid_claim'],
    ['an exp of text', (claims) => claims.set(4, 'tomorrow'), 'invalid_claim'],
    ['an exp that has passed', (claims) => claims.set(4, NOW), 'expired'],
    ['an iat in the future', (claims) => claims.set(6, NOW + 100), 'not_yet_valid'],
    ['an nbf in the future', (claims) => claims.set(5, NOW + 100), 'not_yet_valid'],
    ['the address of another list', (claims) => claims.set(2, `${URI}2`), 'another_list'],
    ['a sub that is no text', (claims) => claims.set(2, 1), 'invalid_claim'],
    ['a ttl of 0', (claims) => claims.set(65534, 0), 'invalid_claim'],
    ['a status list', (claims) => claims.set(65533, {}), 'invalid_claim'],
    ['no identifier list', (claims) => claims.delete(65530), 'invalid_claim'],
    ['identifiers that are no map', (claims) => claims.set(65530, { identifiers: [] }), 'invalid_claim'],
    [
      'another typ in the claims',
      (claims) => claims.set(16, 'application/statuslist+cwt'),
      'wrong_token_type',
    ],
  ])('is rejected with %s', async (_, claims, error) => {
    expect(await judged(await makeList({ claims }))).toBe(error)
  })

  it.each<[string, Parameters<typeof makeList>[0], string]>([
    ['no typ', { header: (header) => header.delete(16) }, 'wrong_token_type'],
    [
      'the typ of a status list',
      { header: (h) => h.set(16, 'application/statuslist+cwt') },
      'wrong_token_type',
    ],
    ['another tag', { tag: 61 }, 'malformed_token'],
    ['an identifier that is a number', { identifiers: new Map([[1, {}]]) }, 'invalid_claim'],
    [
      'an identifier that is too long',
      { identifiers: new Map([[new Uint8Array(IDENTIFIER_LIST.identifierBytes), {}]]) },
      'invalid_claim',
    ],
  ])('is rejected with %s', async (_, changes, error) => {
    expect(await judged(await makeList(changes))).toBe(error)
  })

  it('is rejected if an unknown key signed it, or if one bit is changed', async () => {
    const stranger = await generateKeyPair('ES256', { extractable: true })
    expect(await judged(await makeList({ key: stranger.privateKey }))).toBe('invalid_signature')
    const list = await makeList()
    for (let i = 0; i < list.length; i++) {
      const changed = list.slice()
      changed[i] = (changed[i] ?? 0) ^ 1
      expect(['valid', 'invalid'], `byte ${i}`).not.toContain(await judged(changed))
    }
  })

  it('is rejected as too large if it has too many identifiers or too many bytes', async () => {
    const many = new Map(Array.from({ length: IDENTIFIER_LIST.items / 2 }, (_, i) => [`${i}`, 0]))
    expect(await judged(await makeList({ identifiers: many }))).toBe('too_large')
    const filler = await makeList({
      claims: (claims) => claims.set(9, new Uint8Array(STATUS_LIST.tokenBytes)),
    })
    expect(await judged(filler)).toBe('too_large')
  })

  it('an identifier list with 30,000 identifiers is read', async () => {
    const many = new Map(Array.from({ length: 30_000 }, (_, i) => [`${i}`, {}]))
    const list = await makeList({ identifiers: many })
    expect([await judged(list, '29999'), await judged(list, '30000')]).toEqual(['invalid', 'valid'])
  })

  it('is rejected if the credential refers to a status list, and vice versa', async () => {
    const index = { status_list: { idx: 0, uri: URI } }
    expect(await statusOf(index, { [URI]: await makeList() })).toBe('wrong_token_type')
    expect(await statusOf(identifierList(VALID), { [URI]: await makeCwt() })).toBe('wrong_token_type')
  })

  it('makes the status unknown if it cannot be fetched', async () => {
    expect(await statusOf(identifierList(VALID), {})).toBe('not_fetched')
  })
})

describe('an MSO with a status element', () => {
  // The entries of the status list: 0 is revoked, 1 suspended, 2 valid.
  it.each<[string, number, Uint8Array, string]>([
    ['is valid if both lists say so', 2, VALID, 'valid'],
    ['is revoked if only its identifier is revoked', 2, REVOKED, 'invalid'],
    ['is revoked if only its index is revoked', 0, VALID, 'invalid'],
    ['is suspended if only its index is suspended', 1, VALID, 'suspended'],
  ])('an MSO with a status list and an identifier list %s', async (_, idx, id, status) => {
    const element = { status_list: { idx, uri: STATUS_URI }, ...identifierList(id) }
    expect(await statusOf(element, { [URI]: await makeList(), [STATUS_URI]: await makeCwt() })).toBe(status)
  })

  it.each<[string, number, Uint8Array, string[], string]>([
    ['is unknown if the status list is unavailable', 2, VALID, [URI], 'not_fetched'],
    ['is unknown if the identifier list is unavailable', 2, VALID, [STATUS_URI], 'not_fetched'],
    ['is revoked by its index if the identifier list is unavailable', 0, VALID, [STATUS_URI], 'invalid'],
    ['is revoked by its identifier if the status list is unavailable', 2, REVOKED, [URI], 'invalid'],
  ])('an MSO with a status list and an identifier list %s', async (_, idx, id, available, status) => {
    const all = { [URI]: await makeList(), [STATUS_URI]: await makeCwt() }
    const lists = Object.fromEntries(Object.entries(all).filter(([uri]) => available.includes(uri)))
    const element = { status_list: { idx, uri: STATUS_URI }, ...identifierList(id) }
    expect(await statusOf(element, lists)).toBe(status)
  })

  it.each<[string, object]>([
    ['a number as identifier', identifierList(450)],
    ['no identifier', { identifier_list: { uri: URI } }],
    ['no address', { identifier_list: { id: VALID } }],
    ['an address that is too long', identifierList(VALID, `https://x.example/${'x'.repeat(2048)}`)],
    ['an identifier that is too long', identifierList(new Uint8Array(IDENTIFIER_LIST.identifierBytes))],
    [
      'an unreadable status list beside a good identifier list',
      { status_list: {}, ...identifierList(VALID) },
    ],
    [
      'an unreadable identifier list beside a good status list',
      { status_list: { idx: 2, uri: STATUS_URI }, identifier_list: {} },
    ],
    ['neither list', { other: {} }],
  ])('has an unknown status with %s', async (_, element) => {
    const lists = { [URI]: await makeList(), [STATUS_URI]: await makeCwt() }
    expect(await statusOf(element, lists)).toBe('unsupported_mechanism')
  })
})
