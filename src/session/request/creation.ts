// Creation of a session (api/creation): from the checked request to the first document.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { Trace } from '../../codec/traceparent.ts'
import { type Config, loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { Env } from '../../env.ts'
import { REQUEST_BY_VALUE } from '../../limits.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import type { VerifierIdentity } from '../../openid4vp/request/generation.ts'
import type { Policy } from '../../policy/policy.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { noteEvidence } from '../../relying-party/evidence-sessions.ts'
import { err, ok, type Result } from '../../result.ts'
import type { OriginalRequest } from '../../wallets/lowering.ts'
import { CURRENT_VERSION, IDEMPOTENCY_MS, type SessionDocument } from '../document/document.ts'
import { newestGeneration } from '../document/generations.ts'
import type { Login } from '../document/login.ts'
import type { CreatedSession } from '../document/results.ts'
import type { StoredRequest } from '../document/stored-request.ts'
import { passesByValue, type StoredVerifier, type StoredWallet } from '../document/stored-verifier.ts'
import type { EvidenceTerms } from '../evidence/stored-evidence.ts'
import { firstEntry } from '../store/changed-entry.ts'
import { buildSessionUrl, signClientToken } from './client-token.ts'
import { newGeneration, openGeneration, pinIdentity } from './generation-keys.ts'
import { type ChosenWallet, pinWallet } from './lowered-wallet.ts'
import { walletRequest } from './requests.ts'
import { buildTerms } from './terms.ts'

/** A validated create request, and the values that the relying party's settings add. */
export type CreateInput = {
  readonly relyingPartyId: string
  readonly livemode: boolean
  readonly request: StoredRequest
  readonly policy: Policy
  /**
   * The verifier's identity until the end of the session. Null for unsigned requests, and in a protocol
   * without the redirect flow.
   */
  readonly verifier: VerifierIdentity | null
  /** The wallet that the create request chose. `request.wallet` is the id of this wallet. */
  readonly wallet?: ChosenWallet
  /** Terms of the evidence. Absent: no evidence is kept. */
  readonly evidence?: EvidenceTerms
  readonly retentionSeconds: number
  /** True if the relying party has a list of its verifications. */
  readonly isIndexed: boolean
  /** True if the webhook is subscribed to a step event. */
  readonly hasStepEvents: boolean
  /** SHA-256 of the body of the create request; null without an `Idempotency-Key`. */
  readonly bodyDigest: string | null
  /** Trace of the create request. */
  readonly trace: Trace
  /** The login of an OpenID Connect client. */
  readonly login?: Login
  /** Time at which the login began (Unix milliseconds). Absent for every other session. */
  readonly createdAt?: number
}

/**
 * Returns the document of a new session, which is not stored yet, and the members of the response. A session
 * that may have evidence is noted at its relying party. A deletion of the relying party erases the evidence.
 */
export async function makeSession(
  env: Env,
  input: CreateInput,
  verificationId: string,
): Promise<Result<{ document: SessionDocument; session: CreatedSession }, 'too_long' | 'deleted'>> {
  const config = loadConfig(env)
  const document = await newSession(input, verificationId, { config, now: Date.now() })
  const session = await createdSession(document, config)
  if (session.wallet_request !== null && !fitsQr(session.wallet_request.uri)) return err('too_long')
  return (await isNoted(env, document)) ? ok({ document, session }) : err('deleted')
}

/** Longest time after the retention for which a session may be stored, with a margin. */
const AFTER_RETENTION_MS = 8 * 86_400_000

/**
 * Notes at the relying party that a session may have evidence. Returns false if the relying party is deleted.
 * Returns true without a note if the session keeps no evidence.
 */
async function isNoted(env: Env, document: SessionDocument): Promise<boolean> {
  const { evidence_terms, relying_party_id, verification_id, expires_at, retention_ms } = document
  if (evidence_terms === undefined) return true
  const until = expires_at + retention_ms + AFTER_RETENTION_MS
  await noteEvidence(env, relying_party_id, verification_id, until)
  // A deletion of the relying party first deletes the settings, and then reads the noted sessions. So if the
  // settings still exist after the note, a later deletion will find this session.
  return (await relyingPartyStub(env, relying_party_id)?.exists()) ?? false
}

/**
 * Returns the document of a new session. The document has a first generation if the session offers a QR code.
 * `now` in Unix milliseconds.
 */
async function newSession(
  input: CreateInput,
  verificationId: string,
  { config, now }: { readonly config: Config; readonly now: number },
): Promise<SessionDocument> {
  const { request } = input
  // api/binding: a QR code can be passed to another person. If the session requires a binding, the session
  // has no QR code, and the page creates a link.
  const first = { verificationId, number: 1, channel: 'qr', browser: null, wallet: request.wallet } as const
  const offersQr = qrRefusal(request, input.wallet) === undefined
  const [made, verifier, wallet] = await Promise.all([
    offersQr ? Promise.all([newGeneration(config, first, now)]) : [],
    pinVerifier(input, verificationId, config),
    input.wallet && pinWallet(config, { verification_id: verificationId }, input.wallet),
  ])
  const document: SessionDocument = {
    ...emptySession(input, verificationId, now),
    verifier,
    generation_count: made.length,
    generations: made,
    ...(wallet && { wallets: [wallet] }),
  }
  const isHandedOut = passesByValue(buildTerms(document, first))
  return isHandedOut
    ? { ...document, generations: made.map((one) => ({ ...one, handed_out_at: now })) }
    : document
}

/**
 * Returns the document of a new session that has no generation and no verifier yet. The page of a login is
 * built from such a document before the session exists.
 */
export function emptySession(input: CreateInput, verificationId: string, now: number): SessionDocument {
  const { request, bodyDigest, login, createdAt: created_at = now } = input
  const ids = { verification_id: verificationId, expires_at: created_at + request.expires_in * 1000 }
  // The page of a login may repeat its create request until the login expires.
  const keep_until = login === undefined ? now + IDEMPOTENCY_MS : ids.expires_at
  // The list entry of a login is first sent after the first action of a wallet.
  const index_entry = login === undefined ? firstEntry(ids) : UNCHANGED_ENTRY
  return {
    ...CURRENT_VERSION,
    erased: false,
    ...ids,
    relying_party_id: input.relyingPartyId,
    livemode: input.livemode,
    request,
    policy: input.policy,
    status: 'pending',
    version: 1,
    created_at,
    ended_at: null,
    verified_at: null,
    verifier: { client_id: null, sealed_signing_jwk: null },
    handle_key: encodeBase64url(randomBytes(32)),
    generation_count: 0,
    generations: [],
    request_fetched: false,
    held: null,
    returned: null,
    outcome: null,
    winner: null,
    attempts: [],
    attempt_count: 0,
    deliveries: [],
    pending_log_entry: null,
    ...(input.hasStepEvents && { step_events: { count: 0, refused_at: null } }),
    ...(input.isIndexed && { pending_index_entry: index_entry }),
    ...(input.evidence && { evidence_terms: input.evidence }),
    retention_ms: input.retentionSeconds * 1000,
    idempotency: bodyDigest === null ? null : { body_digest: bodyDigest, keep_until },
    trace_context: input.trace,
    ...(login && { login }),
  }
}

/** State of a list entry that is first sent after it has changed. */
const UNCHANGED_ENTRY = { revision: 0, calls: 0, next_call_at: null } as const

/**
 * Returns the reason for which a session has no QR code for a wallet (null: any wallet); `undefined` if the
 * session has a QR code. A QR code can be passed to another person, so a session that requires a binding has
 * no QR code.
 */
export function qrRefusal(
  { protocol, required_session_binding }: Pick<StoredRequest, 'protocol' | 'required_session_binding'>,
  wallet?: Pick<StoredWallet, 'link'> | null,
): 'redirect_not_offered' | 'binding_excludes_qr' | undefined {
  if (!PROTOCOLS[protocol].supportsRedirect || wallet?.link === null) return 'redirect_not_offered'
  return required_session_binding === 'none' ? undefined : 'binding_excludes_qr'
}

async function pinVerifier(
  { verifier, request }: Pick<CreateInput, 'verifier' | 'request'>,
  verificationId: string,
  config: Config,
): Promise<StoredVerifier> {
  if (!PROTOCOLS[request.protocol].supportsRedirect) return { client_id: null, sealed_signing_jwk: null }
  return pinIdentity(config, verificationId, verifier)
}

/** Returns the current members of the session for the response to a creation. */
export async function createdSession(document: SessionDocument, config: Config): Promise<CreatedSession> {
  const newest = newestGeneration(document.generations, 'any_device')
  const request =
    newest === undefined
      ? null
      : walletRequest(buildTerms(document, newest), await openGeneration(document, newest), config.baseUrl)
  const { verification_id, status, version, expires_at, livemode } = document
  return {
    verification_id,
    status,
    session_url: await buildSessionUrl(config, document),
    expires_at: isoTime(expires_at),
    client_token: await signClientToken(config, document),
    wallet_request: request,
    livemode,
    version,
    locale: document.request.locale,
  }
}

/**
 * Returns true if the first request of a session is passed by value, and is too long for the session's QR
 * code. `makeSession` would refuse this session (`too_long`).
 */
export function exceedsQr({
  creation: { request, policy, verifier, wallet },
  original: { qr },
}: {
  readonly creation: Omit<CreateInput, 'bodyDigest'>
  readonly original: OriginalRequest
}): boolean {
  const { response_mode } = request.request_options
  // The length of a request for a chosen wallet was checked when the request was adapted to the wallet.
  const isByValue = verifier === null && wallet === undefined && qrRefusal(request) === undefined
  if (!isByValue || response_mode === null || qr === undefined) return false
  return qr.valueBytes({ query: policy.query, link: 'openid4vp', response_mode }) > REQUEST_BY_VALUE.bytes
}

/** Returns true if a URI fits into a QR code. Later requests with the same terms have the same length. */
export function fitsQr(uri: string): boolean {
  return utf8(uri).length <= REQUEST_BY_VALUE.bytes
}
