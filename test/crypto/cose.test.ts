// COSE structures made with node:crypto and a test-side CBOR writer; published structures are in
// test/formats/mdoc.

import { createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeCbor } from '../../src/codec/cbor.ts'
import {
  COSE_SIGNATURE_ALGORITHMS,
  decodeCoseMac0,
  decodeCoseSign1,
  parseCoseKey,
  verifyCoseMac0,
  verifyCoseSign1,
} from '../../src/crypto/cose.ts'
import {
  coseKey,
  encode,
  makeMac0,
  makePrivateKey,
  makeSign1,
  raw,
  type Value,
} from '../formats/mdoc/maker.ts'

const PAYLOAD = new Uint8Array([1, 2, 3])
const MAC_KEY = new Uint8Array(32).fill(9)
const CURVES = {
  '-7': 'P-256',
  '-9': 'P-256',
  '-35': 'P-384',
  '-51': 'P-384',
  '-36': 'P-521',
  '-52': 'P-521',
  '-8': 'Ed25519',
  '-19': 'Ed25519',
} as const

function itemOf(value: Value) {
  const item = decodeCbor(new Uint8Array(encode(value)), { bytes: 10_000, depth: 8, items: 100 })
  if (!item.ok) throw new Error(item.error)
  return item.value
}

function jwkOf(value: Value) {
  const jwk = parseCoseKey(itemOf(value))
  if (jwk === undefined) throw new Error('no key')
  return jwk
}

const headers = (alg: Value) => ({
  protected: new Map<Value, Value>([[1, alg]]),
  unprotected: new Map<Value, Value>(),
})

describe('COSE_Sign1', () => {
  it.each(COSE_SIGNATURE_ALGORITHMS)(
    'COSE_Sign1 with algorithm %i verifies only with its key and over the signed content',
    async (alg) => {
      const key = makePrivateKey(CURVES[String(alg) as keyof typeof CURVES])
      const message = decodeCoseSign1(itemOf(makeSign1(headers(alg), PAYLOAD, { key, alg })))
      if (!message.ok) throw new Error(message.error)
      const jwk = jwkOf(coseKey(key))
      expect(await verifyCoseSign1(message.value, PAYLOAD, jwk)).toBe(true)
      expect(await verifyCoseSign1(message.value, Uint8Array.of(1, 2, 4), jwk)).toBe(false)
      const other = makePrivateKey(alg === -7 ? 'P-384' : 'P-256')
      expect(await verifyCoseSign1(message.value, PAYLOAD, jwkOf(coseKey(other)))).toBe(false)
    },
  )

  it.each<readonly [string, Value, string]>([
    ['a value that is no array', {}, 'malformed'],
    ['only three members', [encode(new Map([[1, -7]])), {}, null], 'malformed'],
    ['a protected header that is no byte string', [{}, {}, null, PAYLOAD], 'malformed'],
    ['a protected header that is no map', [encode([]), {}, null, PAYLOAD], 'malformed'],
    ['a protected header with a byte after it', [raw('44a1012600'), {}, null, PAYLOAD], 'malformed'],
    ['an empty protected header', [new Uint8Array(), {}, null, PAYLOAD], 'malformed'],
    ['an unprotected header that is no map', [encode(new Map([[1, -7]])), [], null, PAYLOAD], 'malformed'],
    ['a payload that is text', [encode(new Map([[1, -7]])), {}, 'x', PAYLOAD], 'malformed'],
    ['an undefined payload', [encode(new Map([[1, -7]])), {}, undefined, PAYLOAD], 'malformed'],
    ['a signature that is null', [encode(new Map([[1, -7]])), {}, null, null], 'malformed'],
    ['a label in both headers', [encode(new Map([[1, -7]])), new Map([[1, -7]]), null, PAYLOAD], 'malformed'],
    ['RS256', [encode(new Map([[1, -257]])), {}, null, PAYLOAD], 'unsupported_algorithm'],
    ['an algorithm for MACs', [encode(new Map([[1, 5]])), {}, null, PAYLOAD], 'unsupported_algorithm'],
    [
      'crit in an unprotected header',
      [encode(new Map([[1, -7]])), new Map([[2, [1]]]), null, PAYLOAD],
      'unsupported_critical_header',
    ],
  ])('COSE_Sign1 with %s is rejected', (_, value, fault) => {
    expect(decodeCoseSign1(itemOf(value))).toEqual({ ok: false, error: fault })
  })
})

describe('COSE_Mac0', () => {
  it('verifies only with its key and over the authenticated content', async () => {
    const message = decodeCoseMac0(itemOf(makeMac0(headers(5), PAYLOAD, MAC_KEY)))
    if (!message.ok) throw new Error(message.error)
    expect(await verifyCoseMac0(message.value, PAYLOAD, MAC_KEY)).toBe(true)
    expect(await verifyCoseMac0(message.value, Uint8Array.of(1), MAC_KEY)).toBe(false)
    expect(await verifyCoseMac0(message.value, PAYLOAD, new Uint8Array(32))).toBe(false)
  })

  it.each([4, 6, 7, -7, 'HS256'])('COSE_Mac0 with algorithm %s is rejected', (alg) => {
    expect(decodeCoseMac0(itemOf(makeMac0(headers(alg), PAYLOAD, MAC_KEY)))).toEqual({
      ok: false,
      error: 'unsupported_algorithm',
    })
  })
})

describe('COSE_Key', () => {
  it.each(['P-256', 'P-384', 'P-521', 'Ed25519'] as const)(
    'a COSE_Key of %s is parsed to the JWK of the same key',
    (curve) => {
      const key = makePrivateKey(curve)
      expect(parseCoseKey(itemOf(coseKey(key)))).toEqual(createPublicKey(key).export({ format: 'jwk' }))
    },
  )

  it.each<readonly [string, number, Value]>([
    ['a symmetric key', 1, 4],
    ['an octet key pair on P-256', 1, 1],
    ['an unknown curve', -1, 8],
    ['a short coordinate', -2, new Uint8Array(31)],
    ['a compressed point', -3, true],
  ])('COSE_Key with %s is rejected', (_, label, value) => {
    expect(parseCoseKey(itemOf(coseKey(makePrivateKey('P-256')).set(label, value)))).toBeUndefined()
  })
})
