// The shape of a DCQL query that somebody else wrote (OpenID4VP 1.0 §6, §7): strict and bounded. What its words mean (formats,
// types, what can be satisfied) is the policy's to judge.

import * as z from 'zod/mini'
import { isJsonObject, type JsonObject } from '../../codec/json.ts'
import { list, text } from '../../codec/schema.ts'
import { DCQL } from '../../limits.ts'
import type { CredentialQuery, DcqlQuery } from './query.ts'

const id = z
  .string()
  .check(z.maxLength(DCQL.idCharacters), z.regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, _ and - only'))
const ids = list(id, DCQL.ids)
const word = text(DCQL.textCharacters)
const wholeNumber = z.int().check(z.minimum(0))
const flag = z.exactOptional(z.boolean())

/** §6.3, and B.2.4 for `intent_to_retain`. */
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

/** §6.1.1 */
const trustedAuthority = z.strictObject({
  type: word,
  values: list(text(DCQL.authorityCharacters), DCQL.values),
})

/** §6.1 */
const credential = z.strictObject({
  id,
  format: word,
  meta: z.custom<JsonObject>(isJsonObject, 'must be an object'),
  multiple: flag,
  require_cryptographic_holder_binding: flag,
  trusted_authorities: z.exactOptional(list(trustedAuthority, DCQL.authorities)),
  claims: z.exactOptional(list(claim, DCQL.claims)),
  claim_sets: z.exactOptional(list(ids, DCQL.sets)),
})

/** §6.2 */
const credentialSet = z.strictObject({ options: list(ids, DCQL.sets), required: flag })

/** A caller's own query. Its faults are told by their place. */
export const dcqlQuery = z
  .strictObject({
    credentials: list(credential, DCQL.credentials),
    credential_sets: z.exactOptional(list(credentialSet, DCQL.sets)),
  })
  .check((context) => {
    for (const { path, message } of referenceFaults(context.value)) {
      context.issues.push({ code: 'custom', path: [...path], message, input: context.value })
    }
  })

type Fault = { readonly path: readonly (string | number)[]; readonly message: string }

/** What refers to what: ids are unique, and name something that is there (§6.1, §6.2, §6.3). */
function referenceFaults({ credentials, credential_sets = [] }: DcqlQuery): readonly Fault[] {
  const ids = credentials.map((query) => query.id)
  return [
    ...repeated(ids).map((i) => ({ path: ['credentials', i, 'id'], message: TAKEN })),
    ...credentials.flatMap((query, i) =>
      claimFaults(query).map(({ path, message }) => ({ path: ['credentials', i, ...path], message })),
    ),
    ...credential_sets.flatMap(({ options }, i) =>
      unknownIds(options, ids).map((path) => ({
        path: ['credential_sets', i, 'options', ...path],
        message: 'is the id of no credential query',
      })),
    ),
  ]
}

const TAKEN = 'is taken by another one'

function claimFaults({ claims = [], claim_sets }: CredentialQuery): readonly Fault[] {
  const ids = claims.map((claim) => claim.id)
  const paths = claims.map(({ path }) => JSON.stringify(path))
  const common = [
    ...repeated(ids).map((i) => ({ path: ['claims', i, 'id'], message: TAKEN })),
    ...repeated(paths).map((i) => ({ path: ['claims', i, 'path'], message: TAKEN })),
  ]
  if (claim_sets === undefined) return common
  if (claims.length === 0) return [...common, { path: ['claim_sets'], message: 'needs claims (§6.1)' }]
  return [
    ...common,
    ...ids.flatMap((id, i) =>
      claimIdFaults(id, claim_sets).map((message) => ({ path: ['claims', i, 'id'], message })),
    ),
    ...unknownIds(claim_sets, ids).map((path) => ({
      path: ['claim_sets', ...path],
      message: 'is the id of no claim',
    })),
  ]
}

/** With `claim_sets` every claim has an id (§6.3), and one that stands in no set would never be asked for (§6.4.1). */
function claimIdFaults(id: string | undefined, sets: readonly (readonly string[])[]): readonly string[] {
  if (id === undefined) return ['is required beside claim_sets']
  return sets.some((set) => set.includes(id)) ? [] : ['stands in none of the claim_sets']
}

/** Places of what stands there once more. */
function repeated(values: readonly (string | undefined)[]): readonly number[] {
  return values.flatMap((value, i) => (value !== undefined && values.indexOf(value) < i ? [i] : []))
}

/** Places, in lists of ids, of one that is not known or stands there twice. */
function unknownIds(
  lists: readonly (readonly string[])[],
  known: readonly (string | undefined)[],
): readonly (readonly number[])[] {
  return lists.flatMap((list, i) =>
    list.flatMap((id, j) => (known.includes(id) && list.indexOf(id) === j ? [] : [[i, j]])),
  )
}
