// Evidence of a decision (api/evidence). The evidence is written and sealed before the step that ends the
// session, in the isolate that verified the response. Only digests of the evidence are stored or logged in
// plain text.

import { encodeBase64, encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { isJsonObject, member, parseJsonObject } from '../../codec/json.ts'
import { type Config, loadConfig } from '../../config.ts'
import { jwkThumbprint } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import type { Env } from '../../env.ts'
import type { EncryptedResponse, EvidenceInput, MissingItem } from '../../evidence/container/input.ts'
import { sealContainer } from '../../evidence/container/seal.ts'
import { writeContainer } from '../../evidence/container/write.ts'
import type { EvaluationRules } from '../../evidence/evaluation/record.ts'
import { relevantAnchors } from '../../evidence/evaluation/relevant-anchors.ts'
import type { FetchedCopy } from '../../net/guarded-fetch.ts'
import type { DcApiProtocol } from '../../openid4vp/dc-api.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from '../../openid4vp/response/response-encryption.ts'
import { err, ok, type Result } from '../../result.ts'
import { VERSION } from '../../version.ts'
import type { SessionDocument } from '../document/document.ts'
import type { PostedResponse } from '../document/results.ts'
import type { SessionEnd } from '../end/end-session.ts'
import { policyMembers, receiptClaims } from '../end/receipt-claims.ts'
import {
  type EvidenceTerms,
  owedWork,
  type SealedEvidence,
  splitEvidence,
} from '../evidence/stored-evidence.ts'
import { openGeneration } from '../request/generation-keys.ts'
import { buildTerms } from '../request/terms.ts'
import { answeredRequest } from './answered-request.ts'
import type { Evaluation } from './evaluate-response.ts'
import { usedResources, verifierKeys } from './used-resources.ts'

type Decided = Evaluation & { readonly kind: 'decided' }

/** The decision that the evidence is about. `now`: arrival of the response, in Unix milliseconds. */
type DecidedResponse = {
  readonly evaluation: Decided
  readonly end: SessionEnd
  readonly response: PostedResponse
  readonly document: SessionDocument
  /** The public resources that the evaluation used. */
  readonly copies: readonly FetchedCopy[]
  readonly now: number
}

/**
 * Returns the sealed evidence of a decision; `undefined` if no evidence is kept of this outcome. The lists
 * that the evidence names are stored first. If this function throws, or the container would exceed 3 MiB, the
 * session must not end.
 */
export async function sealEvidence(
  decided: DecidedResponse,
  env: Env,
): Promise<Result<SealedEvidence | undefined, 'response_too_large'>> {
  const { document, end, copies, evaluation, now } = decided
  const { evidence_terms: terms } = document
  if (terms === undefined || !isKept(terms, end)) return ok(undefined)
  const config = loadConfig(env)
  const [key] = config.accessTokenKeys.keys
  const vouching = evaluation.presentations.flatMap(({ credential }) => credential.anchor.list ?? [])
  const used = await usedResources(env, document, { copies, vouching }, now)
  const written = await writeContainer(await containerInput(decided, used, config), (payload, typ) =>
    signJwt(payload, typ, key),
  )
  if (!written.ok) return err('response_too_large')
  const { zip, manifest, manifestSha256, materials } = written.value
  const sealed = await sealContainer(zip, terms.keys)
  const parts = splitEvidence(utf8(JSON.stringify({ manifest: encodeBase64(manifest), materials, sealed })))
  const members = { manifest_sha256: manifestSha256, created_at: now, parts: parts.length }
  return ok({ stored: { ...members, ...owedWork(terms, now) }, parts })
}

function isKept({ outcomes }: EvidenceTerms, { status }: SessionEnd): boolean {
  return outcomes.some((outcome) => outcome === status)
}

async function containerInput(
  { evaluation, end, response, document, now }: DecidedResponse,
  { materials, fetched_keys, lacksTrustList }: Awaited<ReturnType<typeof usedResources>>,
  config: Config,
): Promise<EvidenceInput> {
  const { subject, decision, trace, generation, exchange, presentations } = evaluation
  const { claims: _, ...decisionOnly } = decision
  const terms = buildTerms(document, generation)
  const { state, kid } = await openGeneration(document, generation)
  const { responseKey: key, rules } = subject
  const thumbprint = key && encodeBase64url(await jwkThumbprint(key))
  const isAnnexC = subject.session.annex_c
  const credentials = presentations.map(({ credential }) => credential)
  const outcome = { ...end.outcome, ...exchange }
  const ended = { ...document, status: end.status }
  const protocol = exchangeProtocol(response)
  const request = await answeredRequest(config, document, generation, protocol)
  const isUnsigned = protocol === 'openid4vp-v1-unsigned' && request.kind === 'request_object'
  return {
    software: {
      name: 'wallet-verifier',
      version: VERSION,
      commit: config.commit,
      bundle_sha256: config.bundleSha256,
    },
    verification_id: document.verification_id,
    relying_party_id: document.relying_party_id,
    livemode: document.livemode,
    requested_at: generation.created_at,
    received_at: now,
    decided_at: now,
    request,
    requests_fetched: generation.fetches ?? 0,
    session: {
      ...subject.session,
      client_id: terms.verifier.client_id,
      response_mode: terms.request.request_options.response_mode,
      language: terms.language,
      state: generation.channel === 'dc_api' ? null : state,
      response_key_thumbprint: thumbprint,
    },
    groups: subject.groups,
    encrypted: key && encryptedResponse(response, isAnnexC ? key : { ...key, kid }),
    certificates: credentials.flatMap(({ issuerPath }) => issuerPath.map(({ encoded }) => encoded)),
    fetched_keys: [...fetched_keys, ...(await verifierKeys(config, terms))],
    service_keys: config.accessTokenKeys.keys.map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid })),
    decision: {
      ...rules,
      trust: { ...rules.trust, anchors: relevantAnchors(rules.trust.anchors, presentations) },
      asked: policyMembers(document),
      decision: decisionOnly,
      trace: trace as EvidenceInput['decision']['trace'], // each `id` is a `CheckId`: `policy` is added later
    },
    materials,
    missing: missingItems(evaluation, { lacksTrustList, isUnsigned }),
    receipt: {
      ...(await receiptClaims(ended, { outcome, ended_at: now }, config.baseUrl)),
      trace: end.outcome.trace,
    },
    time_stamp: document.evidence_terms?.time_stamp !== undefined,
    salts: { evidence: randomBytes(16), decision: randomBytes(16), session: randomBytes(16) },
  }
}

/** Returns the exchange protocol of a response through the Digital Credentials API. */
function exchangeProtocol(response: PostedResponse): DcApiProtocol | undefined {
  return 'dcApi' in response ? response.dcApi.protocol : undefined
}

/**
 * Returns the encrypted response with its key; null if the posted parameters or data have no member
 * `response`.
 */
function encryptedResponse(
  response: PostedResponse,
  key: EncryptedResponse['key'],
): EncryptedResponse | null {
  if ('parameters' in response) {
    const text = new Map(response.parameters).get('response')
    return text === undefined ? null : { text, key }
  }
  const data = parseJsonObject(response.dcApi.data, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  const text = data.ok && isJsonObject(data.value) ? member(data.value, 'response') : undefined
  return typeof text === 'string' ? { text, key } : null
}

/**
 * Returns the items that an auditor cannot check again from the container, each with its reason.
 * `isUnsigned`: true if the wallet answered the unsigned request, and the container has the signed one.
 */
function missingItems(
  { subject, presentations, generation }: Decided,
  { lacksTrustList, isUnsigned }: { readonly lacksTrustList: boolean; readonly isUnsigned: boolean },
): readonly MissingItem[] {
  const credentials = presentations.map(({ credential }) => credential)
  const items: (MissingItem | false)[] = [
    ...credentials.map(({ status }) => status === 'unavailable' && unavailable('status')),
    ...credentials.map(({ certificates, issuerPath }) =>
      revocationItem(subject.rules.trust.certificate_revocation, certificates?.status, issuerPath.length),
    ),
    lacksTrustList && { what: 'trust_list' as const, reason: 'not_kept' },
    generation.channel === 'by_value' && { what: 'request' as const, reason: 'by_value' },
    isUnsigned && { what: 'request' as const, reason: 'unsigned' },
  ]
  const missingItems = items.filter((item) => item !== false)
  return [...new Map(missingItems.map((item) => [`${item.what} ${item.reason}`, item])).values()]
}

function unavailable(what: MissingItem['what']): MissingItem {
  return { what, reason: 'accepted_as_unavailable' }
}

function revocationItem(
  rule: EvaluationRules['trust']['certificate_revocation'],
  status: string | undefined,
  certificates: number,
): MissingItem | false {
  if (certificates === 0) return false
  if (rule === 'off') return { what: 'certificate_revocation', reason: 'off' }
  return status === 'unavailable' && unavailable('certificate_revocation')
}
