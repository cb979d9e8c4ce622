// Validation of bodies and query strings: limits first, then strict JSON, then one schema. An error has a
// pointer, and never repeats what was sent.

import type * as z from 'zod/mini'
import { isJsonObject, type Json, parseJson } from '../../codec/json.ts'
import { toPointer } from '../../codec/json-pointer.ts'
import { describeIssue } from '../../codec/schema.ts'
import { err, ok, type Result } from '../../result.ts'
import { readMessage } from './cloudflare.ts'
import type { AppContext } from './context.ts'
import { type FieldError, type ProblemCode, problem } from './problems.ts'
import { type BodyError, readBody, type Sender } from './request-body.ts'

const MAXIMUM_DEPTH = 16
const MAXIMUM_ERRORS = 20

/**
 * Reads a JSON body of at most `limit` bytes, and parses it with `schema`. The error is the response to send:
 * 415, 413, 408, 503, 400 `invalid_json` or 400 `invalid_request`. The route must first authenticate its
 * caller, unless `sender` is `anyone`.
 */
export async function readJson<T>(
  c: AppContext,
  schema: z.ZodMiniType<T>,
  limit: number,
  sender: Sender = 'authenticated',
): Promise<Result<T, Response>> {
  if (mediaType(c) !== 'application/json') return err(problem(c, 'unsupported_media_type'))
  const bytes = await readBody(c.req.raw, limit, sender)
  if (!bytes.ok) return err(problem(c, BODY_PROBLEMS[bytes.error]))
  const json = parseJson(bytes.value, { length: limit, depth: MAXIMUM_DEPTH })
  if (!json.ok)
    return err(problem(c, 'invalid_json', { detail: await readMessage(c.env.ASSETS, `json_${json.error}`) }))
  const parsed = await schema.safeParseAsync(json.value, { error: describeIssue })
  const errors = parsed.success ? prototypeErrors(json.value) : toErrors(parsed.error, json.value)
  return parsed.success && errors.length === 0
    ? ok(parsed.data)
    : err(problem(c, 'invalid_request', { errors }))
}

/**
 * Parses the query string with `schema`. A repeated parameter is an array, which no schema accepts. The error
 * is the response to send.
 */
export function readQuery<T>(c: AppContext, schema: z.ZodMiniType<T>): Result<T, Response> {
  const given = Object.entries(c.req.queries()).map(([name, values]) => [
    name,
    values.length === 1 ? values[0] : values,
  ])
  const query = Object.fromEntries(given) as Json
  const parsed = schema.safeParse(query, { error: describeIssue })
  if (parsed.success) return ok(parsed.data)
  return err(problem(c, 'invalid_request', { errors: toErrors(parsed.error, query) }))
}

/** Returns the errors of a part of a body. `at` is the path of the part. */
export function partErrors(schema: z.ZodMiniType, part: Json, at: readonly string[]): readonly FieldError[] {
  const parsed = schema.safeParse(part, { error: describeIssue })
  if (parsed.success) return []
  return toErrors(parsed.error, part).map((error) => ({
    ...error,
    pointer: writePointer(at) + error.pointer,
  }))
}

/** Returns the errors of a parse as pointers and messages, at most 20. */
function toErrors(error: z.core.$ZodError, data: Json): readonly FieldError[] {
  return error.issues.flatMap((issue) => toFieldErrors(issue, data)).slice(0, MAXIMUM_ERRORS)
}

function toFieldErrors(issue: z.core.$ZodIssue, data: Json): readonly FieldError[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownMember([...path, name]))
  const pointer = writePointer(path)
  const code = issue.code === 'custom' ? customCode(issue) : issue.code
  // A check with the code `required` says itself when the member is required.
  if (isAbsent(data, path) && code !== 'required')
    return [{ pointer, code: 'required', message: 'This member is required.' }]
  return [{ pointer, code, message: issue.message }]
}

/** Returns the code in the `params` of a check in a schema; `invalid_value` if there is no code. */
function customCode({ params }: z.core.$ZodIssueCustom): string {
  return typeof params?.code === 'string' ? params.code : 'invalid_value'
}

/**
 * Returns the pointer of a path. The sender chooses the names in it, so each name is cut to 100 characters.
 */
function writePointer(path: readonly string[]): string {
  return toPointer(path.map((name) => name.slice(0, 100)))
}

function isAbsent(data: Json, path: readonly string[]): boolean {
  let value: Json | undefined = data
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return false
    if (!Object.hasOwn(value, name)) return true
    value = (value as { readonly [name: string]: Json })[name]
    if (value === undefined) return true
  }
  return false
}

/**
 * Returns an error for each member called `__proto__`, which zod ignores silently. Returns at most 20 errors.
 */
function prototypeErrors(data: Json): readonly FieldError[] {
  return prototypeMembers(data, []).slice(0, MAXIMUM_ERRORS)
}

function prototypeMembers(value: Json, path: readonly string[]): readonly FieldError[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => prototypeMembers(item, [...path, String(i)]))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) =>
    name === '__proto__' ? [unknownMember([...path, name])] : prototypeMembers(item, [...path, name]),
  )
}

function unknownMember(path: readonly string[]): FieldError {
  return {
    pointer: writePointer(path),
    code: 'unknown_member',
    message: 'This member is unknown: remove it.',
  }
}

function mediaType(c: AppContext): string | undefined {
  return c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
}

/** Problem of a body that is not read. */
export const BODY_PROBLEMS: Readonly<Record<BodyError, ProblemCode>> = {
  too_large: 'payload_too_large',
  unreadable: 'invalid_json',
  request_timeout: 'request_timeout',
  overloaded: 'temporarily_unavailable',
}
