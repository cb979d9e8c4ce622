// Judges a value by a JSON Schema (draft 2020-12) as the description has them. It knows the keywords that stand there and refuses
// others, so that none is passed over. Objects are closed here: a member that is not described is a fault.

type Schema = Readonly<Record<string, unknown>>

/** Finds the schema of `#/components/schemas/<name>`. */
export type Resolve = (name: string) => Schema

/** What is wrong with a value, each with its place; nothing: an empty list. */
export function schemaFaults(value: unknown, schema: Schema, resolve: Resolve, at = ''): readonly string[] {
  return Object.keys(schema).flatMap((keyword) => {
    const rule = RULES[keyword]
    if (rule === undefined) return [`${at}: a schema with ${keyword}`]
    return rule({ value, schema, given: schema[keyword], at, judge: judgeWith(resolve), resolve })
  })
}

type Judge = (value: unknown, schema: Schema, at: string) => readonly string[]
type Case = {
  readonly value: unknown
  readonly schema: Schema
  readonly given: unknown
  readonly at: string
  readonly judge: Judge
  readonly resolve: Resolve
}

function judgeWith(resolve: Resolve): Judge {
  return (value, schema, at) => schemaFaults(value, schema, resolve, at)
}

const none = () => []

const RULES: Readonly<Record<string, (each: Case) => readonly string[]>> = {
  $ref: ({ value, given, at, judge, resolve }) =>
    judge(value, resolve(String(given).replace('#/components/schemas/', '')), at),
  type: ({ value, given, at }) => {
    const types = [given].flat()
    return types.some((type) => isOfType(value, type)) ? [] : [`${at}: must be ${types.join(' or ')}`]
  },
  enum: ({ value, given, at }) => ((given as unknown[]).includes(value) ? [] : [`${at}: not in the list`]),
  const: ({ value, given, at }) => (value === given ? [] : [`${at}: must be ${String(given)}`]),
  not: ({ at }) => [`${at}: must not be there`],
  anyOf: ({ value, given, at, judge }) => {
    const found = (given as Schema[]).map((schema) => judge(value, schema, at))
    return found.some((faults) => faults.length === 0) ? [] : found.flat()
  },
  items: ({ value, given, at, judge }) =>
    Array.isArray(value) ? value.flatMap((item, i) => judge(item, given as Schema, `${at}/${i}`)) : [],
  properties: ({ value, given, schema, at, judge }) =>
    membersOf(value).flatMap(([name, member]) => {
      const described = (given as Record<string, Schema>)[name]
      if (described !== undefined) return judge(member, described, `${at}/${name}`)
      return schema.additionalProperties === undefined ? [`${at}/${name}: is not described`] : []
    }),
  additionalProperties: ({ value, given, schema, at, judge }) => {
    const known = Object.keys((schema.properties ?? {}) as object)
    const others = membersOf(value).filter(([name]) => !known.includes(name))
    if (given === false) return others.map(([name]) => `${at}/${name}: is not described`)
    return others.flatMap(([name, member]) => judge(member, given as Schema, `${at}/${name}`))
  },
  propertyNames: ({ value, given, at, judge }) =>
    membersOf(value).flatMap(([name]) => judge(name, given as Schema, `${at}/${name}`)),
  required: ({ value, given, at }) => {
    const there = membersOf(value).map(([name]) => name)
    const missing = (given as string[]).filter((name) => isObject(value) && !there.includes(name))
    return missing.map((name) => `${at}/${name}: is missing`)
  },
  minLength: ({ value, given, at }) => least(typeof value === 'string' ? value.length : null, given, at),
  maxLength: ({ value, given, at }) => most(typeof value === 'string' ? value.length : null, given, at),
  minItems: ({ value, given, at }) => least(Array.isArray(value) ? value.length : null, given, at),
  maxItems: ({ value, given, at }) => most(Array.isArray(value) ? value.length : null, given, at),
  minimum: ({ value, given, at }) => least(typeof value === 'number' ? value : null, given, at),
  maximum: ({ value, given, at }) => most(typeof value === 'number' ? value : null, given, at),
  pattern: ({ value, given, at }) =>
    typeof value !== 'string' || new RegExp(given as string, 'u').test(value) ? [] : [`${at}: no such text`],
  format: ({ value, given, at }) => {
    if (given !== 'date-time') return [`${at}: a format of ${String(given)}`]
    const isTime = typeof value !== 'string' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)
    return isTime ? [] : [`${at}: no time`]
  },
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

function membersOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function least(size: number | null, bound: unknown, at: string): readonly string[] {
  return size === null || size >= (bound as number) ? [] : [`${at}: less than ${String(bound)}`]
}

function most(size: number | null, bound: unknown, at: string): readonly string[] {
  return size === null || size <= (bound as number) ? [] : [`${at}: more than ${String(bound)}`]
}
