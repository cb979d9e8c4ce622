import { encode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex } from '../../src/codec/bytes.ts'
import { type CborItem, decodeCbor } from '../../src/codec/cbor.ts'
import { decodeCoseMac0, decodeCoseSign1, parseCoseKey } from '../../src/crypto/cose.ts'
import annexD from '../vectors/iso18013-5-annexD.json' with { type: 'json' }
import { effortOf } from './effort.ts'
import { changed, noise, RUNS } from './generators.ts'

const FAULTS = ['too_large', 'too_deep', 'too_many_items', 'malformed', 'duplicate_key']
const COSE_FAULTS = ['malformed', 'unsupported_algorithm', 'unsupported_critical_header']

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.string(),
    fc.uint8Array({ maxLength: 40 }),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true }),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 6 }),
  ),
})).value

const RESPONSE = decodeHex(annexD.ISO_18013_5_ANNEX_D_DEVICE_RESPONSE) ?? new Uint8Array()
/** Small ones, so that generated input reaches each of them. */
const LIMITS = { bytes: 4096, depth: 6, items: 64 }

function measure(item: CborItem): { readonly items: number; readonly depth: number } {
  const children =
    item.type === 'array'
      ? item.items
      : item.type === 'map'
        ? item.entries.flatMap(({ key, value: inner }) => [key, inner])
        : item.type === 'tag'
          ? [item.content]
          : []
  const measured = children.map(measure)
  return {
    items: 1 + measured.reduce((sum, { items }) => sum + items, 0),
    depth: 1 + Math.max(0, ...measured.map(({ depth }) => depth)),
  }
}

const input = fc.oneof(
  noise,
  value.map((generated) => Uint8Array.from(encode(generated))),
  changed([RESPONSE, Uint8Array.from(encode({ a: [1, 'two', { b: [new Uint8Array(9)] }] }))]),
)

describe('randomly generated CBOR', () => {
  it('is decoded within its limits, or rejected with a typed error', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (bytes) => {
        const { result, pieces } = await effortOf(() => decodeCbor(bytes, LIMITS))
        // Head, argument, content, whole: four pieces for an item, and the item beyond the limit.
        expect(pieces).toBeLessThanOrEqual(4 * (LIMITS.items + 1))
        if (!result.ok) {
          expect(FAULTS).toContain(result.error)
          return
        }
        expect(bytes.length).toBeLessThanOrEqual(LIMITS.bytes)
        const { items, depth } = measure(result.value)
        expect(items).toBeLessThanOrEqual(LIMITS.items)
        expect(depth).toBeLessThanOrEqual(LIMITS.depth)
      }),
      RUNS,
    )
  })

  it('randomly generated CBOR that another library encoded is decoded within the limits', () => {
    const limits = { bytes: 65_536, depth: 32, items: 10_000 }
    fc.assert(
      fc.property(value, (generated) => {
        expect(decodeCbor(Uint8Array.from(encode(generated)), limits).ok).toBe(true)
      }),
      RUNS,
    )
  })
})

describe('randomly generated COSE', () => {
  const header = fc.dictionary(fc.constantFrom('1', '2', '4', '33', 'x'), fc.oneof(fc.integer(), fc.string()))
  const toMap = (entries: Record<string, unknown>) =>
    new Map(Object.entries(entries).map(([label, of]) => [Number(label) || label, of]))
  const message = fc
    .tuple(
      fc.oneof(
        noise,
        header.map((h) => encode(toMap(h))),
      ),
      header,
      fc.option(noise),
      noise,
    )
    .map(([protectedHeader, unprotected, payload, last]) =>
      Uint8Array.from(encode([protectedHeader, toMap(unprotected), payload, last])),
    )

  it('is read as a message, or rejected with a typed error', () => {
    fc.assert(
      fc.property(fc.oneof(message, input), (bytes) => {
        const item = decodeCbor(bytes, { bytes: 65_536, depth: 16, items: 4096 })
        if (!item.ok) return
        for (const decode of [decodeCoseSign1, decodeCoseMac0]) {
          const decoded = decode(item.value)
          if (!decoded.ok) expect(COSE_FAULTS).toContain(decoded.error)
        }
        expect(() => parseCoseKey(item.value)).not.toThrow()
      }),
      RUNS,
    )
  })
})
