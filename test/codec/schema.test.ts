import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { describeIssue, list, text } from '../../src/codec/schema.ts'

/** Messages for invalid values. */
function faults(schema: z.ZodMiniType, value: unknown): readonly string[] {
  const parsed = schema.safeParse(value, { error: describeIssue })
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message)
}

describe('a text', () => {
  it.each(['a', 'abc'])('is accepted with a length from 1 to its maximum: %j', (value) => {
    expect(faults(text(3), value)).toEqual([])
  })

  it.each([
    ['', 'must have at least 1 characters'],
    ['abcd', 'must have at most 3 characters'],
    [null, 'must be a string'],
  ])('is rejected if it is %j', (value, words) => {
    expect(faults(text(3), value)).toEqual([words])
  })
})

describe('a list', () => {
  it('is accepted with a length from 1 to its maximum', () => {
    expect(faults(list(z.null(), 2), [null])).toEqual([])
    expect(faults(list(z.null(), 2), [null, null])).toEqual([])
  })

  it.each([
    [[], 'must have at least 1 items'],
    [[null, null, null], 'must have at most 2 items'],
    [{}, 'must be an array'],
    [[1], 'must be null'],
  ])('is rejected if it is %j', (value, words) => {
    expect(faults(list(z.null(), 2), value)).toEqual([words])
  })
})

describe('the message of a refused value', () => {
  it.each<[string, z.ZodMiniType, unknown, string]>([
    ['a number', z.number(), '1', 'must be a number'],
    ['an integer', z.int(), 1.5, 'must be an integer'],
    ['a boolean', z.boolean(), 'true', 'must be true or false'],
    ['an object', z.object({}), [], 'must be an object'],
    ['a record', z.record(z.string(), z.string()), 'x', 'must be an object'],
    ['a tuple', z.tuple([]), {}, 'must be an array'],
    ['the only allowed value', z.literal('EC'), 'RSA', 'must be "EC"'],
    ['the allowed values', z.enum(['low', 'high']), 'x', 'must be "low" or "high"'],
    ['a number that is too small', z.int().check(z.minimum(60)), 59, 'must be at least 60'],
    ['a number that is too big', z.int().check(z.maximum(60)), 61, 'must be at most 60'],
    ['an exclusive upper bound', z.number().check(z.lt(60)), 60, 'must be less than 60'],
    ['the required length of a text', z.string().check(z.length(2)), 'abc', 'must have exactly 2 characters'],
    [
      'a member name that is too long',
      z.record(text(2), z.null()),
      { abc: null },
      'its name must have at most 2 characters',
    ],
    ['unknown members', z.strictObject({}), { a: 1 }, 'must not have unknown members'],
    ['a value that fits no alternative', z.union([z.string(), z.number()]), null, 'does not fit'],
    [
      'a value whose discriminator is unknown',
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
      { kind: 'c' },
      'must be "a" or "b"',
    ],
    ['the reason that its schema gives', z.string('is no name'), null, 'is no name'],
  ])('says what is wrong or required: %s', (_, schema, value, words) => {
    expect(faults(schema, value)).toEqual([words])
  })
})
