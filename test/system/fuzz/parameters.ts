// Query parameters by the API description, with good and with odd values.

import type { Operation, Schema } from '../../../openapi/description.ts'
import type { RouteName } from '../../../src/routes/edge/access.ts'
import type { Random } from '../../formats/sd-jwt-vc/random.ts'
import { DESCRIPTION } from '../../support/reading/described.ts'

export type Pair = readonly [name: string, value: string]

/** Returns the description of a route. */
export function describedOperation(route: RouteName): Operation | undefined {
  const [method = '', path = ''] = route.split(' ')
  return DESCRIPTION.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
}

/** Returns the described query parameters of a route. */
export function queryParameters(route: RouteName): NonNullable<Operation['parameters']> {
  return (describedOperation(route)?.parameters ?? []).filter((parameter) => parameter.in === 'query')
}

/** Draws half of the parameters, with good values. Cursors are left out: only a real answer has one. */
export function drawGoodQuery(random: Random, route: RouteName): readonly Pair[] {
  return queryParameters(route)
    .filter(({ name }) => name !== 'after' && random.below(2) === 0)
    .flatMap(({ name, schema }) => goodValues(random, name, schema).map((value) => [name, value] as const))
}

/** Draws one parameter with an odd value: a described one, or another one. */
export function drawOddPair(random: Random, route: RouteName): Pair {
  const names = queryParameters(route).map(({ name }) => name)
  const name = random.pick([...names, ...names, 'metadata.order', 'metadata.', 'token', 'extra', '__proto__'])
  return [name, random.pick(ODD_TEXTS)]
}

const ODD_TEXTS = [
  ...['', '0', '-1', '1e3', '1.5', '0x10', '٣', '9'.repeat(40), 'x', 'null', 'all', 'é', '\u0000', '%'],
  ...['2026-13-01T00:00:00Z', '2026-11-20', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59+14:00'],
  ...['A'.repeat(32), 'A'.repeat(54), 'a'.repeat(2_000), '__proto__', 'verified,rejected'],
]

function goodValues(random: Random, name: string, schema: Schema): readonly string[] {
  if (schema.format === 'date-time') return [drawTime(random)]
  const known = KNOWN[name]
  if (known !== undefined) return [random.pick(known)]
  if (schema.type === 'array') return drawSome(random, schema.items?.enum ?? []).map(String)
  if (schema.enum !== undefined) return [String(random.pick(schema.enum))]
  const { minimum = 0, maximum = 100 } = schema
  return [String(random.pick([minimum, maximum, Math.floor((minimum + maximum) / 2)]))]
}

/** Values that a schema does not tell. A long poll has the shortest wait, so that the run does not wait. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  reason: ['untrusted_issuer', 'session_expired'],
  actor: ['console', '0011223344556677'],
  credential_type: ['age_attestation', 'pid', 'nothing'],
  wallet: ['any', 'eudi-android', 'nl-wallet', 'talao'],
  wait: ['1'],
}

const HOUR_MS = 3_600_000

/** Draws a time of the days around now, with an offset. */
export function drawTime(random: Random): string {
  const at = Date.now() + random.pick([-72, -2, -1, 0, 0, 1, 30]) * HOUR_MS
  const offset = random.pick(['Z', '+00:00', '+02:00', '-11:30'])
  return new Date(at).toISOString().replace('Z', offset)
}

function drawSome(random: Random, values: readonly unknown[]): readonly unknown[] {
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(values))
}
