// Decides if evidence of a verification is kept (api/evidence). If evidence is kept, the request tells the
// wallet that the data is stored.

import type { CreateRequest } from '../../../api/requests.ts'
import type { ClaimsQuery, DcqlQuery } from '../../../openid4vp/dcql/query.ts'
import type { Policy } from '../../../policy/policy.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { EvidenceTerms } from '../../../session/evidence/stored-evidence.ts'
import type { FieldError, RequestError } from '../../edge/problems.ts'

/**
 * The request body with the `intent_to_retain` that evidence needs, and the terms of the evidence; null
 * without evidence.
 */
type RequestedEvidence = { readonly body: CreateRequest; readonly terms: EvidenceTerms | null }

/**
 * Returns the terms of the evidence. A wallet must be told that the data is kept. So each claim of an mdoc is
 * then requested with `intent_to_retain: true`, and a create request that says `false` is an error.
 */
export function requestedEvidence(
  body: CreateRequest,
  { evidence }: Pick<Settings, 'evidence'>,
): Result<RequestedEvidence, RequestError> {
  const isKept = body.evidence ?? evidence?.for === 'all'
  if (!isKept) return ok({ body, terms: null })
  if (!evidence) return err(refusal('evidence_not_configured', [['/evidence', 'evidence_not_configured']]))
  const denied = deniedRetention(body)
  if (denied.length > 0) return err(refusal('intent_to_retain_required', denied))
  const { jwks, outcomes, time_stamp = 'none', push } = evidence
  const work = { ...(time_stamp !== 'none' && { time_stamp }), ...(push && { push: true }) }
  return ok({
    body: { ...body, intent_to_retain: true, evidence: true },
    terms: { keys: jwks.keys, outcomes, ...work },
  })
}

/**
 * Returns the policy with `intent_to_retain` in each claim of an mdoc, also in a query that leaves out this
 * member.
 */
export function withRetention(policy: Policy): Policy {
  const credentials = policy.query.credentials.map((credential) =>
    credential.format === 'mso_mdoc' && credential.claims
      ? { ...credential, claims: credential.claims.map(retained) }
      : credential,
  )
  return { ...policy, query: { ...policy.query, credentials } }
}

function retained(claim: ClaimsQuery): ClaimsQuery {
  return { ...claim, intent_to_retain: true }
}

/**
 * Returns a pointer to each member that sets `intent_to_retain` to false, and the name of its error message.
 */
function deniedRetention({ intent_to_retain, dcql_query }: CreateRequest): readonly [string, string][] {
  const inBody = intent_to_retain === false ? ['/intent_to_retain'] : []
  return [...inBody, ...pointersIn(dcql_query)].map((pointer) => [pointer, 'intent_to_retain_required'])
}

function pointersIn(query: DcqlQuery | undefined): readonly string[] {
  return (query?.credentials ?? []).flatMap(({ format, claims = [] }, i) =>
    claims.flatMap(({ intent_to_retain }, j) =>
      format === 'mso_mdoc' && intent_to_retain === false
        ? [`/dcql_query/credentials/${i}/claims/${j}/intent_to_retain`]
        : [],
    ),
  )
}

function refusal(
  code: 'evidence_not_configured' | 'intent_to_retain_required',
  errors: readonly (readonly [pointer: string, message: string])[],
): RequestError {
  return { code, errors: errors.map(([pointer, message]): FieldError => ({ pointer, code, message })) }
}
