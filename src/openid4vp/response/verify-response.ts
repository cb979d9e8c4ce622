// Validation of an answer in the order of OpenID4VP 1.0 §8.6: each presentation (authenticity, holder binding, trust,
// match with its query), then the set of them. The answer is authentic, or it is an attempt.

import type { JsonObject } from '../../codec/json.ts'
import type {
  CheckId,
  CheckResult,
  Context,
  CredentialFormat,
  RequestBinding,
  VerifiedCredential,
} from '../../formats/format.ts'
import { err, ok, type Result } from '../../result.ts'
import { isSatisfied, matchCredential } from '../dcql/match.ts'
import type { ClaimsPath, DcqlQuery } from '../dcql/query.ts'
import type { RequestedTransactionData } from '../transaction-data/transaction-data.ts'
import type { ResponseRefusal } from './refusal.ts'
import type { PresentationGroup } from './vp-token.ts'

/** What is verified, and against what. All of it but the presentations is ours. */
export type VerificationInput = {
  readonly groups: readonly PresentationGroup[]
  readonly query: DcqlQuery
  readonly formats: Readonly<Record<string, CredentialFormat>>
  /** Whether holder binding is required is each credential query's own affair (§6.1). */
  readonly expected: Omit<RequestBinding, 'holderBinding' | 'transactionData'>
  /** Each credential is asked to confirm what names its query. */
  readonly transactionData?: readonly RequestedTransactionData[]
  readonly context: Omit<Context, 'trace'>
  /** Called once for each check of each presentation, in order. */
  readonly trace: (entry: TracedCheck) => void
}

/** A check that was made, and the clause it implements for the presentation's format. */
export type TracedCheck = {
  readonly id: CheckId
  readonly clause: string
  readonly result: CheckResult
}

/** An authentic answer that satisfies the query. What it is worth is the policy's decision. */
export type VerifiedResponse = { readonly presentations: readonly VerifiedPresentation[] }

/** A verified credential and the credential query it answers. */
export type VerifiedPresentation = {
  readonly queryId: string
  readonly credential: VerifiedCredential
  /** Claims that are there with a value outside the query's `values`. */
  readonly valueMismatches: readonly ClaimsPath[]
}

/**
 * Verifies presentations that were read from an answer. Invalid presentations are discarded and the rest must still satisfy the query (§8.6); where it
 * does not, the reason is that of the first discarded presentation, or `query_not_satisfied` where there was none.
 */
export async function verifyPresentations(
  input: VerificationInput,
): Promise<Result<VerifiedResponse, ResponseRefusal>> {
  const presentations: VerifiedPresentation[] = []
  const rejections: ResponseRefusal[] = []
  // One after the other: the trace lists checks in the order of the query.
  for (const group of input.groups) {
    for (const presentation of group.presentations) {
      const verified = await verifyPresentation(presentation, group, input)
      if (verified.ok) presentations.push(verified.value)
      else rejections.push({ ...verified.error, queryId: group.query.id })
    }
  }
  const answered = new Set(presentations.map(({ queryId }) => queryId))
  if (isSatisfied(input.query, answered)) return ok({ presentations })
  const unanswered = rejections.find(({ queryId }) => queryId !== undefined && !answered.has(queryId))
  return err(unanswered ?? { reason: 'query_not_satisfied' })
}

async function verifyPresentation(
  presentation: string | JsonObject,
  { query }: PresentationGroup,
  { formats, expected, context, trace, transactionData = [] }: VerificationInput,
): Promise<Result<VerifiedPresentation, ResponseRefusal>> {
  const format = Object.hasOwn(formats, query.format) ? formats[query.format] : undefined
  if (format === undefined) throw new Error(`the query asks for ${query.format}, which is not registered`)
  const holderBinding = query.require_cryptographic_holder_binding !== false
  const asked = transactionData.filter(({ credentialIds }) => credentialIds.includes(query.id))
  const traced: Context['trace'] = (id, result) => trace({ id, clause: format.clauses[id], result })
  const verified = await format.verify(
    presentation,
    {
      ...expected,
      holderBinding,
      types: format.metaTypes(query.meta) ?? [],
      ...(asked.length === 0 ? {} : { transactionData: asked }),
    },
    { ...context, trace: traced },
  )
  if (!verified.ok) return verified
  const match = matchCredential(query, verified.value, format)
  if (match === undefined) return err({ reason: 'query_not_satisfied' })
  return ok({ queryId: query.id, credential: verified.value, valueMismatches: match.valueMismatches })
}
