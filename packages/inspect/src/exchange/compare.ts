// Evaluates a response for its request by the code of the service: the same opening, checks and reasons. A
// fact that a verifier knows, and that the two messages do not show, is assumed, and the outcome says so.

import type { PrivateJwk } from '../../../../src/crypto/jwk.ts'
import { evaluateSubject } from '../../../../src/evidence/evaluation/evaluate.ts'
import { replayFetches } from '../../../../src/evidence/evaluation/recording.ts'
import type { PresentationsEvaluation } from '../../../../src/exchange/evaluate-presentations.ts'
import { uncheckedRules } from '../../../../src/exchange/unchecked.ts'
import { FORMATS } from '../../../../src/formats/index.ts'
import { PROTOCOLS } from '../../../../src/openid4vp/protocols/index.ts'
import type { ProtocolId } from '../../../../src/openid4vp/request/generation.ts'
import { buildDcqlPolicy } from '../../../../src/policy/build-dcql-policy.ts'
import { typeDefinitions, typeOf } from '../../../../src/policy/catalogue.ts'
import type { CredentialTypeDefinition } from '../../../../src/policy/policy.ts'
import { DCQL_MESSAGES } from '../../../../src/policy/request-messages.ts'
import { REASONS } from '../../../../src/session/document/reasons.ts'
import type { Context } from '../context.ts'
import type { Outcome } from '../report.ts'
import { timeText } from '../rows.ts'
import type { Source } from '../source.ts'
import { assumedAnchors, readAnchors } from './anchors.ts'
import { readStatusList } from './lists.ts'
import { type ExchangeRequest, NotEvaluatedError, readExchangeRequest } from './request.ts'
import { isOfAnnexC, type Opened, openDocumentsOf, openResponseOf } from './response.ts'

/** Options of a comparison. `isTimeGiven`: false takes the time of the request. */
export type CompareOptions = Context & {
  readonly anchors: string | undefined
  readonly origin: string | undefined
  readonly haip: boolean
  readonly lists: readonly (string | Uint8Array)[]
  readonly isTimeGiven: boolean
}

/** Returns the outcome of a response for its request. */
export async function compare(request: Source, response: Source, options: CompareOptions): Promise<Outcome> {
  try {
    const usesAnnexC = isOfAnnexC(response)
    const read = readExchangeRequest(request, { origin: options.origin, usesAnnexC })
    return await evaluate(read, response, options)
  } catch (error) {
    if (!(error instanceof NotEvaluatedError)) throw error
    return outcome('not_evaluated', { message: error.message })
  }
}

async function evaluate(
  request: ExchangeRequest,
  response: Source,
  options: CompareOptions,
): Promise<Outcome> {
  const assumptions: string[] = []
  const now = timeOf(request, options, assumptions)
  const { stored } = request
  if (stored !== undefined && now >= stored.expiresAt)
    return ofReason('expired', 'session_expired', assumptions)
  const protocol = protocolOf(request, options)
  const key = privateKeyOf(request, options)
  const opened =
    request.kind === 'annex_c'
      ? await openDocumentsOf(response, request, key)
      : await openResponseOf(response, request, { key, protocol: PROTOCOLS[protocol] })
  if (!opened.ok) return ofReason('refused', opened.error, assumptions)
  if (opened.value.kind === 'wallet_error') return ofWalletError(opened.value.error, assumptions)
  if (opened.value.isGivenOpen)
    assumptions.push('The response was given decrypted: state and key of the response were not compared.')
  const subject = subjectOf(request, opened.value, { ...options, now, protocol, key }, assumptions)
  const evaluated = await evaluateSubject(subject).catch((error: unknown) => {
    if (key !== undefined) throw error
    throw new NotEvaluatedError(
      'a MAC of the device is checked only with the private key of the request: give it',
    )
  })
  return ofEvaluation(evaluated, assumptions)
}

/** Returns the time of the evaluation in Unix seconds. */
function timeOf(
  { requestedAt }: ExchangeRequest,
  { now, isTimeGiven }: CompareOptions,
  assumptions: string[],
) {
  const time = isTimeGiven ? now : (requestedAt ?? now)
  const whose = isTimeGiven ? 'the given time' : requestedAt === undefined ? 'now' : 'the time of the request'
  assumptions.push(`Time of the checks: ${timeText(time)}, ${whose}.`)
  return time
}

function protocolOf({ kind, stored }: ExchangeRequest, { haip }: CompareOptions): ProtocolId {
  if (stored !== undefined) return stored.protocol
  if (kind === 'annex_c') return 'iso-18013-7-c'
  return haip ? 'haip-1.0' : 'openid4vp-1.0'
}

/** Returns the private key of the request: stored, or given. */
function privateKeyOf(
  { stored, kind, publicJwk }: ExchangeRequest,
  { keys }: CompareOptions,
): PrivateJwk | undefined {
  if (stored !== undefined) return (kind === 'annex_c' ? stored.annexC : stored.openid4vp)?.key
  return keys.find(({ publicJwk: { x }, privateJwk }) => privateJwk !== undefined && x === publicJwk?.x)
    ?.privateJwk
}

type Evaluating = CompareOptions & {
  readonly protocol: ProtocolId
  readonly key: PrivateJwk | undefined
}

function subjectOf(
  request: ExchangeRequest,
  { groups, audience, handover }: Extract<Opened, { kind: 'presentations' }>,
  options: Evaluating,
  assumptions: string[],
): Parameters<typeof evaluateSubject>[0] {
  const { now, protocol, lists, anchors: given } = options
  const { policy, added } = policyOf(request, assumptions)
  const types = typeDefinitions(added).map(({ name }) => name)
  const fetched = lists.map((list) => readStatusList(list, now))
  const chains = fetched.map(({ chain }) => chain)
  const keys = options.keys.map(({ publicJwk }) => publicJwk)
  const anchors = given ? readAnchors(given, types) : assumedAnchors(groups, chains, { types, keys })
  if (!given) assumptions.push(TRUSTED)
  if (lists.length === 0) assumptions.push(UNCHECKED)
  const status_unavailable = lists.length === 0 ? 'accept' : 'refuse'
  const settings = { status_unavailable, certificate_revocation: 'off' } as const
  const unchecked = uncheckedRules(settings, policy.required_assurance_level)
  const { encryptionKey: responseKey, ...channelBound } = handover
  const isRedirect = request.kind === 'openid4vp' && request.channel.kind === 'redirect'
  return {
    session: {
      protocol,
      annex_c: request.kind === 'annex_c',
      channel: isRedirect ? 'qr' : 'dc_api',
      nonce: request.nonce,
      audience,
      handover: channelBound,
      query: request.query,
      transaction_data: request.kind === 'openid4vp' ? request.transactionData : null,
      requested_at: request.requestedAt ?? 0,
    },
    rules: {
      now,
      policy,
      unbound:
        request.kind === 'openid4vp' && request.channel.kind === 'redirect' && !request.channel.isSigned,
      credential_types: added,
      trust: {
        anchors,
        anchor_sets: request.stored?.anchorSets ?? null,
        sandbox: !given,
        status_unavailable: unchecked.statusUnavailable,
        certificate_revocation: unchecked.certificateRevocation,
      },
    },
    groups,
    responseKey,
    network: replayFetches(fetched.map(({ copy }) => copy)),
  }
}

type PolicyOfRequest = {
  readonly policy: Parameters<typeof evaluateSubject>[0]['rules']['policy']
  readonly added: readonly CredentialTypeDefinition[]
}

/** Returns the policy of a stored request, or the policy that the query alone makes. */
function policyOf({ stored, query }: ExchangeRequest, assumptions: string[]): PolicyOfRequest {
  if (stored !== undefined) {
    const { require_same_holder_key = false } = stored.policy
    return { policy: { ...stored.policy, require_same_holder_key }, added: stored.credentialTypes }
  }
  const added = unknownTypes(query)
  const formats = Object.values(FORMATS)
  const built = buildDcqlPolicy(query, { definitions: typeDefinitions(added), formats, hasTrustLists: true })
  if (!built.ok) {
    const faults = built.error.map(({ code, pointer }) => `${pointer} ${DCQL_MESSAGES[code] ?? code}`)
    throw new NotEvaluatedError(`no verifier here makes this query: ${faults.join('; ')}`)
  }
  assumptions.push('Only the query of the request is known: further rules of the verifier are not.')
  return {
    policy: { ...built.value, required_assurance_level: 'low', require_same_holder_key: false },
    added,
  }
}

/** Returns a type for each identifier in the query that is none of the built-in types. */
function unknownTypes({ credentials }: ExchangeRequest['query']): readonly CredentialTypeDefinition[] {
  const known = typeOf(typeDefinitions([]))
  const identifiers = credentials.flatMap(({ format, meta }) => {
    const types =
      Object.values(FORMATS)
        .find(({ id }) => id === format)
        ?.metaTypes(meta) ?? []
    return types.filter((type) => known(format, type) === undefined).map((type) => ({ format, type }))
  })
  const unique = [...new Map(identifiers.map((each) => [JSON.stringify(each), each])).values()]
  return unique.map(({ format, type }, i) => ({
    name: `type_${i + 1}`,
    formats: { [format]: { identifiers: [type], scopes: {} } },
  }))
}

const TRUSTED = 'The issuer in the response is taken as trusted. A verifier decides that itself.'
const UNCHECKED = 'Status lists are not fetched: if a credential names one, its status was not checked.'
const ACCEPTED = {
  always: 'A verifier accepts the response.',
  if: 'A verifier accepts the response only if what is assumed here is true.',
}

type Result = Pick<Outcome, 'message'> & Partial<Outcome>

function outcome(status: Outcome['status'], result: Result): Outcome {
  return { status, is_conditional: false, reason: null, clause: null, steps: [], assumptions: [], ...result }
}

function ofReason(
  status: Outcome['status'],
  reason: keyof typeof REASONS,
  assumptions: readonly string[],
): Outcome {
  return outcome(status, { reason, message: REASONS[reason].message, assumptions })
}

function ofWalletError(error: string, assumptions: readonly string[]): Outcome {
  if (error === 'access_denied') return ofReason('declined', error, assumptions)
  const message = `${REASONS.wallet_error.message} The wallet sent ${error}.`
  return outcome('refused', { reason: 'wallet_error', message, assumptions })
}

function ofEvaluation(evaluated: PresentationsEvaluation, assumptions: readonly string[]): Outcome {
  if (evaluated.kind === 'refused') {
    const { reason, clause = null } = evaluated
    return { ...ofReason('refused', reason, assumptions), clause }
  }
  const { status, reason } = evaluated.decision
  const is_conditional =
    status === 'verified' && [TRUSTED, UNCHECKED].some((one) => assumptions.includes(one))
  const message = reason === null ? ACCEPTED[is_conditional ? 'if' : 'always'] : REASONS[reason].message
  const steps = evaluated.trace.map(({ id, clause, result }) => ({ id, clause, result }))
  return outcome(status, { is_conditional, reason, message, assumptions, steps })
}
