// Checks of the caller's input. Each wrong member has a pointer.

import * as z from 'zod/mini'
import { isJsonObject, type Json } from '../../../src/codec/json.ts'
import { describeIssue, list, text, WEB_ORIGIN } from '../../../src/codec/schema.ts'
import { queryErrors } from '../../../src/exchange/query-errors.ts'
import { TRUST_LIST } from '../../../src/limits.ts'
import type { DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import type { ResponseMode } from '../../../src/openid4vp/response/response-mode.ts'
import type { CredentialTypeDefinition } from '../../../src/policy/policy.ts'
import { PRESET_NAMES, PRESETS } from '../../../src/policy/presets.ts'
import { ASSURANCE_LEVELS } from '../../../src/trust/anchors/anchor.ts'
import { checkMembers, faultsOf, inputError } from './faults.ts'
import { InputError } from './input-error.ts'
import type { OpenQueryPart } from './open-parts.ts'
import type { ProtocolId } from './types.ts'

const name = text(100)
const flag = z.optional(z.boolean())

const policy = z.strictObject({
  credential_types: z.optional(list(name, 10)),
  scope: z.optional(list(name, 50)),
  dcql_query: z.optional(z.unknown()),
  preset: z.optional(z.enum(PRESET_NAMES)),
  credential_match: z.optional(z.enum(['any', 'all'])),
  formats: z.optional(list(name, 10)),
  allow_derived: flag,
  intent_to_retain: flag,
  required_assurance_level: z.optional(z.enum(ASSURANCE_LEVELS)),
  require_same_holder_key: flag,
  anchor_sets: z.optional(list(text(64), TRUST_LIST.subscribed)),
})

/** The checked policy of a request, with its defaults. */
type CheckedPolicy = ReturnType<typeof checkPolicy>

/** The checked input of a request. `verifier` and `readers` are checked later. */
export type CheckedInput = {
  readonly policy: CheckedPolicy
  readonly protocol: ProtocolId
  readonly credentialTypes: readonly CredentialTypeDefinition[]
  readonly responseMode: ResponseMode | undefined
  readonly expiresIn: number
  /** Unix seconds. */
  readonly now: number
  readonly verifier: unknown
  readonly responseUri: string | undefined
  readonly requestUri: string | undefined
  readonly requestUriMethod: 'get' | 'post'
  readonly link: string | undefined
  readonly origin: string | undefined
  readonly readers: readonly unknown[] | undefined
}

/** Every member of an input, with its check and its default. */
const MEMBERS = {
  policy: (value) => value,
  protocol: oneOf(['openid4vp-1.0', 'haip-1.0', 'iso-18013-7-c'], 'openid4vp-1.0'),
  credentialTypes: checkTypes,
  responseMode: oneOf(['direct_post.jwt', 'direct_post'], undefined),
  expiresIn: checkSeconds,
  now: checkTime,
  verifier: (value) => value,
  responseUri: checkAddress,
  requestUri: checkAddress,
  requestUriMethod: oneOf(['get', 'post'], 'get'),
  link: checkLink,
  origin: checkOrigin,
  readers: checkReaders,
} satisfies Readonly<Record<keyof CheckedInput, (value: unknown, pointer: string) => unknown>>

/** Checks the input of a request. Throws an `InputError`. */
export function checkRequestInput(value: unknown, dcql: OpenQueryPart['schema'] | undefined): CheckedInput {
  checkMembers(value, Object.keys(MEMBERS))
  const given = value as Readonly<Record<string, unknown>>
  const checks = Object.entries(MEMBERS).map(([member, check]) => [
    member,
    check(given[member], `/${member}`),
  ])
  const checked = Object.fromEntries(checks) as Omit<CheckedInput, 'policy'> // each by its own check
  if ((checked.origin === undefined) === (checked.responseUri === undefined))
    throw inputError('/responseUri', 'must be given, or else origin, and not both')
  return { ...checked, policy: checkPolicy(given.policy, dcql) }
}

function checkPolicy(value: unknown, dcql: OpenQueryPart['schema'] | undefined) {
  const parsed = policy.safeParse(value, { error: describeIssue })
  if (!parsed.success) throw new InputError(faultsOf(parsed.error, '/policy'))
  const { dcql_query, preset, ...members } = parsed.data
  const { credential_match = 'any', allow_derived = false } = members
  const [error] = queryErrors({ ...parsed.data, credential_match, allow_derived })
  if (error !== undefined) throw inputError(`/policy/${error.name}`, error.message)
  const { required_assurance_level = 'low', require_same_holder_key = false } = members
  return {
    ...members,
    ...(preset && PRESETS[preset]),
    ...{ credential_match, allow_derived, required_assurance_level, require_same_holder_key },
    intent_to_retain: members.intent_to_retain ?? false,
    dcql_query: dcql_query === undefined ? undefined : checkQuery(dcql_query, dcql),
  }
}

function checkQuery(value: unknown, dcql: OpenQueryPart['schema'] | undefined): DcqlQuery {
  const pointer = '/policy/dcql_query'
  if (dcql === undefined)
    throw inputError(pointer, 'must be absent: this verifier has no dcql among its queries')
  const parsed = dcql.safeParse(value, { error: describeIssue })
  if (parsed.success) return parsed.data
  throw new InputError(faultsOf(parsed.error, pointer))
}

function oneOf<T extends string, D extends T | undefined>(values: readonly T[], absent: D) {
  return (value: unknown, pointer: string): T | D => {
    if (value === undefined) return absent
    const found = values.find((one) => one === value)
    if (found !== undefined) return found
    throw inputError(pointer, `must be ${values.map((one) => JSON.stringify(one)).join(' or ')}`)
  }
}

const SHORTEST = 60
const LONGEST = 86_400
const DEFAULT = 300

function checkSeconds(value: unknown, pointer: string): number {
  if (value === undefined) return DEFAULT
  if (typeof value === 'number' && Number.isInteger(value) && value >= SHORTEST && value <= LONGEST)
    return value
  throw inputError(pointer, `must be an integer of ${SHORTEST} to ${LONGEST}`)
}

/** Checks a `Date`. Returns Unix seconds; the current time for an absent date. */
export function checkTime(value: unknown, pointer: string): number {
  const date = value === undefined ? new Date() : value
  if (date instanceof Date && !Number.isNaN(date.getTime())) return Math.floor(date.getTime() / 1000)
  throw inputError(pointer, 'must be a valid Date')
}

const ADDRESS = 2048
/** https, or http of this machine for tests. */
const WEB_ADDRESS = /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)[:/])[^#\s]+$/

function checkAddress(value: unknown, pointer: string): string | undefined {
  if (value === undefined) return undefined
  const isWeb = typeof value === 'string' && value.length <= ADDRESS && WEB_ADDRESS.test(value)
  if (isWeb && URL.canParse(value)) return value
  throw inputError(pointer, 'must be an address that begins with https:// and has no fragment')
}

const ORIGIN = new RegExp(WEB_ORIGIN)

function checkOrigin(value: unknown, pointer: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.length <= ADDRESS && ORIGIN.test(value)) return value
  throw inputError(pointer, 'must be an origin, such as https://shop.example')
}

function checkLink(value: unknown, pointer: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.length <= 500 && /^[a-z][a-z0-9+.-]*(:\S*)?$/i.test(value))
    return value
  throw inputError(pointer, 'must be a scheme, or the start of an address')
}

function checkReaders(value: unknown, pointer: string): readonly unknown[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.length > 0 && value.length <= 10) return value
  throw inputError(pointer, 'must be an array of 1 to 10 reader certificates')
}

const TYPES = 50

function checkTypes(value: unknown, pointer: string): readonly CredentialTypeDefinition[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.length <= TYPES
  if (!isList) throw inputError(pointer, `must be an array of at most ${TYPES} types`)
  for (const [i, type] of (value as readonly Json[]).entries()) {
    if (!isType(type))
      throw inputError(`${pointer}/${i}`, 'must have a name, and formats with identifiers and scopes')
  }
  return value as readonly CredentialTypeDefinition[] // checked
}

function isType(type: Json): boolean {
  if (!isJsonObject(type) || !isText(type.name) || !isJsonObject(type.formats ?? null)) return false
  const formats = Object.values(type.formats as Readonly<Record<string, Json>>)
  return formats.length > 0 && formats.every(isTypeFormat)
}

function isTypeFormat(format: Json): boolean {
  if (!isJsonObject(format) || !Array.isArray(format.identifiers)) return false
  const { identifiers, scopes = null } = format as { identifiers: readonly Json[]; scopes?: Json }
  const isNamed = identifiers.length > 0 && identifiers.length <= 10 && identifiers.every(isText)
  return isNamed && isJsonObject(scopes) && Object.values(scopes).every(isScope)
}

function isScope(scope: Json): boolean {
  if (!isJsonObject(scope) || !Array.isArray(scope.path)) return false
  const path = scope.path as readonly Json[]
  const isPath = path.every(
    (part) => isText(part) || part === null || (Number.isInteger(part) && Number(part) >= 0),
  )
  const { boolean = false } = scope
  return isPath && isText(path[0] ?? null) && path.length <= 10 && typeof boolean === 'boolean'
}

const isText = (value: Json | undefined): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= 300
