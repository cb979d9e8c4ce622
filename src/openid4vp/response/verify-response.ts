// Verification of a response in the order of OpenID4VP 1.0 §8.6: first each presentation (authenticity,
// holder binding, trust, match with its query), then all presentations together. A refused response is stored
// as an attempt (refusal.ts).

import type { JsonObject } from '../../codec/json.ts'
import type {
  CheckId,
  CheckResult,
  Context,
  CredentialFormat,
  RequestBinding,
  VerifiedCredential,
} from '../../formats/verification/format.ts'
import { err, ok, type Result } from '../../result.ts'
import type { NamedSigner, SignerProfile } from '../../trust/anchors/signer.ts'
import { isSatisfied, matchCredential } from '../dcql/match.ts'
import type { ClaimsPath, DcqlQuery } from '../dcql/query.ts'
import type { RequestedTransactionData } from '../transaction-data/transaction-data.ts'
import type { ResponseRefusal } from './refusal.ts'
import type { PresentationGroup } from './vp-token.ts'

/** The presentations to verify, and the values that their verification needs. */
type VerificationInput = {
  readonly groups: readonly PresentationGroup[]
  readonly query: DcqlQuery
  readonly formats: Readonly<Record<string, CredentialFormat>>
  /** Values that every presentation must match. Each query decides if holder binding is required (§6.1). */
  readonly expected: Omit<RequestBinding, 'holderBinding' | 'transactionData'>
  /** Each credential may confirm the transactions that name its query. */
  readonly transactionData?: readonly RequestedTransactionData[]
  readonly context: Omit<Context, 'trace' | 'signerProfile' | 'onSigner'>
  /** The protocol's rules for the signers of a format. */
  readonly signerProfile?: (format: string) => SignerProfile
  /** Called once for each check of each presentation, in order. */
  readonly trace: (entry: TracedCheck) => void
}

/** The result of a check, and the clause of the format that the check implements. */
export type TracedCheck = {
  readonly id: CheckId
  readonly clause: string
  readonly result: CheckResult
}

/** A verified credential and its credential query. */
export type VerifiedPresentation = {
  readonly queryId: string
  readonly credential: VerifiedCredential
  /** Claims with a value outside the query's `values`. */
  readonly valueMismatches: readonly ClaimsPath[]
}

/**
 * Verifies the presentations of a response. Invalid presentations are discarded, and the rest must satisfy
 * the query (§8.6). If the rest does not satisfy the query, returns the refusal of one discarded
 * presentation. This is the first one whose credential query has no valid presentation. If there is none,
 * returns `query_not_satisfied`.
 */
export async function verifyPresentations(
  input: VerificationInput,
): Promise<Result<readonly VerifiedPresentation[], ResponseRefusal>> {
  const presentations: VerifiedPresentation[] = []
  const refusals: ResponseRefusal[] = []
  // Sequential, so that the trace lists checks in the order of the query.
  for (const group of input.groups) {
    for (const presentation of group.presentations) {
      let signer: NamedSigner | undefined
      const verified = await verifyPresentation(presentation, group, input, (named) => {
        signer = named
      })
      if (verified.ok) presentations.push(verified.value)
      else refusals.push({ ...verified.error, queryId: group.query.id, ...(signer && { signer }) })
    }
  }
  const presented = new Set(presentations.map(({ queryId }) => queryId))
  if (isSatisfied(input.query, presented)) return ok(presentations)
  const refusal = refusals.find(({ queryId }) => queryId !== undefined && !presented.has(queryId))
  return err(refusal ?? { reason: 'query_not_satisfied' })
}

/**
 * Matches verified presentations with the whole `query` of the policy. The wallet may have received a reduced
 * query, which has the same ids but requests less. Presentations that do not match `query` are discarded. The
 * rest must satisfy `query`.
 */
export function matchAgain(
  query: DcqlQuery,
  presentations: readonly VerifiedPresentation[],
  formats: VerificationInput['formats'],
): Result<readonly VerifiedPresentation[], ResponseRefusal> {
  const matched = presentations.flatMap(({ queryId, credential }) => {
    const asked = query.credentials.find(({ id }) => id === queryId)
    const format = asked && formats[asked.format]
    const match = format && matchCredential(asked, credential, format)
    return match === undefined ? [] : [{ queryId, credential, valueMismatches: match.valueMismatches }]
  })
  const presented = new Set(matched.map(({ queryId }) => queryId))
  return isSatisfied(query, presented) ? ok(matched) : err({ reason: 'query_not_satisfied' })
}

async function verifyPresentation(
  presentation: string | JsonObject,
  { query }: PresentationGroup,
  { formats, expected, context, trace, signerProfile, transactionData = [] }: VerificationInput,
  onSigner: Context['onSigner'] & {},
): Promise<Result<VerifiedPresentation, ResponseRefusal>> {
  const format = Object.hasOwn(formats, query.format) ? formats[query.format] : undefined
  if (format === undefined) throw new Error(`the query requests ${query.format}, which is not registered`)
  const holderBinding = query.require_cryptographic_holder_binding !== false
  const requested = transactionData.filter(({ credentialIds }) => credentialIds.includes(query.id))
  const traced: Context['trace'] = (id, result) => trace({ id, clause: format.clauses[id], result })
  const verified = await format.verify(
    presentation,
    {
      ...expected,
      holderBinding,
      types: format.metaTypes(query.meta) ?? [],
      ...(requested.length === 0 ? {} : { transactionData: requested }),
    },
    {
      ...context,
      ...(signerProfile && { signerProfile: signerProfile(query.format) }),
      trace: traced,
      onSigner,
    },
  )
  if (!verified.ok) return verified
  const match = matchCredential(query, verified.value, format)
  if (match === undefined) return err({ reason: 'query_not_satisfied' })
  return ok({ queryId: query.id, credential: verified.value, valueMismatches: match.valueMismatches })
}
