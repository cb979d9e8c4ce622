// Shared parts of schemas: bounded texts and lists, and error messages. zod/mini has no messages of its own.
// Pass `describeIssue` to every parse whose errors are reported.

import * as z from 'zod/mini'

/** A string of 1 to `maximum` characters. */
export function text(maximum: number) {
  return z.string().check(z.minLength(1), z.maxLength(maximum))
}

/** An array of 1 to `maximum` items. */
export function list<T extends z.ZodMiniType>(
  item: T,
  maximum: number,
): z.ZodMiniType<readonly z.output<T>[], readonly z.input<T>[]> {
  return z.array(item).check(z.minLength(1), z.maxLength(maximum))
}

// Patterns for the API description (`z.meta`). The service checks each text in code, not with the pattern.
// Every text that passes the check fits the pattern. The patterns use no Unicode category, because Python's
// regular expressions do not support categories.

/** One line: no control characters, no outer spaces. */
export const ONE_LINE =
  '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$'
export const WEB_ADDRESS = '^[Hh][Tt][Tt][Pp][Ss]?:[^\\s\\\\#]+$'
/**
 * A serialised origin: a scheme, a host as the URL parser writes it, and the port if it is not the default.
 */
export const WEB_ORIGIN = '^https?://(\\[[0-9a-f:.]+\\]|[!"$&\'()*+,.;=_`{}~a-z0-9-]+)(:[0-9]{1,5})?$'

/**
 * Pattern of a time in UTC, for the API description. The format `date-time` alone also allows other zones.
 */
export const UTC = 'Z$'

/** A time in UTC. */
export const utcTime = /* @__PURE__ */ z.iso
  .datetime({ error: 'must be a time in UTC, as 2027-01-31T12:00:00Z' })
  .check(/* @__PURE__ */ z.meta({ pattern: UTC }))

/**
 * Returns a JSON Schema that allows only `texts`, for the API description. The list is inside a condition,
 * which client generators do not read. So generated clients accept any value here.
 */
export function oneOfTexts(texts: readonly string[]) {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: {}, then: { enum: texts } }
}

/**
 * Any object, for the API description. The type is inside a condition, which client generators do not read.
 * So generated clients accept any type here.
 */
// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
export const OBJECT = { if: {}, then: { type: 'object' } }

/** An array of up to `maximum` different texts. */
export function unique<T extends z.ZodMiniType<string>>(item: T, maximum: number) {
  return z.array(item).check(
    z.maxLength(maximum),
    z.refine((items) => new Set(items).size === items.length, 'must not repeat an entry'),
    z.meta({ uniqueItems: true }),
  )
}

/**
 * A query parameter that is a whole number from `minimum` to `maximum`. `message`: the error message, which
 * states the range.
 */
export function queryNumber(minimum: number, maximum: number, message: string) {
  const digits = z.string().check(z.regex(/^(0|[1-9][0-9]{0,14})$/, message))
  const range = z.int().check(z.minimum(minimum, message), z.maximum(maximum, message))
  return z.pipe(z.pipe(digits, z.transform(Number)), range)
}

/**
 * Returns the error message of an issue. Pass this function as `schema.safeParse(value, { error:
 * describeIssue })`. The message states the rule for the value, and never repeats the value.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_union': // lists the options of a discriminated union
      return Array.isArray(issue.options) ? oneOf(issue.options) : 'does not fit'
    case 'too_small':
      return bound(issue, issue.inclusive ? 'at least' : 'more than', issue.minimum)
    case 'too_big':
      return bound(issue, issue.inclusive ? 'at most' : 'less than', issue.maximum)
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message}`
    case 'unrecognized_keys':
      return 'must not have unknown members'
    default:
      return 'does not fit'
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  return `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' }

function bound(
  { origin, exact }: { readonly origin: string; readonly exact?: boolean },
  side: string,
  limit: number | bigint,
): string {
  const range = `${exact ? 'exactly' : side} ${limit}`
  const unit = UNITS[origin]
  return unit === undefined ? `must be ${range}` : `must have ${range} ${unit}`
}
