import { describe, expect, it } from 'vitest'
import { isJsonObject, member, parseJson, parseJsonObject } from '../../src/codec/json.ts'

const LIMITS = { length: 1_000_000, depth: 8 }

const fault = (text: string, limits = LIMITS) => {
  const parsed = parseJson(text, limits)
  return parsed.ok ? undefined : parsed.error
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('parseJson', () => {
  it.each([
    'null',
    ' [1, "a", true, {}] ',
    '{"a": {"b": [{"a": 1}, {"a": 2}]}, "b": "{\\"a\\":1,\\"a\\":2}"}',
    '{"a": ["x", "x"], "b": "a", "c": "a"}',
    '{"": 0, " ": 1}',
    '"\\\\"',
    '{"\\\\": 1, "\\\\\\\\": 2}',
    '{"a\\"b": 1, "a\\\\": 2}',
  ])('reads %s with the same result as JSON.parse', (text) => {
    expect(parseJson(text, LIMITS)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  it.each([
    ['at the top', '{"a": 1, "a": 1}'],
    ['deep inside', '[{"x": {"a": 1, "b": 2, "a": 3}}]'],
    ['spelled with an escape', '{"a": 1, "\\u0061": 2}'],
    ['after a nested object', '{"a": {"b": 1}, "b": 2, "a": []}'],
    ['called __proto__', '{"__proto__": 1, "__proto__": 2}'],
    ['with a quote in it', '{"a\\"": 1, "a\\u0022": 2}'],
  ])('rejects a duplicate member %s', (_, text) => {
    expect(fault(text)).toBe('duplicate_member')
  })

  it.each([
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    '{"a" 1}',
    "{'a':1}",
    '01',
    'NaN',
    '1 2',
    '\ufeff{}',
    '"\t"',
    '{"a":"b}',
    '"\\',
    '{"\\x":1}',
    '}{',
    ']',
  ])('rejects %j, which is not JSON', (text) => {
    expect(fault(text)).toBe('not_json')
  })

  it('accepts exactly as many levels as allowed', () => {
    expect(fault(`${'['.repeat(8)}${']'.repeat(8)}`)).toBeUndefined()
    expect(fault(`${'['.repeat(9)}${']'.repeat(9)}`)).toBe('too_deep')
    expect(fault(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`)).toBe('too_deep')
    expect(fault(`[${'[],'.repeat(100)}[]]`)).toBeUndefined()
  })

  it('accepts a member name with quotes and backslashes exactly if JSON.parse accepts it', () => {
    let texts = ['']
    for (let length = 0; length < 7; length++) {
      for (const inside of texts) {
        const text = `{"${inside}": 1}`
        expect(parseJson(text, LIMITS).ok, text).toBe(isJson(text))
      }
      texts = texts.flatMap((text) => ['"', '\\', 'n', '{'].map((character) => text + character))
    }
  })

  it('does not count brackets inside strings', () => {
    expect(fault(JSON.stringify('[{'.repeat(100)))).toBeUndefined()
  })

  it('accepts exactly as many characters as allowed', () => {
    expect(fault('[1]', { length: 3, depth: 1 })).toBeUndefined()
    expect(fault('[12]', { length: 3, depth: 1 })).toBe('too_long')
  })

  // Quadratic work on any of these would take minutes.
  it.each([
    ['an unterminated string of escaped quotes', `"${'\\"'.repeat(499_000)}`],
    ['only quotes', '"'.repeat(999_999)],
    ['only backslashes', '\\'.repeat(999_999)],
    ['a long unterminated string', `"${'a'.repeat(999_000)}`],
    ['100,000 levels', '['.repeat(100_000)],
  ])('rejects %s in linear time', (_, text) => {
    expect(fault(text)).toBeDefined()
  })

  it('keeps __proto__ as an own member, and changes no prototype', () => {
    const parsed = parseJsonObject('{"__proto__": {"polluted": true}}', LIMITS)
    if (!parsed.ok) throw new Error(parsed.error)
    expect(Object.keys(parsed.value)).toEqual(['__proto__'])
    expect(member(parsed.value, 'polluted')).toBeUndefined()
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('JSON objects', () => {
  it.each(['[]', 'null', '1', '"a"', 'true'])(
    'the value %s is no JSON object, and parseJsonObject rejects it',
    (text) => {
      expect(parseJsonObject(text, LIMITS)).toEqual({ ok: false, error: 'not_json' })
      expect(isJsonObject(JSON.parse(text))).toBe(false)
    },
  )

  it('have no inherited members', () => {
    expect(member({ a: 1 }, 'a')).toBe(1)
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(member({ a: 1 }, name)).toBeUndefined()
    }
  })
})
