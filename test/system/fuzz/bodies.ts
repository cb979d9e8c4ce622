// Bodies by the API description: values of the described schema, and the description's examples with one
// change.

import type { Schema } from '../../../openapi/description.ts'
import type { RouteName } from '../../../src/routes/edge/access.ts'
import type { Random } from '../../formats/sd-jwt-vc/random.ts'
import { DESCRIPTION, findSchema } from '../../support/reading/described.ts'
import { mutateJson, ODD_VALUES } from './mutations.ts'
import { describedOperation } from './parameters.ts'

export type Body = { readonly type: string; readonly content: string | Uint8Array }

const DEEPEST = 8
/** One value of so many is odd. */
const ODD = 40

/** Draws a body for a route, or `undefined` if the description has none. `url`: an address on loopback. */
export function drawDescribedBody(random: Random, route: RouteName, url: string): Body | undefined {
  const content = describedOperation(route)?.requestBody?.content ?? {}
  const [[type, media] = ['', undefined]] = Object.entries(content)
  if (media?.schema === undefined) return undefined
  const [example] = Object.keys(media.examples ?? {})
  const good = example === undefined ? undefined : DESCRIPTION.components.examples[example]?.value
  const drawn = random.below(4)
  const value =
    good === undefined || drawn < 2
      ? drawValue(random, media.schema, { name: '', depth: 0 })
      : drawn === 2
        ? mutateJson(random, good).value
        : good
  // The service must not look for addresses outside of this machine.
  const local = onLoopback(value, url)
  if (type === 'application/json') return { type, content: JSON.stringify(local) ?? 'null' }
  const texts = Object.entries(Object(local)).map(([name, member]) => [name, textOf(member)])
  return { type, content: new URLSearchParams(texts).toString() }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Replaces every address that the service would call. */
export function onLoopback(value: unknown, url: string): unknown {
  if (Array.isArray(value)) return value.map((one) => onLoopback(one, url))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'url' && typeof member === 'string' && member.startsWith('http')
        ? url
        : onLoopback(member, url),
    ]),
  )
}

type Place = { readonly name: string; readonly depth: number }

function drawValue(random: Random, schema: Schema, place: Place): unknown {
  if (random.below(ODD) === 0) return random.pick(ODD_VALUES)
  const { $ref } = schema
  const anyOf = schema.anyOf ?? (schema.then && schema.else && [schema.then, schema.else])
  if ($ref !== undefined) return drawValue(random, findSchema($ref.split('/').at(-1) ?? '') as Schema, place)
  if (anyOf !== undefined) return drawValue(random, random.pick(anyOf), place)
  if (schema.const !== undefined) return schema.const
  const listed = schema.enum ?? schema['x-extensible-enum']
  if (listed !== undefined) return random.pick(listed)
  const type = random.pick([schema.type ?? 'object'].flat())
  if (type === 'boolean') return random.below(2) === 0
  if (type === 'integer' || type === 'number') return drawNumber(random, schema)
  if (type === 'string') return drawString(random, schema, place.name)
  if (type === 'array') return drawList(random, schema, place)
  return type === 'null' ? null : drawObject(random, schema, place)
}

function drawNumber(random: Random, { minimum = 0, maximum = 1_000 }: Schema): number {
  return random.pick([minimum, maximum, Math.floor((minimum + maximum) / 2), minimum - 1, maximum + 1])
}

function drawString(random: Random, { minLength = 0, maxLength = 40 }: Schema, name: string): string {
  const known = STRINGS[name]
  if (known !== undefined && random.below(8) > 0) return random.pick(known)
  return 'x'.repeat(random.pick([minLength, Math.min(maxLength, 20), maxLength, maxLength + 1]))
}

function drawList(
  random: Random,
  { items = {}, minItems = 0, maxItems = 3 }: Schema,
  place: Place,
): unknown[] {
  const length = random.pick([minItems, minItems, Math.min(maxItems, minItems + 1), Math.min(maxItems, 3)])
  return Array.from({ length }, () => drawValue(random, items, place))
}

function drawObject(
  random: Random,
  { properties = {}, required = [], additionalProperties }: Schema,
  { depth }: Place,
): Record<string, unknown> {
  const names = Object.keys(properties).filter((name) => required.includes(name) || random.below(3) === 0)
  const chosen = depth < DEEPEST ? names : required
  const entries = chosen.map((name) => [
    name,
    drawValue(random, properties[name] ?? {}, { name, depth: depth + 1 }),
  ])
  if (typeof additionalProperties === 'object' && random.below(2) === 0) {
    entries.push(['one', drawValue(random, additionalProperties, { name: 'one', depth: depth + 1 })])
  }
  return Object.fromEntries(entries)
}

/** Values that mean something, by the name of their member. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  credential_types: ['age_attestation', 'pid', 'mdl', 'photo_id', 'google_id_pass', '*'],
  credential_type: ['age_attestation', 'pid'],
  scope: ['age_over_18', 'family_name', 'given_name', 'birthdate', 'nationality', 'portrait'],
  scopes: ['verify:read', 'verify:create'],
  format: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  wallet: ['any', 'eudi-android', 'nl-wallet', 'google-wallet', 'apple-wallet', 'talao', 'swiyu', 'nothing'],
  id: ['age', 'pid', 'a', 'b'],
  vct_values: ['urn:eu.europa.ec.av.1', 'urn:eudi:pid:1'],
  doctype_value: ['eu.europa.ec.av.1', 'org.iso.18013.5.1.mDL'],
  type_values: ['AgeAttestationCredential', 'VerifiableCredential'],
  path: ['age_over_18', 'eu.europa.ec.av.1', 'org.iso.18013.5.1', 'family_name', 'address', 'locality'],
  values: ['x', 'DE'],
  options: ['age', 'pid', 'a', 'b'],
  claim_sets: ['a', 'b'],
  credential_ids: ['age', 'pid', 'age_attestation', 'a'],
  return_url: ['https://shop.example/back', 'https://shop.example/{status}'],
  failure_return_url: ['https://shop.example/back', 'https://shop.example/{status}'],
  return_urls: ['https://shop.example/back', 'https://shop.example/{status}'],
  anchor_sets: ['banks', 'other'],
  sets: ['banks'],
  alternative_url: ['https://shop.example/back'],
  origins: ['https://shop.example'],
  origin: ['https://shop.example'],
  locale: ['de', 'en', 'fr-CA', 'x'],
  url: ['http://127.0.0.1:1/', 'https://shop.example/webhook'],
  kty: ['EC'],
  crv: ['P-256', 'P-384'],
  x: ['MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4', 'AA'],
  y: ['4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM', 'AA'],
  did: ['did:web:issuer.example', 'did:key:z6Mk', 'did:jwk:e30'],
  issuer: ['https://issuer.example'],
  color: ['#1d4ed8', 'red'],
}
