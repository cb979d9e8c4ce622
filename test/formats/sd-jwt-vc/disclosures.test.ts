// Disclosures and embedded digests: each case changes one thing in a good presentation and signs everything
// again.

import { describe, it } from 'vitest'
import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { alter, digestOf, encodeDisclosure, type Parts } from '../../support/people/issuer.ts'
import { expectRefusal } from '../contract.ts'
import { GOOD, HOLDER_KEY, ISSUER_KEY, verifyGood } from './good.ts'

type Json = Record<string, unknown>
type Alterable = Parts & { payload: Json; header: Json }
type Case = readonly [string, (parts: Alterable) => void, PresentationRefusal]

const KEYS = { issuer: ISSUER_KEY, holder: HOLDER_KEY }
const altered = (change: (parts: Alterable) => void) => alter(GOOD, KEYS, change)

/** Discloses these elements as a member of the top level, or of another object of the payload. */
const disclose =
  (elements: readonly unknown[] | string, objectOf = ({ payload }: Alterable): Json => payload) =>
  (parts: Alterable) => {
    const disclosure = encodeDisclosure(elements)
    const object = objectOf(parts)
    parts.disclosures.push(disclosure)
    object._sd = [...((object._sd as string[] | undefined) ?? []), digestOf(disclosure)]
  }
/** Discloses these elements as an element of a new array. */
const discloseElement = (elements: readonly unknown[]) => (parts: Alterable) => {
  const disclosure = encodeDisclosure(elements)
  parts.disclosures.push(disclosure)
  parts.payload.list = ['first', { '...': digestOf(disclosure) }, 'last']
}
const add = (claims: Json) => (parts: Alterable) => void Object.assign(parts.payload, claims)
const inCnf = ({ payload }: Alterable) => payload.cnf as Json
const inNew =
  (name: string) =>
  ({ payload }: Alterable) => {
    payload[name] = {}
    return payload[name] as Json
  }

const malformed = { reason: 'malformed_disclosure' } as const
const forbidden = { reason: 'forbidden_disclosure' } as const
const unreferenced = { reason: 'unreferenced_disclosure' } as const
const duplicate = { reason: 'duplicate_digest' } as const
const unsupportedHash = { reason: 'unsupported_hash_algorithm' } as const
const invalid = (claim: string) => ({ reason: 'invalid_claim', claim }) as const
const S = 'c2FsdHNhbHRzYWx0c2FsdA'

const SHAPES: readonly Case[] = [
  ['that is no list', disclose('{"a":1}'), malformed],
  ['that is a string', disclose('"abc"'), malformed],
  ['that is null', disclose('null'), malformed],
  ['that is not JSON', disclose(`["${S}","x",1`), malformed],
  ['with text after it', disclose(`["${S}","x",1] 1`), malformed],
  ['that is empty', disclose('[]'), malformed],
  ['of one element', disclose([S]), malformed],
  ['of four elements', disclose([S, 'x', 1, 2]), malformed],
  ['with a number for salt', disclose([1, 'x', 1]), malformed],
  ['with null for salt', disclose([null, 'x', 1]), malformed],
  ['with a number for name', disclose([S, 1, 1]), malformed],
  ['with null for name', disclose([S, null, 1]), malformed],
  ['with a list for name', disclose([S, ['x'], 1]), malformed],
  ['of two elements in an object', disclose([S, 'value']), malformed],
  ['of three elements in an array', discloseElement([S, 'name', 'value']), malformed],
  ['with a member named twice in its value', disclose(`["${S}","x",{"a":1,"a":2}]`), malformed],
  [
    'nested 33 levels deep',
    disclose(`["${S}","x",${'['.repeat(32)}${']'.repeat(32)}]`),
    { reason: 'limit_exceeded' },
  ],
  ['named _sd', disclose([S, '_sd', []]), forbidden],
  ['named `...`', disclose([S, '...', 'x']), forbidden],
  ['named _sd_alg', disclose([S, '_sd_alg', 'sha-512']), forbidden],
  ['named like a claim in the clear', disclose([S, 'nationalities', []]), forbidden],
  ['named like another disclosed claim', disclose([S, 'given_name', 'Max']), forbidden],
  ['holding an _sd that is no list', disclose([S, 'x', { _sd: 'a' }]), invalid('_sd')],
  ['holding an _sd_alg', disclose([S, 'x', { _sd_alg: 'sha-512' }]), invalid('_sd_alg')],
  ['holding a `...` in an object', disclose([S, 'x', { '...': 'a' }]), invalid('...')],
  ...['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status'].map(
    (name): Case => [
      `of the claim ${name}`,
      (parts) => {
        delete parts.payload[name === 'vct' || name === 'iss' ? '' : name]
        disclose([S, name, 'x'])(parts)
      },
      forbidden,
    ],
  ),
  ['of a part of cnf', disclose([S, 'kid', 'x'], inCnf), forbidden],
  ['of a part of cnf.jwk', disclose([S, 'kid', 'x'], (parts) => inCnf(parts).jwk as Json), forbidden],
  ['of a part of status', disclose([S, 'status_list', {}], inNew('status')), forbidden],
  [
    'of a part of an object in a list in cnf',
    disclose([S, 'x', 1], (parts) => {
      const inner = {}
      inCnf(parts).list = [inner]
      return inner
    }),
    forbidden,
  ],
  [
    'of an element of aka_vcts',
    (parts) => {
      const disclosure = encodeDisclosure([S, 'urn:other'])
      parts.disclosures.push(disclosure)
      parts.payload.aka_vcts = [{ '...': digestOf(disclosure) }]
    },
    forbidden,
  ],
]

const DIGESTS: readonly Case[] = [
  ['_sd is a string', add({ _sd: 'x' }), invalid('_sd')],
  ['_sd is an object', add({ _sd: {} }), invalid('_sd')],
  ['_sd holds a number', ({ payload }) => void (payload._sd as unknown[]).push(1), invalid('_sd')],
  ['_sd holds null', ({ payload }) => void (payload._sd as unknown[]).push(null), invalid('_sd')],
  ['a nested _sd is null', add({ x: { y: { _sd: null } } }), invalid('_sd')],
  ['`...` stands in an object', add({ x: { '...': 'a' } }), invalid('...')],
  ['`...` stands at the top level', add({ '...': 'a' }), invalid('...')],
  ['`...` stands beside another member', add({ x: [{ '...': 'a', b: 1 }] }), invalid('...')],
  ['`...` is a number', add({ x: [{ '...': 1 }] }), invalid('...')],
  ['`...` is a list', add({ x: [{ '...': ['a'] }] }), invalid('...')],
  ['_sd_alg stands below the top level', add({ x: { _sd_alg: 'sha-256' } }), invalid('_sd_alg')],
  ['_sd_alg is unknown', add({ _sd_alg: 'md5' }), unsupportedHash],
  ['_sd_alg is in capitals', add({ _sd_alg: 'SHA-256' }), unsupportedHash],
  ['_sd_alg is a truncated hash', add({ _sd_alg: 'sha-256-32' }), unsupportedHash],
  [
    '_sd_alg is the name of a property of every JavaScript object',
    add({ _sd_alg: 'constructor' }),
    unsupportedHash,
  ],
  ['_sd_alg is null', add({ _sd_alg: null }), unsupportedHash],
  ['_sd_alg is a list', add({ _sd_alg: ['sha-256'] }), unsupportedHash],
  ['_sd_alg is not the algorithm of the digests', add({ _sd_alg: 'sha-512' }), unreferenced],
  [
    'a decoy stands twice in _sd',
    ({ payload }) => void (payload._sd as string[]).push('decoy', 'decoy'),
    duplicate,
  ],
  ['a decoy stands in _sd and in an array', add({ x: [{ '...': 'd' }], y: { _sd: ['d'] } }), duplicate],
  [
    'a disclosed digest stands twice',
    ({ payload }) => void (payload._sd as string[]).push(String((payload._sd as string[])[0])),
    duplicate,
  ],
  [
    'a digest stands in the payload and again inside a disclosure',
    (parts) => disclose([S, 'x', { _sd: [(parts.payload._sd as string[])[0]] }])(parts),
    duplicate,
  ],
  [
    'a disclosure is sent twice',
    ({ disclosures }) => void disclosures.push(String(disclosures[0])),
    duplicate,
  ],
  [
    'a disclosure is not referenced',
    ({ disclosures }) => void disclosures.push(encodeDisclosure([S, 'x', 1])),
    unreferenced,
  ],
  [
    'the parent of a disclosure is withheld',
    ({ disclosures }) => withhold(disclosures, '"address"'),
    unreferenced,
  ],
  ['disclosures are sent and _sd is missing', ({ payload }) => void delete payload._sd, unreferenced],
  [
    'a digest is not in canonical base64url',
    (parts) => add({ _sd: (parts.payload._sd as string[]).map((digest) => `${digest}=`) })(parts),
    unreferenced,
  ],
  [
    'a digest is of the decoded disclosure',
    (parts) => {
      const text = JSON.stringify([S, 'x', 1])
      parts.disclosures.push(encodeDisclosure(text))
      ;(parts.payload._sd as string[]).push(digestOf(text))
    },
    unreferenced,
  ],
]

function withhold(disclosures: string[], text: string): void {
  const at = disclosures.findIndex((encoded) => Buffer.from(encoded, 'base64url').toString().includes(text))
  disclosures.splice(at, 1)
}

describe('a disclosure', () => {
  it.each(SHAPES)('%s is refused', async (_, change, refusal) => {
    expectRefusal(await verifyGood(await altered(change)), refusal, 'disclosures')
  })

  it.each([
    ['padding', (text: string) => `${text}=`],
    ['a space in front', (text: string) => ` ${text}`],
    ['a line feed at the end', (text: string) => `${text}\n`],
    ['standard base64', () => '+/+/'],
    ['a length that base64url cannot have', () => 'AAAAA'],
    ['pad bits that are not zero', () => 'Zh'],
    ['bytes that are not UTF-8', () => Buffer.from('["s\xff","x",1]', 'latin1').toString('base64url')],
    ['a byte order mark', () => encodeDisclosure(`\ufeff["${S}","x",1]`)],
  ])('a disclosure with %s is refused, even if the payload has its digest', async (_, change) => {
    const presentation = await altered((parts) => {
      const disclosure = change(encodeDisclosure([S, 'x', 1]))
      parts.disclosures.push(disclosure)
      ;(parts.payload._sd as string[]).push(digestOf(disclosure))
    })
    expectRefusal(await verifyGood(presentation), { reason: 'malformed_disclosure' }, 'disclosures')
  })
})

describe('a payload', () => {
  it.each(DIGESTS)('a payload is refused if %s', async (_, change, refusal) => {
    expectRefusal(await verifyGood(await altered(change)), refusal, 'disclosures')
  })
})
