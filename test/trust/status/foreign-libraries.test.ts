// The lists of our tests, read by other libraries: jose for JWTs, cborg and node:crypto for CWTs. The
// published CWT and our own give the same results in both.

import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { decode, encode, Tagged } from 'cborg'
import { importJWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { decodeHex } from '../../../src/codec/bytes.ts'
import vectors from '../../vectors/token-status-list.json' with { type: 'json' }
import { LIST, makeCwt, makeJwt, publicJwk, statusOf, URI } from './status-fixtures.ts'

/** The header and the claims of a verified COSE_Sign1 (RFC 9052 §4.2), as cborg and node:crypto read it. */
function verifyForeignCwt(token: Uint8Array, jwk: object) {
  const options = { useMaps: true, tags: { 18: Tagged.decoder(18) } }
  const { value } = decode(token, options) as { value: [Uint8Array, unknown, Uint8Array, Uint8Array] }
  const [header, , payload, signature] = value
  const signed = encode(['Signature1', header, new Uint8Array(), payload])
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const verifies = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
  const maps = { useMaps: true }
  const claims = decode(payload, maps) as Map<number, unknown>
  return { verifies, header: decode(header, maps) as Map<number, unknown>, claims }
}

/** Entry by entry, lowest bits first. */
function entriesOf(list: Map<string, unknown>): readonly number[] {
  const bits = list.get('bits') as number
  const bytes = inflateSync(list.get('lst') as Uint8Array)
  return [...bytes].flatMap((byte) =>
    Array.from({ length: 8 / bits }, (_, i) => (byte >> (i * bits)) & (2 ** bits - 1)),
  )
}

const WORDS = ['valid', 'invalid', 'suspended', 'other']

describe('a CWT list', () => {
  it('a CWT list that our tests make has the same statuses when cborg and node:crypto read it', async () => {
    const token = await makeCwt()
    const { verifies, header, claims } = verifyForeignCwt(token, publicJwk)
    expect(verifies).toBe(true)
    expect([header.get(1), header.get(16)]).toEqual([-7, 'application/statuslist+cwt'])
    expect(claims.get(2)).toBe(URI)
    const entries = entriesOf(claims.get(65533) as Map<string, unknown>)
    for (const [index, entry] of entries.entries())
      expect(await statusOf(token, { index })).toBe(WORDS[entry])
    expect(entries).toHaveLength(12)
  })

  it('a CWT list from the specification has the same statuses when cborg and node:crypto read it', () => {
    const { verifies, claims } = verifyForeignCwt(decodeHex(vectors.cwtHex) ?? new Uint8Array(), vectors.key)
    expect(verifies).toBe(true)
    expect(entriesOf(claims.get(65533) as Map<string, unknown>)).toEqual([
      1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1,
    ])
  })

  it('a CWT list with one changed bit in its signature is rejected by our code and by node:crypto', async () => {
    const token = await makeCwt()
    token.set([(token.at(-1) ?? 0) ^ 1], token.length - 1)
    expect(verifyForeignCwt(token, publicJwk).verifies).toBe(false)
    expect(await statusOf(token)).toBe('invalid_signature')
  })
})

describe('a JWT list', () => {
  it.each([
    ['made by our tests', makeJwt, publicJwk, LIST],
    ['published in the specification', async () => vectors.jwt, vectors.key, undefined],
  ] as const)('is also accepted by the library jose: %s', async (_, make, jwk, lst) => {
    const options = { typ: 'statuslist+jwt', algorithms: ['ES256'], currentDate: new Date(1_750_000_000_000) }
    const { payload } = await jwtVerify(await make(), await importJWK(jwk, 'ES256'), options)
    const list = payload.status_list as { bits: number; lst: string }
    const encoded = Buffer.from(list.lst, 'base64url')
    if (lst !== undefined) expect(encoded).toEqual(Buffer.from(lst))
    expect(inflateSync(encoded).length).toBeGreaterThan(0)
  })
})
