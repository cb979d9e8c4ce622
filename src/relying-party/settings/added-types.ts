// Credential types that a relying party adds to the built-in types (api/types). In the API, a DCQL `meta`
// object (OpenID4VP 1.0 Appendix B) holds the identifiers of a type. The module of each format reads and
// builds the `meta` object.

import * as z from 'zod/mini'
import type { Json, JsonObject } from '../../codec/json.ts'
import { list, text } from '../../codec/schema.ts'
import { credentialFormat, FORMATS, type FormatId } from '../../formats/index.ts'
import { BASE_TYPES } from '../../formats/jwt-vc-json/jwt-vc-json.ts'
import { typeConflicts } from '../../policy/catalogue.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat } from '../../policy/policy.ts'

/** Credential formats that settings may name: all formats that the service verifies. */
export const FORMAT_IDS = Object.keys(FORMATS) as [FormatId, ...FormatId[]]

const claimsPathPart = z.union(
  [text(200), z.int().check(z.minimum(0), z.maximum(10_000)), z.null()],
  'must be a name, an index or null',
)
const NAME = { type: 'string', minLength: 1, maxLength: 200 }
/** JSON Schemas of paths, for the API description only. `isClaimsPath` of the format checks the paths. */
const PATH_FORMS: Readonly<Record<FormatId, JsonObject>> = {
  'dc+sd-jwt': { prefixItems: [NAME] },
  mso_mdoc: { prefixItems: [NAME, NAME], minItems: 2, maxItems: 2 },
  jwt_vc_json: { prefixItems: [NAME] },
}

/** Returns the schema of a scope: a claims path, or `{path, boolean}`. A boolean claim must be true. */
function scopeEntry(id: FormatId) {
  const claimsPath = list(claimsPathPart, 10).check(
    // The root of a credential is an object in every format (OpenID4VP 1.0 §7).
    z.refine((path) => typeof path[0] === 'string', 'must begin with a name'),
    z.meta(PATH_FORMS[id]),
  )
  return z.union(
    [
      z.pipe(
        claimsPath,
        z.transform((path) => ({ path })),
      ),
      z.strictObject({ path: claimsPath, boolean: z.exactOptional(z.boolean()) }),
    ],
    'must be a claims path, or an object with path and boolean',
  )
}

const scopeName = z
  .string()
  .check(
    z.regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/, 'must begin with a letter and have 64 characters or fewer'),
  )

const SCOPES = 100
const IDENTIFIERS = 10
const IDENTIFIER = { type: 'string', minLength: 1, maxLength: 300 }

function scopesSchema(id: FormatId) {
  return z.record(scopeName, scopeEntry(id)).check(
    z.refine((value) => isCount(Object.keys(value), SCOPES), 'must name 1 to 100 scopes'),
    z.meta({ minProperties: 1, maxProperties: SCOPES }),
  )
}

/**
 * JSON Schemas of `meta`, for the API description only. `metaTypes` of the format checks the `meta` objects.
 */
const META_FORMS: Readonly<Record<FormatId, JsonObject>> = {
  'dc+sd-jwt': metaForm('vct_values', {
    type: 'array',
    minItems: 1,
    maxItems: IDENTIFIERS,
    items: IDENTIFIER,
  }),
  mso_mdoc: metaForm('doctype_value', IDENTIFIER),
  jwt_vc_json: metaForm('type_values', {
    type: 'array',
    minItems: 1,
    maxItems: IDENTIFIERS,
    items: {
      type: 'array',
      items: IDENTIFIER,
      contains: { not: { enum: BASE_TYPES } }, // one type in addition to the base types
      maxContains: 1,
    },
  }),
}

function metaForm(name: string, form: JsonObject): JsonObject {
  // The form is inside a condition. Otherwise, generators of code from the API description would make a type
  // of the form (openapi/plain-types.ts).
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { required: [name], if: { required: [name] }, then: { properties: { [name]: form } } }
}

/**
 * Returns the schema of a type's entry for one format. If a `meta` object of the format can have only one
 * identifier, a type with several identifiers has a list of `meta` objects.
 */
function formatEntry(id: FormatId) {
  const meta = z.record(z.string(), z.unknown()).check(z.meta(META_FORMS[id]))
  const metas = z
    .array(meta)
    .check(z.meta({ minItems: 1, maxItems: FORMATS[id].typesPerMeta === 'one' ? IDENTIFIERS : 1 }))
  return z.pipe(
    z.strictObject({ meta: z.union([meta, metas]), scopes: scopesSchema(id) }),
    z.transform((input, { issues }) => {
      const identifiers = collectIdentifiers(id, input.meta as JsonObject | readonly JsonObject[]) // JSON
      if (identifiers === undefined) {
        const message = `must be a DCQL meta object of ${id} with 1 to 10 identifiers`
        issues.push({ code: 'custom', input, path: ['meta'], message })
      }
      for (const [scope, { path }] of Object.entries(input.scopes)) {
        if (FORMATS[id].isClaimsPath(path)) continue
        const message = `must be a claims path of ${id}`
        issues.push({ code: 'custom', input, path: ['scopes', scope], message })
      }
      return { identifiers: identifiers ?? [], scopes: input.scopes } satisfies CredentialTypeFormat
    }),
  )
}

function collectIdentifiers(
  id: FormatId,
  meta: JsonObject | readonly JsonObject[],
): readonly string[] | undefined {
  const { metaTypes, typesPerMeta } = FORMATS[id]
  const metas = isList(meta) ? meta : [meta]
  if (metas.length > 1 && typesPerMeta === 'several') return undefined
  const identifiers: string[] = []
  for (const one of metas) {
    const types = metaTypes(one)
    if (types === undefined) return undefined
    identifiers.push(...types)
  }
  return isCount(identifiers, IDENTIFIERS) && identifiers.every(isIdentifier) ? identifiers : undefined
}

const addedType = z.pipe(
  z.strictObject({
    type: z.string().check(z.regex(/^[a-z0-9_]{1,64}$/, 'must be 1 to 64 characters of a-z, 0-9 and _')),
    formats: z
      .strictObject(Object.fromEntries(FORMAT_IDS.map((id) => [id, z.exactOptional(formatEntry(id))])))
      .check(
        z.refine((formats) => Object.keys(formats).length > 0, 'must name a format'),
        z.meta({ minProperties: 1 }),
      ),
  }),
  z.transform(({ type, formats }): CredentialTypeDefinition => ({ name: type, formats })),
)

/** `credential_types` of the settings: `[{type, formats: {<format>: {meta, scopes: {<scope>: path}}}}]`. */
export const addedTypes: z.ZodMiniType<readonly CredentialTypeDefinition[]> = z.pipe(
  z.array(addedType).check(z.maxLength(50)),
  // A transform runs only if every type was converted. A refinement would also run after a failed conversion.
  z.transform((types, { issues }) => {
    for (const conflict of typeConflicts(types)) {
      const path = conflict.kind === 'name' ? ['type'] : ['formats', conflict.format, 'meta']
      const message = `must not have a ${conflict.kind} that another type has`
      issues.push({ code: 'custom', input: types, path: [conflict.index, ...path], message })
    }
    return types
  }),
)

/** Returns an added type in the form of the API. */
export function addedTypeToWire(definition: CredentialTypeDefinition) {
  const formats = Object.entries(definition.formats).map(([id, { identifiers, scopes }]) => [
    id,
    { meta: metaToWire(id, identifiers), scopes },
  ])
  return { type: definition.name, formats: Object.fromEntries(formats) as Readonly<Record<string, Json>> }
}

function metaToWire(id: string, identifiers: readonly string[]): Json {
  const format = credentialFormat(id)
  if (format === undefined) return null
  if (format.typesPerMeta === 'several' || identifiers.length === 1) return format.buildMeta(identifiers)
  return identifiers.map((identifier) => format.buildMeta([identifier]))
}

/**
 * Returns true for a list. In TypeScript, `Array.isArray` does not separate a readonly array from an object.
 */
function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}

function isCount(list: readonly unknown[], maximum: number): boolean {
  return list.length > 0 && list.length <= maximum
}

function isIdentifier(text: string): boolean {
  return text.length > 0 && text.length <= 300
}
