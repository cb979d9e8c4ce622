// The VP Token (OpenID4VP 1.0 §8.1): an object with the credential query ids as keys. Each value is a
// non-empty array of presentations. Bare presentations, as in drafts, are accepted only with `bare_or_array`.

import { isJsonObject, isTooMuchJson, type Json, type JsonObject, parseJson } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialQuery, DcqlQuery } from '../dcql/query.ts'
import type { PresentationResponse } from './authorization-response.ts'
import type { EnvelopeRefusal } from './refusal.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from './response-encryption.ts'

/** Presentations for one credential query. The presentations are not verified yet. */
export type PresentationGroup = {
  readonly query: CredentialQuery
  readonly presentations: readonly (string | JsonObject)[]
}

/** Limits of presentations in one response, because every presentation costs signature checks. */
export const PRESENTATION_LIMITS = { perQuery: 10, overall: 20 } as const

/**
 * Form of the value for each credential query. Up to draft 24 the value was a bare presentation. The requests
 * of drafts 24 to 26 are equal, so wallets of any of these drafts may respond.
 */
type VpTokenShape = 'array' | 'bare_or_array'

/** Parses a VP Token for a query. Groups are in the query's order. */
export function parseVpToken(
  { vpToken, hasJsonValues }: Pick<PresentationResponse, 'vpToken' | 'hasJsonValues'>,
  query: DcqlQuery,
  shape: VpTokenShape = 'array',
): Result<readonly PresentationGroup[], EnvelopeRefusal> {
  // §8.3: parameters of an encrypted response are JSON values, never JSON in a string.
  const isText = typeof vpToken === 'string' && !hasJsonValues
  const parsed = isText ? parseText(vpToken, 'invalid_vp_token') : ok(vpToken)
  if (!parsed.ok) return parsed
  if (!isJsonObject(parsed.value)) return err({ reason: 'invalid_vp_token' })
  const entries = new Map(Object.entries(parsed.value))
  const queryIds = new Set(query.credentials.map(({ id }) => id))
  // The error does not repeat the unknown id, because the wallet chooses it.
  if ([...entries.keys()].some((id) => !queryIds.has(id))) return err({ reason: 'unknown_credential_query' })
  const groups: PresentationGroup[] = []
  for (const credentialQuery of query.credentials) {
    const entry = entries.get(credentialQuery.id)
    if (entry === undefined) continue
    const group = parseGroup(shape === 'array' || Array.isArray(entry) ? entry : [entry], credentialQuery)
    if (!group.ok) return err({ ...group.error, queryId: credentialQuery.id })
    groups.push(group.value)
  }
  const count = groups.reduce((sum, { presentations }) => sum + presentations.length, 0)
  return count > PRESENTATION_LIMITS.overall ? err({ reason: 'limit_exceeded' }) : ok(groups)
}

/** Parses JSON in a parameter of a plain response. Returns `reason` if the text is not JSON. */
export function parseText(text: string, reason: EnvelopeRefusal['reason']): Result<Json, EnvelopeRefusal> {
  const parsed = parseJson(text, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  if (parsed.ok) return parsed
  return err({ reason: isTooMuchJson(parsed.error) ? 'limit_exceeded' : reason })
}

function parseGroup(entry: Json, query: CredentialQuery): Result<PresentationGroup, EnvelopeRefusal> {
  if (!Array.isArray(entry)) return err({ reason: 'invalid_vp_token' })
  const presentations = entry.filter(isPresentation)
  if (presentations.length !== entry.length) return err({ reason: 'invalid_vp_token' })
  if (presentations.length > PRESENTATION_LIMITS.perQuery) return err({ reason: 'limit_exceeded' })
  if (presentations.length === 0 || (presentations.length > 1 && query.multiple !== true)) {
    return err({ reason: 'wrong_presentation_count' })
  }
  return ok({ query, presentations })
}

function isPresentation(value: Json): value is string | JsonObject {
  return typeof value === 'string' || isJsonObject(value)
}
