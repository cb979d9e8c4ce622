// Verifies a response with its stored request, in the words of the service (api/outcome).

import {
  type EvaluationContext,
  evaluatePresentations,
  type RefusalDetails,
  refusalDetails,
} from '../../../src/exchange/evaluate-presentations.ts'
import { type EvaluationReason, uncheckedRules } from '../../../src/exchange/unchecked.ts'
import type { RequestBinding } from '../../../src/formats/verification/format.ts'
import { ISO_MDOC } from '../../../src/openid4vp/dc-api.ts'
import type { PresentationGroup } from '../../../src/openid4vp/response/vp-token.ts'
import { typeDefinitions, typeOf } from '../../../src/policy/catalogue.ts'
import { checkMembers, inputError } from './faults.ts'
import {
  type OpenProtocolPart,
  openDocuments,
  openFormats,
  openRevocationLists,
  requireProtocol,
} from './open-parts.ts'
import { openPosted, type Posted, readPosted } from './posted-response.ts'
import { queryOf, readRequest, type StoredRequest } from './stored-request.ts'
import type { Parts, Refused, VerificationResult, VerifyResponseInput } from './types.ts'
import { checkVerifyInput } from './verify-input.ts'

/** Verifies a response. Throws an `InputError` for a wrong input, never for a bad response. */
export async function verifyResponseOf(
  parts: Parts,
  input: VerifyResponseInput,
): Promise<VerificationResult> {
  checkMembers(input, VERIFY_MEMBERS)
  const stored = readRequest(input.request)
  const part = requireProtocol(parts, stored.protocol)
  const { now, statusUnavailable, certificateRevocation, ...rules } = checkVerifyInput(input)
  const check = openRevocationLists(parts)
  if (certificateRevocation !== 'off' && check === undefined)
    throw inputError(
      '/certificateRevocation',
      'must be off: this verifier has no revocationLists among its checks',
    )
  if (now >= stored.expiresAt) return { status: 'expired', reason: 'session_expired' }
  const settings = { status_unavailable: statusUnavailable, certificate_revocation: certificateRevocation }
  const context = {
    now,
    ...rules,
    acceptsSandbox: false,
    typeOf: typeOf(typeDefinitions(stored.credentialTypes)),
    ...uncheckedRules(settings, stored.policy.required_assurance_level),
    ...(check && { checkCertificates: check.checkCertificates }),
  }
  const posted = readPosted(input.response, stored.channel)
  if (!posted.ok) return refused(posted.error)
  return posted.value.protocol === ISO_MDOC
    ? verifyDocuments(parts, { stored, part, context }, posted.value.data)
    : verifyOpenid4vp(parts, { stored, part, context }, posted.value)
}

const VERIFY_MEMBERS: readonly (keyof VerifyResponseInput)[] = [
  ...(['request', 'response', 'anchors', 'now', 'fetch', 'timeout'] as const),
  ...(['statusUnavailable', 'certificateRevocation'] as const),
]

type Exchange = {
  readonly stored: StoredRequest
  readonly part: OpenProtocolPart
  readonly context: EvaluationContext
}

async function verifyOpenid4vp(
  parts: Parts,
  exchange: Exchange,
  posted: Posted,
): Promise<VerificationResult> {
  const { stored, part } = exchange
  const { openid4vp: keys, channel } = stored
  if (keys === undefined) return refused('malformed_response')
  const { protocol } = part
  const opened = await openPosted(posted, { keys, channel, query: queryOf(stored), protocol })
  if (!opened.ok) return refused(opened.error)
  if (opened.value.kind === 'wallet_error') return walletError(opened.value)
  const { groups, bound } = opened.value
  return decide(parts, exchange, { groups, nonce: keys.nonce, bound, formats: protocol.formats })
}

function walletError({ error }: { readonly error: string }): VerificationResult {
  if (error === 'access_denied') return { status: 'declined', reason: error }
  return { status: 'refused', reason: 'wallet_error', wallet_error: error }
}

/** Verifies a response of `org-iso-mdoc`. */
async function verifyDocuments(parts: Parts, exchange: Exchange, data: string): Promise<VerificationResult> {
  const { annexC: keys, channel, policy } = exchange.stored
  const documents = openDocuments(parts)
  const query = documents?.documentQuery(policy.query)
  if (channel.kind !== 'dc_api' || keys === undefined || documents === undefined || query === undefined)
    return refused('request_superseded')
  const message = documents.parseAnnexCData(data)
  if (!message.ok) return refused(message.error.reason)
  const { nonce, key: encryptionKey } = keys
  const key = { nonce, x: encryptionKey.x, y: encryptionKey.y ?? '' }
  const { origin } = channel
  const opened = await documents.openAnnexC(message.value, {
    ...{ origin, key, encryptionKey },
    query: policy.query,
    documents: query,
  })
  if (opened === undefined) return refused('decryption_failed')
  if (!opened.ok) return refused(opened.error.reason, refusalDetails(opened.error))
  const { groups, bound, documentErrors } = opened.value
  const formats = { mso_mdoc: documents.format }
  const result = await decide(parts, exchange, { groups, nonce, bound, formats })
  if (result.status !== 'refused' || Object.keys(documentErrors).length === 0) return result
  return { ...result, document_errors: documentErrors }
}

/** An opened response. */
type Opened = {
  readonly groups: readonly PresentationGroup[]
  readonly nonce: string
  readonly bound: Pick<RequestBinding, 'audience' | 'handover'>
  /** Formats that the protocol verifies differently. */
  readonly formats: OpenProtocolPart['protocol']['formats']
}

async function decide(
  parts: Parts,
  { stored, part, context }: Exchange,
  { groups, nonce, bound, formats }: Opened,
): Promise<VerificationResult> {
  const evaluation = await evaluatePresentations(
    groups,
    {
      protocol: part.protocol,
      formats: { ...openFormats(parts.formats), ...formats },
      query: queryOf(stored),
      transactionData: undefined,
      binding: { nonce, requestedAt: stored.createdAt, ...bound },
      policy: stored.policy,
      anchorSets: stored.anchorSets,
      isUnbound: stored.channel.kind === 'redirect' && !stored.channel.isSigned,
    },
    context,
  )
  if (evaluation.kind === 'refused') return refused(evaluation.reason, evaluation.details, evaluation.clause)
  const { subjectNamespaces: _, ...decision } = evaluation.decision
  return { ...decision, trace: evaluation.trace }
}

function refused(reason: EvaluationReason, details: RefusalDetails = {}, clause?: string): Refused {
  return { status: 'refused', reason, ...details, ...(clause && { clause }) }
}
