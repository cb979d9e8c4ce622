// The presentation definition (DIF Presentation Exchange 2.1) that is equivalent to a DCQL query: one input
// descriptor for each credential query. Responses are matched with the DCQL query.

import type { JsonObject } from '../../codec/json.ts'
import type { ClaimsQuery, CredentialQuery, DcqlQuery } from '../dcql/query.ts'
import type { ExchangeFormat } from './formats.ts'

/** Presentation Exchange forms of credential formats, by format identifier. */
export type ExchangeFormats = Readonly<Record<string, ExchangeFormat>>

/**
 * Returns the id of the presentation definition. The nonce is the nonce of the request that contains the
 * definition.
 */
export function definitionId(nonce: string): string {
  return `pd_${nonce}`
}

/** Builds the definition of a query for which `canDefine` returns true. */
export function buildDefinition(query: DcqlQuery, nonce: string, formats: ExchangeFormats): JsonObject {
  const sets = query.credential_sets ?? []
  const input_descriptors = query.credentials.map((credential) => ({
    ...buildDescriptor(credential, exchangeFormat(formats, credential)),
    ...buildGroups(credential, query),
  }))
  const definition = { id: definitionId(nonce), input_descriptors }
  if (sets.length === 0) return definition
  const submission_requirements = sets.map(({ required }, index) => ({
    rule: 'pick',
    ...(required === false ? { min: 0 } : { count: 1 }),
    from: groupName(index),
  }))
  return { ...definition, submission_requirements }
}

/**
 * Returns true if Presentation Exchange can express a query. It cannot express `trusted_authorities`,
 * `multiple`, `values`, a waiver of holder binding, or a credential set whose option has several credentials.
 * All formats must be known, and no two credential queries may have the same descriptor id.
 */
export function canDefine(query: DcqlQuery, formats: ExchangeFormats): boolean {
  const expressible = query.credentials.filter(({ format }) => Object.hasOwn(formats, format))
  const ids = expressible.map((credential) => exchangeFormat(formats, credential).descriptorId(credential))
  return (
    expressible.length === query.credentials.length &&
    new Set(ids).size === ids.length &&
    query.credentials.every(isPlain) &&
    (query.credential_sets ?? []).every(({ options }) => options.every((option) => option.length === 1))
  )
}

/**
 * Returns the Presentation Exchange form of the query's format. Throws for a format that the protocol does
 * not support. No session requests such a format.
 */
export function exchangeFormat(formats: ExchangeFormats, { format }: CredentialQuery): ExchangeFormat {
  const exchangeFormat = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (exchangeFormat === undefined)
    throw new Error(`the query requests ${format}, which Presentation Exchange lacks`)
  return exchangeFormat
}

function isPlain(query: CredentialQuery): boolean {
  return (
    query.multiple !== true &&
    query.trusted_authorities === undefined &&
    query.require_cryptographic_holder_binding !== false &&
    (query.claims ?? []).every(({ values }) => values === undefined)
  )
}

function buildDescriptor(query: CredentialQuery, format: ExchangeFormat): JsonObject {
  const claims = buildFields(query).map((alternatives) => ({
    path: alternatives.flatMap(({ path }) => format.jsonPaths(path)),
    ...format.fieldMembers,
    ...(alternatives.some(({ intent_to_retain }) => intent_to_retain === true) && {
      intent_to_retain: true,
    }),
  }))
  return {
    id: format.descriptorId(query),
    format: format.credential,
    constraints: {
      ...(format.limitsDisclosure ? { limit_disclosure: 'required' } : {}),
      fields: [...format.typeFields(query), ...claims],
    },
  }
}

/**
 * Returns the requested claims as fields. All fields are required, and one claim of a field is enough for
 * that field. Claim sets are alternatives. So "a and b, or c" becomes two fields: "a or c", and "b or c". In
 * each field, a claim of an earlier (preferred) set comes first.
 */
function buildFields({ claims = [], claim_sets }: CredentialQuery): readonly (readonly ClaimsQuery[])[] {
  if (claim_sets === undefined) return claims.map((claim) => [claim])
  const inAll = ({ id = '' }: ClaimsQuery) => claim_sets.every((set) => set.includes(id))
  const others = claim_sets.map((set) =>
    claims.filter((claim) => claim.id !== undefined && set.includes(claim.id) && !inAll(claim)),
  )
  const products = others.reduce<readonly (readonly ClaimsQuery[])[]>(
    (fields, set) => fields.flatMap((field) => set.map((claim) => [...field, claim])),
    [[]],
  )
  return [...claims.filter(inAll).map((claim) => [claim]), ...products]
}

function buildGroups({ id }: CredentialQuery, { credential_sets = [] }: DcqlQuery): JsonObject {
  const group = credential_sets.flatMap(({ options }, index) =>
    options.some((option) => option.includes(id)) ? [groupName(index)] : [],
  )
  return group.length === 0 ? {} : { group }
}

function groupName(index: number): string {
  return `set_${index + 1}`
}
