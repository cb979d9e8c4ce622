// A session's beginning: what the edge hands over, and the first document made of it (CONTRACT 2).

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { Trace } from '../../codec/traceparent.ts'
import type { Config } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { REQUEST_BY_VALUE } from '../../limits.ts'
import { redirectUriClientId } from '../../openid4vp/request/client-identifier.ts'
import type { VerifierIdentity } from '../../openid4vp/request/generation.ts'
import type { Policy } from '../../policy/policy.ts'
import {
  IDEMPOTENCY_MS,
  passesByValue,
  SCHEMA,
  type SessionDocument,
  type StoredRequest,
  type StoredVerifier,
} from '../document.ts'
import { type SealingKey, sealingKeyOf } from '../random.ts'
import type { CreatedSession } from '../results.ts'
import { clientTokenOf, sessionUrlOf } from './client-token.ts'
import { newGeneration, openGeneration, sealSigningKey } from './generation-keys.ts'
import { newestGeneration } from './generations.ts'
import { callbackUrl, walletRequest } from './requests.ts'

/** A validated creation request, and what the relying party's settings add to it. */
export type CreateInput = {
  readonly relyingPartyId: string
  readonly livemode: boolean
  readonly request: StoredRequest
  readonly policy: Policy
  /** Who asks, pinned for the session's whole life; `null`: nobody signs, and requests are passed by value. */
  readonly verifier: VerifierIdentity | null
  readonly retentionSeconds: number
  /** SHA-256 of the creation's body where an `Idempotency-Key` came with it. */
  readonly bodyDigest: string | null
  /** The trace that the creation belongs to. */
  readonly trace: Trace
}

/** The document of a new session with its first generation, where a QR is offered. `now` in Unix milliseconds. */
export async function newSession(
  input: CreateInput,
  verificationId: string,
  world: { readonly config: Config; readonly now: number },
): Promise<SessionDocument> {
  const { request, bodyDigest } = input
  const sealingKey = await sealingKeyOf(world.config)
  // CONTRACT 5: a QR can be passed on, so where binding is required none is made; the page asks for its link.
  const first = { verificationId, number: 1, channel: 'qr', browser: null } as const
  const offersQr = request.required_session_binding === 'none'
  const [made, verifier] = await Promise.all([
    offersQr ? Promise.all([newGeneration(sealingKey, first, world.now)]) : [],
    pinVerifier(input.verifier, verificationId, { sealingKey, baseUrl: world.config.baseUrl }),
  ])
  const isHandedOut = passesByValue({ verifier })
  const generations = isHandedOut ? made.map((one) => ({ ...one, handed_out_at: world.now })) : made
  const idempotency =
    bodyDigest === null ? null : { body_digest: bodyDigest, keep_until: world.now + IDEMPOTENCY_MS }
  return {
    schema: SCHEMA,
    erased: false,
    verification_id: verificationId,
    relying_party_id: input.relyingPartyId,
    livemode: input.livemode,
    request,
    policy: input.policy,
    status: 'pending',
    version: 1,
    created_at: world.now,
    expires_at: world.now + request.expires_in * 1000,
    ended_at: null,
    verified_at: null,
    verifier,
    handle_key: encodeBase64url(randomBytes(32)),
    generation_count: generations.length,
    generations,
    request_fetched: false,
    held: null,
    returned: null,
    outcome: null,
    winner: null,
    attempts: [],
    attempt_count: 0,
    deliveries: [],
    pending_log_entry: null,
    retention_ms: input.retentionSeconds * 1000,
    idempotency,
    trace_context: input.trace,
  }
}

/** OpenID4VP 1.0 §5.9.3: without a signature, the address that answers go to stands for who asks. */
async function pinVerifier(
  identity: VerifierIdentity | null,
  verificationId: string,
  { sealingKey, baseUrl }: { readonly sealingKey: SealingKey; readonly baseUrl: string },
): Promise<StoredVerifier> {
  if (identity === null) {
    const responseUri = callbackUrl({ verification_id: verificationId }, baseUrl)
    return { client_id: redirectUriClientId(responseUri), sealed_signing_jwk: null }
  }
  const sealed = await sealSigningKey(sealingKey, verificationId, identity.signingJwk)
  const { proof, clientId, verifierInfo } = identity
  const told = verifierInfo === undefined ? {} : { verifier_info: verifierInfo }
  return { ...proof, client_id: clientId, sealed_signing_jwk: sealed, ...told }
}

/** What the edge answers the creation with: the session as it is now. */
export async function createdSession(document: SessionDocument, config: Config): Promise<CreatedSession> {
  const newest = newestGeneration(document.generations, 'any_device')
  const request =
    newest === undefined
      ? null
      : walletRequest(document, await openGeneration(document, newest), config.baseUrl)
  const { verification_id, status, version, expires_at, livemode } = document
  return {
    verification_id,
    session_url: await sessionUrlOf(config, document),
    client_token: await clientTokenOf(config, document),
    status,
    version,
    livemode,
    expires_at: isoTime(expires_at),
    uri: request?.uri ?? null,
    wallet_request: JSON.stringify(request),
  }
}

/** Whether its request fits a QR, where it offers one; all later ones are as long. */
export function isDrawable({ uri }: CreatedSession): boolean {
  return uri === null || utf8(uri).length <= REQUEST_BY_VALUE.bytes
}
