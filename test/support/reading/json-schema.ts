// Validates a value by a JSON Schema (draft 2020-12). Supports the keywords of the description and rejects
// all others. Objects are closed: a member without a schema is an error.

type Schema = Readonly<Record<string, unknown>>

/** Returns the schema `#/components/schemas/<name>`. */
export type Resolve = (name: string) => Schema

/** Returns the errors of a value, each with its place. */
export function schemaErrors(value: unknown, schema: Schema, resolve: Resolve, at = ''): readonly string[] {
  return Object.keys(schema).flatMap((keyword) => {
    const rule = BRANCHES.includes(keyword) ? none : RULES[keyword]
    if (rule === undefined) return [`${at}: unknown keyword ${keyword}`]
    return rule({ value, schema, given: schema[keyword], at, validate: validateWith(resolve), resolve })
  })
}

type Validate = (value: unknown, schema: Schema, at: string) => readonly string[]
type Case = {
  readonly value: unknown
  readonly schema: Schema
  readonly given: unknown
  readonly at: string
  readonly validate: Validate
  readonly resolve: Resolve
}

function validateWith(resolve: Resolve): Validate {
  return (value, schema, at) => schemaErrors(value, schema, resolve, at)
}

const none = () => []

/** The rules of `if` and `contains` read these keywords. */
const BRANCHES = ['then', 'else', 'maxContains']

const RULES: Readonly<Record<string, (each: Case) => readonly string[]>> = {
  $ref: ({ value, given, at, validate, resolve }) =>
    validate(value, resolve(String(given).replace('#/components/schemas/', '')), at),
  type: ({ value, given, at }) => {
    const types = [given].flat()
    return types.some((type) => isOfType(value, type)) ? [] : [`${at}: must be ${types.join(' or ')}`]
  },
  enum: ({ value, given, at }) => ((given as unknown[]).includes(value) ? [] : [`${at}: is not in the list`]),
  const: ({ value, given, at }) => (value === given ? [] : [`${at}: must be ${String(given)}`]),
  not: ({ value, given, at, validate }) =>
    validate(value, given as Schema, at).length === 0 ? [`${at}: must not match`] : [],
  if: ({ value, given, schema, at, validate }) => {
    const holds = validate(value, given as Schema, at).length === 0
    return validate(value, ((holds ? schema.then : schema.else) ?? {}) as Schema, at)
  },
  anyOf: ({ value, given, at, validate }) => {
    const results = (given as Schema[]).map((schema) => validate(value, schema, at))
    return results.some((errors) => errors.length === 0) ? [] : results.flat()
  },
  oneOf: ({ value, given, at, validate }) => {
    const matching = (given as Schema[]).filter((schema) => validate(value, schema, at).length === 0)
    return matching.length === 1 ? [] : [`${at}: must match one of the schemas`]
  },
  prefixItems: ({ value, given, at, validate }) =>
    itemsOf(value)
      .slice(0, (given as Schema[]).length)
      .flatMap((item, i) => validate(item, (given as Schema[])[i] ?? {}, `${at}/${i}`)),
  items: ({ value, given, schema, at, validate }) => {
    const before = ((schema.prefixItems ?? []) as Schema[]).length
    return itemsOf(value).flatMap((item, i) =>
      i < before ? [] : validate(item, given as Schema, `${at}/${i}`),
    )
  },
  contains: ({ value, given, schema, at, validate }) => {
    const count = itemsOf(value).filter((item) => validate(item, given as Schema, at).length === 0).length
    const isFit = count >= 1 && count <= Number(schema.maxContains ?? count)
    return !Array.isArray(value) || isFit ? [] : [`${at}: has a wrong number of certain entries`]
  },
  uniqueItems: ({ value, at }) => {
    const texts = itemsOf(value).map((item) => JSON.stringify(item))
    return new Set(texts).size === texts.length ? [] : [`${at}: repeats an entry`]
  },
  properties: ({ value, given, schema, at, validate }) =>
    membersOf(value).flatMap(([name, member]) => {
      const described = (given as Record<string, Schema>)[name]
      if (described !== undefined) return validate(member, described, `${at}/${name}`)
      // A condition names some members only, and has no type.
      const isOpen = schema.additionalProperties !== undefined || schema.type === undefined
      return isOpen ? [] : [`${at}/${name}: is not described`]
    }),
  additionalProperties: ({ value, given, schema, at, validate }) => {
    const known = Object.keys((schema.properties ?? {}) as object)
    const others = membersOf(value).filter(([name]) => !known.includes(name))
    if (given === false) return others.map(([name]) => `${at}/${name}: is not described`)
    return others.flatMap(([name, member]) => validate(member, given as Schema, `${at}/${name}`))
  },
  propertyNames: ({ value, given, at, validate }) =>
    membersOf(value).flatMap(([name]) => validate(name, given as Schema, `${at}/${name}`)),
  required: ({ value, given, at }) => {
    const names = membersOf(value).map(([name]) => name)
    const missing = (given as string[]).filter((name) => isObject(value) && !names.includes(name))
    return missing.map((name) => `${at}/${name}: is missing`)
  },
  dependentRequired: ({ value, given, at }) => {
    const names = membersOf(value).map(([name]) => name)
    const needed = names.flatMap((name) => (given as Record<string, string[]>)[name] ?? [])
    return needed.filter((name) => !names.includes(name)).map((name) => `${at}/${name}: is missing`)
  },
  minProperties: ({ value, given, at }) => least(isObject(value) ? membersOf(value).length : null, given, at),
  maxProperties: ({ value, given, at }) => most(isObject(value) ? membersOf(value).length : null, given, at),
  minLength: ({ value, given, at }) => least(typeof value === 'string' ? value.length : null, given, at),
  maxLength: ({ value, given, at }) => most(typeof value === 'string' ? value.length : null, given, at),
  minItems: ({ value, given, at }) => least(Array.isArray(value) ? value.length : null, given, at),
  maxItems: ({ value, given, at }) => most(Array.isArray(value) ? value.length : null, given, at),
  minimum: ({ value, given, at }) => least(typeof value === 'number' ? value : null, given, at),
  maximum: ({ value, given, at }) => most(typeof value === 'number' ? value : null, given, at),
  pattern: ({ value, given, at }) =>
    typeof value !== 'string' || new RegExp(given as string, 'u').test(value)
      ? []
      : [`${at}: does not match the pattern`],
  format: ({ value, given, at }) => {
    if (given !== 'date-time') return [`${at}: has the unknown format ${String(given)}`]
    const isTime = typeof value !== 'string' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)
    return isTime ? [] : [`${at}: must be a time`]
  },
  // Values that the description does not list must be added to it.
  'x-extensible-enum': ({ value, given, at }) =>
    value === null || (given as unknown[]).includes(value) ? [] : [`${at}: is not in the list`],
  discriminator: none,
  description: none,
  default: none,
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  return typeof value === type
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function membersOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function least(size: number | null, bound: unknown, at: string): readonly string[] {
  return size === null || size >= (bound as number) ? [] : [`${at}: less than ${String(bound)}`]
}

function most(size: number | null, bound: unknown, at: string): readonly string[] {
  return size === null || size <= (bound as number) ? [] : [`${at}: more than ${String(bound)}`]
}
