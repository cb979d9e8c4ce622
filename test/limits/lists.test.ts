import { deflateSync, gzipSync } from 'node:zlib'
import { encode, Tagged } from 'cborg'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { decodeBitstringStatusList } from '../../src/trust/status/bitstring-status-token.ts'
import { decodeStatusListCwt } from '../../src/trust/status/status-cwt.ts'
import { inflateStatusList, readStatus } from '../../src/trust/status/status-inflate.ts'
import { decodeStatusListJwt } from '../../src/trust/status/status-jwt.ts'
import { goodClaims, keys } from '../trust/status/status-fixtures.ts'
import { effortOf } from './effort.ts'
import { changed, noise, RUNS } from './generators.ts'

const FAULTS = [
  'too_large',
  'malformed_token',
  'wrong_token_type',
  'unsupported_algorithm',
  'unsupported_critical_header',
  'invalid_claim',
  'malformed_list',
  'index_out_of_range',
]

const JWT = await new SignJWT(goodClaims)
  .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt' })
  .sign(keys.privateKey)

const VC = await new SignJWT({
  type: ['VerifiableCredential', 'BitstringStatusListCredential'],
  issuer: goodClaims.iss,
  credentialSubject: {
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: `u${gzipSync(Buffer.alloc(16_384)).toString('base64url')}`,
  },
})
  .setProtectedHeader({ alg: 'ES256', typ: 'vc+jwt' })
  .sign(keys.privateKey)

const LIST = deflateSync(Uint8Array.of(0xc9, 0x44, 0xf9))
const CWT = encode(
  new Tagged(18, [
    encode(
      new Map<number, unknown>([
        [1, -7],
        [16, 'application/statuslist+cwt'],
      ]),
    ),
    new Map(),
    encode(
      new Map<number, unknown>([
        [2, goodClaims.sub],
        [6, goodClaims.iat],
        [
          65533,
          new Map<string, unknown>([
            ['bits', 2],
            ['lst', LIST],
          ]),
        ],
      ]),
    ),
    new Uint8Array(64),
  ]),
)

describe('a randomly generated status list token', () => {
  it('a status list token without a change is decoded in every encoding', () => {
    expect(decodeStatusListJwt(Buffer.from(JWT))).toMatchObject({ ok: true })
    expect(decodeStatusListCwt(Uint8Array.from(CWT))).toMatchObject({ ok: true })
    expect(decodeBitstringStatusList(Buffer.from(VC))).toMatchObject({ ok: true })
  })

  it('a randomly generated status list token with a change at any place is decoded or rejected with a typed error, without any cryptography', async () => {
    const input = fc.oneof(noise, changed([Buffer.from(JWT), CWT, Buffer.from(VC)]))
    await fc.assert(
      fc.asyncProperty(input, async (bytes) => {
        for (const decode of [decodeStatusListJwt, decodeStatusListCwt, decodeBitstringStatusList]) {
          const { result, cryptoCalls } = await effortOf(() => decode(bytes))
          expect(cryptoCalls).toBe(0)
          if (!result.ok) expect(FAULTS).toContain(result.error)
        }
      }),
      RUNS,
    )
  })
})

describe.each([
  { layout: 'token', bits: 2, pack: deflateSync },
  { layout: 'bitstring', bits: 1, pack: gzipSync },
] as const)('a randomly generated status list ($layout)', ({ layout, bits, pack }) => {
  it('is inflated within its limit, or rejected with a typed error', async () => {
    const zeros = fc.nat(200_000).map((size) => Uint8Array.from(pack(new Uint8Array(size))))
    const good = [pack(Uint8Array.of(0xc9, 0x44, 0xf9)), pack(Buffer.alloc(50_000, 'status'))]
    const input = fc.oneof(noise, zeros, changed(good))
    const limit = 65_536
    await fc.assert(
      fc.asyncProperty(input, fc.nat(400_000), async (compressed, index) => {
        const measured = inflateStatusList({ layout, bits, compressed }, limit)
        if (measured.ok) expect(measured.value.length).toBeLessThanOrEqual(limit)
        else expect(FAULTS).toContain(measured.error)
        const read = readStatus({ layout, bits, compressed }, index)
        if (!read.ok) expect(FAULTS).toContain(read.error)
      }),
      { numRuns: 100 },
    )
  })
})
