// The presentation submission (DIF Presentation Exchange 2.1 §6, OpenID4VP drafts up to 24 §6.1). The
// submission maps presentations of the VP Token to input descriptors, and is not verified itself. The paths
// of the submission are never evaluated as JSONPath: only `$` and `$[n]` are accepted.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialQuery, DcqlQuery } from '../dcql/query.ts'
import type { PresentationResponse } from '../response/authorization-response.ts'
import type { EnvelopeRefusal } from '../response/refusal.ts'
import { PRESENTATION_LIMITS, type PresentationGroup, parseText } from '../response/vp-token.ts'
import { definitionId, type ExchangeFormats, exchangeFormat } from './definition.ts'

/** One entry of the descriptor map: an input descriptor and the format of its presentation. */
type SubmissionEntry = { readonly descriptorId: string; readonly format: string }

/** Members of a response that are parsed here. */
type SubmissionResponse = Pick<PresentationResponse, 'vpToken' | 'presentationSubmission' | 'hasJsonValues'>

/** Rules for a submission. */
type SubmissionRules = {
  readonly definitionId: string
  readonly query: DcqlQuery
  /** Returns true if an entry is for this credential query. */
  readonly matches: (entry: SubmissionEntry, query: CredentialQuery) => boolean
}

/** Parses the response to a request whose definition `buildDefinition` built. */
export function parseDefinedSubmission(
  response: SubmissionResponse,
  { query, nonce }: { readonly query: DcqlQuery; readonly nonce: string },
  formats: ExchangeFormats,
): Result<readonly PresentationGroup[], EnvelopeRefusal> {
  const matches: SubmissionRules['matches'] = ({ descriptorId, format }, credential) => {
    const exchange = exchangeFormat(formats, credential)
    return exchange.descriptorId(credential) === descriptorId && exchange.presentation === format
  }
  return parseSubmission(response, { definitionId: definitionId(nonce), query, matches })
}

/** Parses a response with a presentation submission. Groups are in the query's order. */
export function parseSubmission(
  response: SubmissionResponse,
  { definitionId: id, query, matches }: SubmissionRules,
): Result<readonly PresentationGroup[], EnvelopeRefusal> {
  const vpToken = parseVpToken(response)
  if (!vpToken.ok) return vpToken
  const entries = parseEntries(response, id)
  if (!entries.ok) return entries
  const presentations = new Map<CredentialQuery, string | JsonObject>()
  for (const { path, ...entry } of entries.value) {
    const requested = query.credentials.find((credential) => matches(entry, credential))
    // The error does not repeat the unknown id, because the wallet chooses it.
    if (requested === undefined) return err({ reason: 'unknown_credential_query' })
    const presentation = select(vpToken.value, path)
    if (presentation === undefined) return err({ reason: 'invalid_vp_token', queryId: requested.id })
    if (presentations.has(requested)) {
      return err({ reason: 'wrong_presentation_count', queryId: requested.id })
    }
    presentations.set(requested, presentation)
  }
  return ok(
    query.credentials.flatMap((credential) => {
      const presentation = presentations.get(credential)
      return presentation === undefined ? [] : [{ query: credential, presentations: [presentation] }]
    }),
  )
}

/**
 * Returns one presentation or a list of presentations. In a plain response, a text that begins with `[` or
 * `{` is parsed as JSON (§6.1).
 */
function parseVpToken({ vpToken, hasJsonValues }: SubmissionResponse): Result<Json, EnvelopeRefusal> {
  const isJsonText = typeof vpToken === 'string' && !hasJsonValues && /^[[{]/.test(vpToken)
  return isJsonText ? parseText(vpToken, 'invalid_vp_token') : ok(vpToken)
}

type Entry = SubmissionEntry & { readonly path: string }

function parseEntries(
  { presentationSubmission: submitted, hasJsonValues }: SubmissionResponse,
  id: string,
): Result<readonly Entry[], EnvelopeRefusal> {
  const reason = 'invalid_presentation_submission'
  const parsed =
    typeof submitted === 'string' && !hasJsonValues ? parseText(submitted, reason) : ok(submitted ?? null)
  if (!parsed.ok) return parsed
  const submission = parsed.value
  if (!isJsonObject(submission) || member(submission, 'definition_id') !== id) return err({ reason })
  const map = member(submission, 'descriptor_map')
  if (!Array.isArray(map) || map.length === 0) return err({ reason })
  if (map.length > PRESENTATION_LIMITS.overall) return err({ reason: 'limit_exceeded' })
  const entries = map.map(parseEntry).filter((entry) => entry !== undefined)
  return entries.length === map.length ? ok(entries) : err({ reason })
}

/**
 * Returns an entry; `undefined` if a member is missing or wrong. Ignores `path_nested`, because the code that
 * verifies a format finds the credential inside its presentation.
 */
function parseEntry(entry: Json): Entry | undefined {
  if (!isJsonObject(entry)) return undefined
  const [descriptorId, format, path] = ['id', 'format', 'path'].map((name) => member(entry, name))
  if (typeof descriptorId !== 'string' || typeof format !== 'string' || typeof path !== 'string')
    return undefined
  return { descriptorId, format, path }
}

/**
 * Returns the presentation at a path; `undefined` if the path does not fit (§6.1). `$` selects the only
 * presentation, and `$[n]` selects one of several presentations.
 */
function select(vpToken: Json, path: string): string | JsonObject | undefined {
  const index = /^\$\[(\d{1,3})\]$/.exec(path)?.[1]
  const isList = Array.isArray(vpToken)
  if (isList !== (index !== undefined) || (!isList && path !== '$')) return undefined
  const selected = isList ? vpToken[Number(index)] : vpToken
  return typeof selected === 'string' || isJsonObject(selected) ? selected : undefined
}
