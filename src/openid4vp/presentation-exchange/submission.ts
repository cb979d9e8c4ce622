// The presentation submission (DIF Presentation Exchange 2.1 §6, OpenID4VP drafts up to 24 §6.1): which presentation of the
// VP Token answers which input descriptor. It points and proves nothing; its paths are two forms, and never evaluated.

import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialQuery, DcqlQuery } from '../dcql/query.ts'
import type { PresentationResponse } from '../response/authorization-response.ts'
import type { EnvelopeRefusal } from '../response/refusal.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from '../response/response-encryption.ts'
import { PRESENTATION_LIMITS, type PresentationGroup } from '../response/vp-token.ts'
import { definitionId, type ExchangeFormats, exchangeFormat } from './definition.ts'

/** One entry of the descriptor map: an input descriptor, and what answers it. */
export type SubmissionEntry = { readonly descriptorId: string; readonly format: string }

/** What is read of a response. */
export type SubmittedResponse = Pick<PresentationResponse, 'vpToken' | 'presentationSubmission' | 'encrypted'>

/** What a submission is read against. */
export type SubmissionRules = {
  readonly definitionId: string
  readonly query: DcqlQuery
  /** Tells whether an entry answers this credential query. */
  readonly answers: (entry: SubmissionEntry, query: CredentialQuery) => boolean
}

/** Reads the answer to a definition that `buildDefinition` built. */
export function parseDefinedSubmission(
  response: SubmittedResponse,
  { query, nonce }: { readonly query: DcqlQuery; readonly nonce: string },
  formats: ExchangeFormats,
): Result<readonly PresentationGroup[], EnvelopeRefusal> {
  const answers: SubmissionRules['answers'] = ({ descriptorId, format }, asked) => {
    const exchange = exchangeFormat(formats, asked)
    return exchange.descriptorId(asked) === descriptorId && exchange.presentation === format
  }
  return parseSubmission(response, { definitionId: definitionId(nonce), query, answers })
}

/** Reads an answer with a presentation submission. Groups are in the query's order. */
export function parseSubmission(
  response: SubmittedResponse,
  { definitionId: id, query, answers }: SubmissionRules,
): Result<readonly PresentationGroup[], EnvelopeRefusal> {
  const vpToken = parseVpToken(response)
  if (!vpToken.ok) return vpToken
  const entries = parseEntries(response, id)
  if (!entries.ok) return entries
  const found: { readonly query: CredentialQuery; readonly presentation: string | JsonObject }[] = []
  for (const { path, ...entry } of entries.value) {
    const asked = query.credentials.find((credential) => answers(entry, credential))
    // The wallet's own word is not repeated: an unknown id could be anything.
    if (asked === undefined) return err({ reason: 'unknown_credential_query' })
    const presentation = select(vpToken.value, path)
    if (presentation === undefined) return err({ reason: 'invalid_vp_token', queryId: asked.id })
    if (found.some((other) => other.query === asked)) {
      return err({ reason: 'wrong_presentation_count', queryId: asked.id })
    }
    found.push({ query: asked, presentation })
  }
  return ok(
    query.credentials.flatMap((asked) =>
      found
        .filter((one) => one.query === asked)
        .map(({ presentation }) => ({ query: asked, presentations: [presentation] })),
    ),
  )
}

/** A presentation, or several in a list. In a plain response it is JSON only where it is not a compact presentation (§6.1). */
function parseVpToken({ vpToken, encrypted }: SubmittedResponse): Result<Json, EnvelopeRefusal> {
  const isJsonText = typeof vpToken === 'string' && !encrypted && /^[[{]/.test(vpToken)
  return isJsonText ? parseText(vpToken, 'invalid_vp_token') : ok(vpToken)
}

function parseText(
  text: string,
  reason: 'invalid_vp_token' | 'invalid_presentation_submission',
): Result<Json, EnvelopeRefusal> {
  const parsed = parseJson(text, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  if (parsed.ok) return parsed
  return err({ reason: parsed.error === 'too_long' ? 'limit_exceeded' : reason })
}

type Entry = SubmissionEntry & { readonly path: string }

function parseEntries(
  { presentationSubmission: given, encrypted }: SubmittedResponse,
  id: string,
): Result<readonly Entry[], EnvelopeRefusal> {
  const reason = 'invalid_presentation_submission'
  const parsed = typeof given === 'string' && !encrypted ? parseText(given, reason) : ok(given ?? null)
  if (!parsed.ok) return parsed
  const submission = parsed.value
  if (!isJsonObject(submission) || member(submission, 'definition_id') !== id) return err({ reason })
  const map = member(submission, 'descriptor_map')
  if (!Array.isArray(map) || map.length === 0) return err({ reason })
  if (map.length > PRESENTATION_LIMITS.overall) return err({ reason: 'limit_exceeded' })
  const entries = map.map(parseEntry).filter((entry) => entry !== undefined)
  return entries.length === map.length ? ok(entries) : err({ reason })
}

/** `path_nested` is passed over: where a presentation holds a credential of another form, that format's verifier looks. */
function parseEntry(entry: Json): Entry | undefined {
  if (!isJsonObject(entry)) return undefined
  const [descriptorId, format, path] = ['id', 'format', 'path'].map((name) => member(entry, name))
  if (typeof descriptorId !== 'string' || typeof format !== 'string' || typeof path !== 'string')
    return undefined
  return { descriptorId, format, path }
}

/** §6.1: `$` where there is one presentation, `$[n]` where there are several. */
function select(vpToken: Json, path: string): string | JsonObject | undefined {
  const index = /^\$\[(\d{1,3})\]$/.exec(path)?.[1]
  const isList = Array.isArray(vpToken)
  if (isList !== (index !== undefined) || (!isList && path !== '$')) return undefined
  const selected = isList ? vpToken[Number(index)] : vpToken
  return typeof selected === 'string' || isJsonObject(selected) ? selected : undefined
}
