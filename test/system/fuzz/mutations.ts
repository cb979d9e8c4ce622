// Changes one place of a message: its bytes, its base64url, its JSON, its CBOR, or the header of its JWE, JWS
// or COSE. `kind` names the level and the change.

import { decode, encode, Tagged } from 'cborg'
import type { Random } from '../../formats/sd-jwt-vc/random.ts'

/** A changed message, and the name of the change. */
export type Mutated<T> = { readonly kind: string; readonly value: T }

type Change<T> = readonly [name: string, change: (random: Random, value: T) => T]

function changed<T>(level: string, changes: readonly Change<T>[], random: Random, value: T): Mutated<T> {
  const [name, change] = random.pick(changes)
  return { kind: `${level}: ${name}`, value: change(random, value) }
}

/** Changes bytes. */
export function mutateBytes(random: Random, bytes: Uint8Array): Mutated<Uint8Array> {
  return changed('bytes', BYTE_CHANGES, random, bytes)
}

const BYTE_CHANGES: readonly Change<Uint8Array>[] = [
  ['flip a bit', (random, bytes) => withByte(random, bytes, (byte) => byte ^ (1 << random.below(8)))],
  ['set a byte', (random, bytes) => withByte(random, bytes, () => random.pick([0, 0x7f, 0x80, 0xff]))],
  ['remove a byte', (random, bytes) => spliced(bytes, random.below(bytes.length), 1, [])],
  ['add a byte', (random, bytes) => spliced(bytes, random.below(bytes.length + 1), 0, [random.below(256)])],
  ['cut the end', (random, bytes) => bytes.slice(0, random.below(bytes.length))],
  [
    'repeat a part',
    (random, bytes) => {
      const at = random.below(bytes.length)
      return spliced(bytes, at, 0, bytes.slice(at, at + 1 + random.below(32)))
    },
  ],
]

function withByte(random: Random, bytes: Uint8Array, change: (byte: number) => number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const at = random.below(Math.max(1, copy.length))
  copy[at] = change(copy[at] ?? 0)
  return copy
}

function spliced(bytes: Uint8Array, at: number, removed: number, added: Iterable<number>): Uint8Array {
  return Uint8Array.from([...bytes.slice(0, at), ...added, ...bytes.slice(at + removed)])
}

/** Changes text, as base64url and as any text. */
export function mutateText(random: Random, text: string): Mutated<string> {
  return changed('base64url', TEXT_CHANGES, random, text)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const TEXT_CHANGES: readonly Change<string>[] = [
  ['another character', (random, text) => spliceText(random, text, 1, random.pick([...ALPHABET]))],
  ['remove a character', (random, text) => spliceText(random, text, 1, '')],
  [
    'add a character',
    (random, text) => spliceText(random, text, 0, random.pick([...ALPHABET, '.', '~', '='])),
  ],
  [
    'odd character',
    (random, text) => spliceText(random, text, 1, random.pick(['é', '\u0000', ' ', '\n', '+'])),
  ],
  ['padding', (random, text) => text + random.pick(['=', '==', '\n', ' '])],
  ['the other alphabet', (_, text) => text.replaceAll('-', '+').replaceAll('_', '/')],
  // The lowest bits of the last character may be no part of the bytes.
  [
    'last character',
    (_, text) => text.slice(0, -1) + (ALPHABET[(ALPHABET.indexOf(text.at(-1) ?? 'A') ^ 1) & 63] ?? 'A'),
  ],
  ['cut the end', (random, text) => text.slice(0, random.below(text.length + 1))],
]

function spliceText(random: Random, text: string, removed: number, added: string): string {
  const at = random.below(text.length + 1)
  return text.slice(0, at) + added + text.slice(at + removed)
}

/** Changes one member of a JSON value, at any depth. */
export function mutateJson(random: Random, value: unknown): Mutated<unknown> {
  if (Array.isArray(value) && value.length > 0) return mutateList(random, value)
  if (typeof value !== 'object' || value === null)
    return { kind: 'json: another value', value: random.pick(ODD_VALUES) }
  const entries = Object.entries(value)
  const at = random.below(Math.max(1, entries.length))
  const [name = random.pick(NAMES), old] = entries[at] ?? []
  const isDeep = typeof old === 'object' && old !== null && random.below(3) > 0
  const inner = isDeep ? mutateJson(random, old) : undefined
  if (inner !== undefined) return { kind: inner.kind, value: { ...value, [name]: inner.value } }
  return changed<Record<string, unknown>>('json', memberChanges(name, old), random, { ...value })
}

function memberChanges(name: string, old: unknown): readonly Change<Record<string, unknown>>[] {
  return [
    ['remove a member', (_, { [name]: _removed, ...rest }) => rest],
    ['another value', (random, object) => ({ ...object, [name]: random.pick(ODD_VALUES) })],
    [
      'another text',
      (random, object) => ({
        ...object,
        [name]: typeof old === 'string' ? mutateText(random, old).value : old,
      }),
    ],
    ['add a member', (random, object) => ({ ...object, [random.pick(NAMES)]: random.pick(ODD_VALUES) })],
    [
      'rename a member',
      (random, { [name]: value, ...rest }) => ({
        ...rest,
        [random.pick([`${name} `, name.toUpperCase()])]: value,
      }),
    ],
    ['wrap a member', (_, object) => ({ ...object, [name]: [old] })],
    ['quote a member', (_, object) => ({ ...object, [name]: JSON.stringify(old) ?? null })],
  ]
}

function mutateList(random: Random, list: readonly unknown[]): Mutated<unknown> {
  const at = random.below(list.length)
  const old = list[at]
  if (typeof old === 'object' && old !== null && random.below(2) > 0) {
    const inner = mutateJson(random, old)
    return { kind: inner.kind, value: list.with(at, inner.value) }
  }
  return changed<readonly unknown[]>(
    'json',
    [
      ['remove an element', (_, all) => all.toSpliced(at, 1)],
      ['repeat an element', (_, all) => all.toSpliced(at, 0, old)],
      ['another element', (random, all) => all.with(at, random.pick(ODD_VALUES))],
      ['reverse a list', (_, all) => all.toReversed()],
    ],
    random,
    list,
  )
}

export const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1e21, 1.5, '', 'x', '__proto__', '\u0000', '\ud800', [], {}, [[]], [null]],
  'x'.repeat(600),
  Array.from({ length: 60 }, (_, i) => `s${i}`),
  { toString: 'x', constructor: {} },
  'did:jwk:e30',
  'javascript:alert(1)',
  'http://127.0.0.1:1/',
  4_102_444_800,
]

const NAMES = [
  '__proto__',
  'constructor',
  'crit',
  'alg',
  'jwk',
  'kid',
  'x5u',
  'b64',
  'cnf',
  '_sd',
  '...',
  'status',
]

/** Changes the spelling of JSON text. What a parser reads may stay the same. */
export function mutateJsonText(random: Random, text: string): Mutated<string> {
  return changed(
    'json text',
    [
      ['white space', (_, json) => json.replaceAll(':', ' :\n').replaceAll(',', ' ,')],
      ['byte order mark', (_, json) => `\ufeff${json}`],
      ['more after the end', (random, json) => json + random.pick([' ', '{}', 'x', '\u0000'])],
      [
        'a member twice',
        (random, json) => json.replace('{', `{"${random.pick(['alg', 'nonce', 'vp_token'])}":0,`),
      ],
      [
        'escaped name',
        (_, json) => json.replace(/"([a-z])/, (_all, c) => `"\\u00${c.charCodeAt(0).toString(16)}`),
      ],
      ['characters', (random, json) => mutateText(random, json).value],
    ],
    random,
    text,
  )
}

/** Changes a JWS, JWE or SD-JWT: one part, or the order of the parts. */
export function mutateCompact(random: Random, text: string, separator = '.'): Mutated<string> {
  const parts = text.split(separator)
  const at = random.below(parts.length)
  const part = parts[at] ?? ''
  const put = ({ kind, value }: Mutated<string>, level = '') => ({
    kind: level + kind,
    value: parts.with(at, value).join(separator),
  })
  const all = (kind: string, value: readonly string[]) => ({
    kind: `parts: ${kind}`,
    value: value.join(separator),
  })
  const drawn = random.below(10)
  if (drawn === 0) return all('remove one', parts.toSpliced(at, 1))
  if (drawn === 1) return all('repeat one', parts.toSpliced(at, 0, part))
  if (drawn === 2) return all('reverse', parts.toReversed())
  if (drawn === 3) return all('one more', [...parts, random.pick(['', 'e30', 'AAAA'])])
  if (separator === '~' && part.includes('.')) return put(mutateCompact(random, part))
  if (drawn < 6) return put(mutateText(random, part))
  const bytes = Buffer.from(part, 'base64url')
  const json = jsonIn(bytes)
  if (json === undefined || drawn < 8) {
    const { kind, value } = mutateBytes(random, bytes)
    return put({ kind, value: Buffer.from(value).toString('base64url') })
  }
  const { kind, value } =
    random.below(3) === 0 ? mutateJsonText(random, bytes.toString()) : asText(mutateJson(random, json))
  return put({ kind, value: Buffer.from(value).toString('base64url') }, at === 0 ? 'header ' : '')
}

function asText({ kind, value }: Mutated<unknown>): Mutated<string> {
  return { kind, value: JSON.stringify(value) ?? 'null' }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** Tags of mdocs, lists and VICALs. */
export const CBOR = {
  useMaps: true,
  tags: { ...Tagged.preserve(0, 18, 24, 61, 1004) },
} as const

/** Changes CBOR: a value at any depth, also inside a byte string of tag 24. */
export function mutateCbor(random: Random, bytes: Uint8Array): Mutated<Uint8Array> {
  const { kind, value } = mutateItem(random, decode(bytes, CBOR))
  return { kind, value: encode(value) }
}

function mutateItem(random: Random, item: unknown): Mutated<unknown> {
  if (item instanceof Tagged && item.tag === 24 && random.below(4) > 0) {
    const inner = mutateEmbedded(random, item.value as Uint8Array)
    return { kind: inner.kind, value: new Tagged(24, inner.value) }
  }
  if (item instanceof Map && item.size > 0 && random.below(5) > 0) return mutateMap(random, item)
  if (Array.isArray(item) && item.length > 0 && random.below(5) > 0) return mutateArray(random, item)
  if (item instanceof Uint8Array) return mutateString(random, item)
  return { kind: 'cbor: another value', value: random.pick(ODD_ITEMS) }
}

function mutateEmbedded(random: Random, bytes: Uint8Array): Mutated<Uint8Array> {
  return random.below(3) === 0 ? mutateBytes(random, bytes) : mutateCbor(random, bytes)
}

/** A byte string may hold the protected header of COSE. */
function mutateString(random: Random, bytes: Uint8Array): Mutated<unknown> {
  try {
    if (bytes.length > 0 && bytes.length < 16) {
      const { kind, value } = mutateCbor(random, bytes)
      return { kind: `header ${kind}`, value }
    }
  } catch {
    // no CBOR inside
  }
  return mutateBytes(random, bytes)
}

function mutateMap(random: Random, map: Map<unknown, unknown>): Mutated<unknown> {
  const copy = new Map(map)
  const [key, old] = random.pick([...map])
  const drawn = random.below(8)
  if (drawn === 0) {
    copy.delete(key)
    return { kind: 'cbor: remove a member', value: copy }
  }
  if (drawn === 1) {
    copy.set(random.pick(['x', 0, 2, 3, 33, -1, 'docType', 'errors']), random.pick(ODD_ITEMS))
    return { kind: 'cbor: add a member', value: copy }
  }
  const inner = mutateItem(random, old)
  return { kind: inner.kind, value: copy.set(key, inner.value) }
}

function mutateArray(random: Random, list: readonly unknown[]): Mutated<unknown> {
  const at = random.below(list.length)
  const drawn = random.below(8)
  if (drawn === 0) return { kind: 'cbor: remove an element', value: list.toSpliced(at, 1) }
  if (drawn === 1) return { kind: 'cbor: repeat an element', value: list.toSpliced(at, 0, list[at]) }
  const inner = mutateItem(random, list[at])
  return { kind: inner.kind, value: list.with(at, inner.value) }
}

const ODD_ITEMS: readonly unknown[] = [
  ...[null, true, false, 0, -1, 2 ** 40, 1.5, '', 'x', '1.1'],
  ...[[], new Map(), new Uint8Array(), new Uint8Array(64), new Map([[1, -8]]), new Map([['x', [null]]])],
  ...[new Tagged(24, new Uint8Array([0xa0])), new Tagged(24, new Uint8Array([0xff])), new Tagged(0, 'x')],
]
