import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/codec/json.ts'
import { digestDisclosures } from '../../src/formats/sd-jwt-vc/disclosures.ts'
import { processPayload } from '../../src/formats/sd-jwt-vc/processed-payload.ts'
import { splitSdJwt } from '../../src/formats/sd-jwt-vc/split.ts'
import { SD_JWT } from '../../src/limits.ts'
import { effortOf } from './effort.ts'
import { changedText, RUNS } from './generators.ts'

const REASONS = [
  'malformed_credential',
  'malformed_disclosure',
  'unreferenced_disclosure',
  'duplicate_digest',
  'forbidden_disclosure',
  'limit_exceeded',
  'invalid_claim',
]

const CLEAR = new Set(['cnf', 'vct'])

const encoded = (disclosure: unknown) => Buffer.from(JSON.stringify(disclosure)).toString('base64url')
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/**
 * Disclosures each of which may refer to the disclosures before it, once or often, in objects and in arrays.
 */
const graph = fc
  .array(
    fc.record({
      name: fc.option(fc.constantFrom('a', 'b', '_sd', '...', '__proto__', 'cnf', 'constructor')),
      inObject: fc.boolean(),
      refersTo: fc.array(fc.nat(), { maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((nodes) => {
    const texts: string[] = []
    for (const [i, { name, inObject, refersTo }] of nodes.entries()) {
      const digests = refersTo.map((to) => digestOf(texts[to % (texts.length + 1)] ?? `decoy ${i} ${to}`))
      const value = inObject ? { _sd: digests } : digests.map((digest) => ({ '...': digest }))
      texts.push(encoded([`salt ${i}`, ...(name === null ? [] : [name]), value]))
    }
    return texts
  })

const payload = fc.tuple(graph, fc.array(fc.nat(), { maxLength: 6 })).map(([texts, top]) => ({
  texts,
  payload: {
    vct: 'x',
    _sd: top.map((i) => digestOf(texts[i % (texts.length + 1)] ?? `decoy ${i}`)),
  } as JsonObject,
}))

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner as Json)))
}

describe('randomly generated disclosures', () => {
  it('are applied to the payload within the limits, or rejected with a typed reason', async () => {
    await fc.assert(
      fc.asyncProperty(payload, async ({ texts, payload: signed }) => {
        const { result: digested, cryptoCalls } = await effortOf(() => digestDisclosures(texts, 'sha-256'))
        expect(cryptoCalls).toBeLessThanOrEqual(texts.length)
        const processed = digested.ok ? processPayload(signed, digested.value, CLEAR) : digested
        if (!processed.ok) {
          expect(REASONS).toContain(processed.error.reason)
          return
        }
        expect(depthOf(processed.value)).toBeLessThanOrEqual(SD_JWT.depth + 1)
        expect(Object.getPrototypeOf(processed.value)).toBeNull()
        expect(JSON.stringify(processed.value)).not.toMatch(/"_sd"|"\.\.\."/)
      }),
      RUNS,
    )
  })

  it('randomly generated disclosures with a change at any place are decoded or rejected with a typed reason', async () => {
    const good = [encoded(['salt', 'given_name', 'Erika']), encoded(['salt', { a: [1, 2, { b: null }] }])]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(changedText(good), fc.string()), { maxLength: 4 }),
        async (texts) => {
          const digested = await digestDisclosures(texts, 'sha-256')
          if (!digested.ok) expect(REASONS).toContain(digested.error.reason)
        },
      ),
      RUNS,
    )
  })
})

it('a randomly generated presentation is split into at most as many parts as allowed', () => {
  const input = fc.oneof(
    fc.string(),
    fc.nat(2000).map((count) => `a${'~b'.repeat(count)}~`),
  )
  fc.assert(
    fc.property(input, (text) => {
      const parts = splitSdJwt(text)
      if (!parts.ok) {
        expect(REASONS).toContain(parts.error.reason)
        return
      }
      expect(parts.value.disclosures.length).toBeLessThanOrEqual(SD_JWT.disclosures)
    }),
    RUNS,
  )
})
