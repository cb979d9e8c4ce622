// Finds the credentials that a request wants, in one shape for both query languages: DCQL (OpenID4VP 1.0 §6)
// and Presentation Exchange 2.

import { isJsonObject, type Json, type JsonObject, member } from '../../src/codec/json.ts'
import { err, ok, type Result } from '../../src/result.ts'
import type { WalletError, WalletRequest } from './request.ts'

/** The formats that this wallet presents. */
export const FORMAT_NAMES = ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

/** One credential to present. */
export type RequestedCredential = {
  /** Id of the credential query or the input descriptor. */
  readonly id: string
  readonly format: FormatName
  /** Name of the format in the request: `vc+sd-jwt` in a draft. */
  readonly designation: string
  /** `vct`, `doctype`, or the W3C type. */
  readonly type: string
  readonly claims: readonly RequestedClaim[]
  readonly holderBinding: boolean
}

/** Path of a claim (§7), and its acceptable values. */
export type RequestedClaim = {
  readonly path: readonly (string | number | null)[]
  readonly values: readonly Json[]
}

/** Choice of the person at this wallet. */
export type Preference = {
  readonly formats: readonly string[]
  /** A type identifier, or the beginning of a query's id. */
  readonly credentialType?: string | undefined
}

/** Returns what may be presented. `isChoice`: one credential is enough. Otherwise all are requested. */
export function credentialChoice(request: WalletRequest): {
  readonly credentials: readonly RequestedCredential[]
  readonly isChoice: boolean
} {
  const { credentials: all, sets } = readQuery(request)
  const [only, ...others] = sets
  const isChoice = others.length === 0 && only !== undefined && only.every((option) => option.length === 1)
  if (isChoice) {
    const credentials = all.filter(({ id }) => only.some(([name]) => name === id))
    return { credentials, isChoice: credentials.length > 1 }
  }
  const chosen = chooseCredentials(request, { formats: FORMAT_NAMES })
  return { credentials: chosen.ok ? chosen.value : [], isChoice }
}

/** Chooses the first option of each set that the preference allows. */
export function chooseCredentials(
  request: WalletRequest,
  preference: Preference,
): Result<readonly RequestedCredential[], WalletError> {
  const { credentials: all, sets } = readQuery(request)
  const fits = (id: string) =>
    all.some((requested) => requested.id === id && isPreferred(requested, preference))
  const chosen = sets.map((set) => set.find((option) => option.every(fits)))
  const ids = chosen.flatMap((option) => option ?? [])
  if (ids.length === 0 || chosen.includes(undefined)) {
    const formats = [...new Set(all.map(({ format }) => format))].join(', ')
    return err({
      detail: `No requested credential fits. Requested formats: ${formats || 'none that is known'}.`,
    })
  }
  return ok(all.filter(({ id }) => ids.includes(id)))
}

/** Returns the requested credentials, and the sets of options. One option of each set is enough. */
function readQuery({ dcqlQuery, presentationDefinition = {} }: WalletRequest) {
  const credentials = dcqlQuery === undefined ? descriptors(presentationDefinition) : queries(dcqlQuery)
  const given = dcqlQuery === undefined ? groups(presentationDefinition) : credentialSets(dcqlQuery)
  return { credentials, sets: given ?? credentials.map(({ id }) => [[id]]) }
}

function isPreferred(
  { id, format, type }: RequestedCredential,
  { formats, credentialType }: Preference,
): boolean {
  if (!formats.includes(format)) return false
  if (credentialType === undefined || type === credentialType || id === credentialType) return true
  return id.startsWith(`${credentialType}-`)
}

function queries(dcql: JsonObject): readonly RequestedCredential[] {
  return objectsOf(member(dcql, 'credentials')).flatMap((query) => {
    const [id, designation, meta] = ['id', 'format', 'meta'].map((name) => member(query, name))
    const format = formatOf(designation)
    if (typeof id !== 'string' || typeof designation !== 'string' || format === undefined) return []
    const type = isJsonObject(meta) ? typeIn(meta) : ''
    const holderBinding = member(query, 'require_cryptographic_holder_binding') !== false
    return [{ id, format, designation, type, claims: claimsOf(query), holderBinding }]
  })
}

/** B.1.1, B.2.3, B.3.5: the first acceptable type. */
function typeIn(meta: JsonObject): string {
  const alternatives = ['vct_values', 'doctype_value', 'type_values'].map((name) => member(meta, name))
  const words = alternatives.flat(2).filter((word) => typeof word === 'string')
  return words.find((word) => word !== 'VerifiableCredential') ?? ''
}

/** §6.4.1: the verifier prefers the first set of claims. */
function claimsOf(query: JsonObject): readonly RequestedClaim[] {
  const claims = objectsOf(member(query, 'claims'))
  const [first] = listOf(member(query, 'claim_sets'))
  return claims
    .filter((claim) => first === undefined || listOf(first).includes(member(claim, 'id') ?? null))
    .map((claim) => ({ path: pathOf(member(claim, 'path')), values: listOf(member(claim, 'values')) }))
}

function pathOf(path: Json | undefined): RequestedClaim['path'] {
  const steps = listOf(path).slice(0, STEPS)
  return steps.filter((step) => step === null || typeof step === 'string' || typeof step === 'number')
}

/** Limit of steps in a path. Each step is a level of nesting. */
const STEPS = 16

/** Returns the required sets, or the first if all are optional. */
function credentialSets(dcql: JsonObject): readonly (readonly string[][])[] | undefined {
  const sets = member(dcql, 'credential_sets')
  if (sets === undefined) return undefined
  const given = objectsOf(sets)
  const required = given.filter((set) => member(set, 'required') !== false)
  return (required.length > 0 ? required : given.slice(0, 1)).map((set) =>
    listOf(member(set, 'options')).map((option) => listOf(option).map(String)),
  )
}

function descriptors(definition: JsonObject): readonly RequestedCredential[] {
  return objectsOf(member(definition, 'input_descriptors')).flatMap((descriptor) => {
    const [id, formats, constraints] = ['id', 'format', 'constraints'].map((name) => member(descriptor, name))
    const [designation = ''] = isJsonObject(formats) ? Object.keys(formats) : []
    const format = formatOf(designation)
    if (typeof id !== 'string' || format === undefined) return []
    const fields = isJsonObject(constraints) ? objectsOf(member(constraints, 'fields')) : []
    const [type = id] = fields.flatMap((field) => filteredTypes(member(field, 'filter')))
    const claims = fields
      .filter((field) => member(field, 'filter') === undefined)
      .map((field) => ({ path: fieldPath(field, format), values: [] }))
    return [{ id, format, designation, type, claims, holderBinding: true }]
  })
}

/** Returns the types that a filter accepts. */
function filteredTypes(filter: Json | undefined): readonly string[] {
  if (!isJsonObject(filter)) return []
  const inner = member(filter, 'contains')
  const rules = isJsonObject(inner) ? inner : filter
  return [member(rules, 'const'), member(rules, 'enum')].flat().filter((word) => typeof word === 'string')
}

/** Converts a JSONPath to a claims path. Claims of a W3C credential are below `vc` in its JWT. */
function fieldPath(field: JsonObject, format: FormatName): RequestedClaim['path'] {
  const [text = ''] = listOf(member(field, 'path'))
  const steps = [
    ...String(text)
      .slice(0, 1000)
      .matchAll(/\.(\w+)|\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]|(\[\*\])/g),
  ].map(([, name, quoted, index, all]) => {
    if (all !== undefined) return null
    return index === undefined ? (name ?? quoted?.replace(/\\(.)/g, '$1') ?? '') : Number(index)
  })
  return format === 'jwt_vc_json' && steps[0] === 'vc' ? steps.slice(1) : steps
}

/** Returns the groups of descriptors. One descriptor of each group is enough. */
function groups(definition: JsonObject): readonly (readonly string[][])[] | undefined {
  const requirements = objectsOf(member(definition, 'submission_requirements'))
  if (requirements.length === 0) return undefined
  const all = objectsOf(member(definition, 'input_descriptors'))
  return requirements.map((requirement) =>
    all
      .filter((one) => listOf(member(one, 'group')).includes(member(requirement, 'from') ?? null))
      .map((one) => [String(member(one, 'id'))]),
  )
}

function formatOf(designation: Json | undefined): FormatName | undefined {
  if (designation === 'vc+sd-jwt') return 'dc+sd-jwt'
  return FORMAT_NAMES.find((name) => name === designation)
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject)
}
