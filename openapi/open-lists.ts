// Lists of values in responses. Values may be added within /v1 (api/description), so clients must accept
// unknown ones: a generated client must not fail on a new status. Lists in requests stay closed.

import { PROBLEMS } from '../src/routes/edge/problems.ts'
import { REASONS } from '../src/session/document/reasons.ts'
import type { Schema } from './components.ts'

/** Keyword of an open list: the values of this version. Tools ignore it or show it. */
const OPEN_LIST = 'x-extensible-enum'

/** Requests whose schemas are also parts of responses, and the name of the schema in responses. */
export const STORED = {
  TrustAnchor: 'StoredTrustAnchor',
  CredentialTypes: 'StoredCredentialTypes',
  TransactionDataTypes: 'StoredTransactionDataTypes',
  DcqlQuery: 'StoredDcqlQuery',
} as const satisfies Readonly<Record<string, string>>

/** Members whose constant distinguishes the schemas of a union. */
const DISCRIMINATORS: readonly string[] = ['object', 'event_type']

/** Codes whose values are in tables of the service, by schema and member. */
const CODES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Reason: { code: Object.keys(REASONS) },
  Problem: { code: Object.keys(PROBLEMS) },
}

/** Returns the schema of a response: its lists of values are open, and so are its objects. */
export function openResponse(name: string, schema: Schema): Schema {
  const opened = open(schema)
  const properties = Object.entries((opened.properties ?? {}) as Readonly<Record<string, Schema>>)
  const codes = CODES[name]
  if (codes === undefined) return opened
  const known = properties.map(([member, described]) => {
    const values = codes[member]
    return [member, values === undefined ? described : { ...described, [OPEN_LIST]: values }]
  })
  return { ...opened, properties: Object.fromEntries(known) }
}

function open(schema: Schema, member = ''): Schema {
  const { enum: values, const: only, additionalProperties, $ref, ...rest } = schema
  const isConstant = only !== undefined && DISCRIMINATORS.includes(member)
  const listed = Array.isArray(values) ? values.filter((value) => value !== null) : [only]
  const parts = Object.entries(rest)
    .filter(([, value]) => !isEveryInteger(value))
    .map(([keyword, value]) => [keyword, openPart(keyword, value)])
  return {
    ...Object.fromEntries(parts),
    ...($ref !== undefined && { $ref: responseRef(String($ref)) }),
    ...(isConstant && { const: only }),
    ...(!isConstant && listed[0] !== undefined && { [OPEN_LIST]: listed }),
    ...(isSchema(additionalProperties) && { additionalProperties: open(additionalProperties) }),
  }
}

/** Returns true for a bound that every integer of a response keeps. */
function isEveryInteger(bound: unknown): boolean {
  return typeof bound === 'number' && Math.abs(bound) === Number.MAX_SAFE_INTEGER
}

function openPart(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' && isSchema(value)) {
    const members = Object.entries(value).map(([name, described]) => [name, open(described as Schema, name)])
    return Object.fromEntries(members)
  }
  if (keyword === 'anyOf' && Array.isArray(value)) return value.map((each: Schema) => open(each))
  return keyword === 'items' && isSchema(value) ? open(value) : value
}

function responseRef(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1)
  const stored: Readonly<Record<string, string>> = STORED
  return ref.replace(name, stored[name] ?? name)
}

/** Longer lists are not repeated in the description. */
const SHORT_LIST = 12

/** Adds the values of each open list to its description, for readers of generated documentation. */
export function withValueTexts<T>(part: T): T {
  if (Array.isArray(part)) return part.map(withValueTexts) as T
  if (!isSchema(part)) return part
  const { [OPEN_LIST]: values, ...rest } = part
  const parts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withValueTexts(value)]))
  if (!Array.isArray(values)) return parts as T
  const named = values.length <= SHORT_LIST ? values.map((value) => `\`${value}\``).join(', ') : ''
  const text = named === '' ? 'Values may be added.' : `Values: ${named}. More may be added.`
  return { ...parts, description: join(part.description, text), [OPEN_LIST]: values } as T
}

/**
 * Replaces each `default` by a sentence. Some generators make members with a default required, also in
 * requests.
 */
export function withDefaultTexts<T>(part: T): T {
  if (Array.isArray(part)) return part.map(withDefaultTexts) as T
  if (!isSchema(part)) return part
  const { default: value, ...rest } = part
  const parts = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, withDefaultTexts(each)]))
  const isNamed = String(part.description).includes('Default:')
  if (value === undefined || isNamed) return parts as T
  return { ...parts, description: join(part.description, `Default: ${defaultText(value)}.`) } as T
}

function defaultText(value: unknown): string {
  const values = Array.isArray(value) ? value : [value]
  return isSchema(value) ? 'empty' : values.map((each) => `\`${String(each)}\``).join(', ')
}

function join(description: unknown, text: string): string {
  return typeof description === 'string' ? `${description} ${text}` : text
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
