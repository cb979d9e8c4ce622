// DCQL queries (OpenID4VP 1.0 §6, §7): the strict and bounded schema of a caller's query, and the TypeScript
// types of stored queries. src/policy checks the credential formats and credential types of a query.
// src/policy also checks that a response can satisfy the query.

import * as z from 'zod/mini'
import { isJsonObject, type Json, type JsonObject } from '../../codec/json.ts'
import { list, OBJECT, text } from '../../codec/schema.ts'
import { DCQL } from '../../limits.ts'

const id = z
  .string()
  .check(z.maxLength(DCQL.idCharacters), z.regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, _ and - only'))
const ids = list(id, DCQL.ids).check(z.meta({ uniqueItems: true })) // checked by referenceErrors
const word = text(DCQL.textCharacters)
const wholeNumber = z.int().check(z.minimum(0))
const flag = z.exactOptional(z.boolean())

/** A claims query (§6.3, and B.2.4 for `intent_to_retain`). */
const claim = z.strictObject({
  id: z.exactOptional(id),
  path: list(
    z.union([word, wholeNumber, z.null()], 'must be a string, a whole number or null'),
    DCQL.pathLength,
  ),
  values: z.exactOptional(
    list(z.union([word, z.int(), z.boolean()], 'must be a string, an integer or a boolean'), DCQL.values),
  ),
  intent_to_retain: flag,
})

/** A trusted authorities query (§6.1.1). */
const trustedAuthority = z.strictObject({
  type: word,
  values: list(text(DCQL.authorityCharacters), DCQL.values),
})

/** A credential query (§6.1). */
const credential = z.strictObject({
  id,
  format: word,
  meta: z.custom<JsonObject>(isJsonObject, 'must be an object').check(z.meta(OBJECT)),
  multiple: flag,
  require_cryptographic_holder_binding: flag,
  trusted_authorities: z.exactOptional(list(trustedAuthority, DCQL.authorities)),
  claims: z.exactOptional(list(claim, DCQL.claims)),
  claim_sets: z.exactOptional(list(ids, DCQL.sets)),
})

/** A credential set query (§6.2). */
const credentialSet = z.strictObject({ options: list(ids, DCQL.sets), required: flag })

const query = z.strictObject({
  credentials: list(credential, DCQL.credentials),
  credential_sets: z.exactOptional(list(credentialSet, DCQL.sets)),
})

/** A caller's own query. Each error has the path of the wrong member. */
export const dcqlQuery = query.check((context) => {
  for (const { path, message } of referenceErrors(context.value)) {
    context.issues.push({ code: 'custom', path: [...path], message, input: context.value })
  }
})

/** A DCQL query (§6). */
export type DcqlQuery = Readonly<z.infer<typeof query>>

/** A credential query (§6.1). */
export type CredentialQuery = Readonly<z.infer<typeof credential>>

/** A credential set query (§6.2). */
export type CredentialSetQuery = Readonly<z.infer<typeof credentialSet>>

/** A claims query (§6.3). */
export type ClaimsQuery = Readonly<z.infer<typeof claim>>

/** A trusted authorities query (§6.1.1). */
export type TrustedAuthority = Readonly<z.infer<typeof trustedAuthority>>

/** A claims path pointer (§7): names, array indexes, or null for all elements. Never empty. */
export type ClaimsPath = ClaimsQuery['path']

/** A requested value of a claim (§6.3). */
export type ClaimValue = NonNullable<ClaimsQuery['values']>[number]

/** Elements that a claims path selects (§7.1). */
export type Selection = readonly Json[]

type QueryError = { readonly path: readonly (string | number)[]; readonly message: string }

/** Checks that ids are unique and refer to existing queries and claims (§6.1, §6.2, §6.3). */
function referenceErrors({ credentials, credential_sets = [] }: DcqlQuery): readonly QueryError[] {
  const ids = credentials.map((query) => query.id)
  return [
    ...repeated(ids).map((i) => ({ path: ['credentials', i, 'id'], message: TAKEN })),
    ...credentials.flatMap((query, i) =>
      claimErrors(query).map(({ path, message }) => ({ path: ['credentials', i, ...path], message })),
    ),
    ...credential_sets.flatMap(({ options }, i) =>
      unknownIds(options, ids).map((path) => ({
        path: ['credential_sets', i, 'options', ...path],
        message: 'must be the id of a credential query, once',
      })),
    ),
  ]
}

const TAKEN = 'must differ from the earlier ones'

function claimErrors({ claims = [], claim_sets }: CredentialQuery): readonly QueryError[] {
  const ids = claims.map((claim) => claim.id)
  const paths = claims.map(({ path }) => JSON.stringify(path))
  const common = [
    ...repeated(ids).map((i) => ({ path: ['claims', i, 'id'], message: TAKEN })),
    ...repeated(paths).map((i) => ({ path: ['claims', i, 'path'], message: TAKEN })),
  ]
  if (claim_sets === undefined) return common
  if (claims.length === 0) return [...common, { path: ['claim_sets'], message: 'requires claims (§6.1)' }]
  return [
    ...common,
    ...ids.flatMap((id, i) =>
      claimIdErrors(id, claim_sets).map((message) => ({ path: ['claims', i, 'id'], message })),
    ),
    ...unknownIds(claim_sets, ids).map((path) => ({
      path: ['claim_sets', ...path],
      message: 'must be the id of a claim, once',
    })),
  ]
}

/**
 * Returns the errors of a claim's id. With `claim_sets` every claim needs an id (§6.3). A claim that is in no
 * set would never be requested (§6.4.1).
 */
function claimIdErrors(id: string | undefined, sets: readonly (readonly string[])[]): readonly string[] {
  if (id === undefined) return ['is required with claim_sets']
  return sets.some((set) => set.includes(id)) ? [] : ['must be in one of the claim_sets']
}

/** Returns the indexes of values that also occur earlier in the list. */
function repeated(values: readonly (string | undefined)[]): readonly number[] {
  return values.flatMap((value, i) => (value !== undefined && values.indexOf(value) < i ? [i] : []))
}

/** Returns `[list, entry]`, two indexes, for each id that is unknown or is repeated in its list. */
function unknownIds(
  lists: readonly (readonly string[])[],
  known: readonly (string | undefined)[],
): readonly (readonly number[])[] {
  return lists.flatMap((list, i) =>
    list.flatMap((id, j) => (known.includes(id) && list.indexOf(id) === j ? [] : [[i, j]])),
  )
}
