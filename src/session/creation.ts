// A session's beginning: what the edge hands over, and the first document made of it (CONTRACT 2).

import { encodeBase64url } from '../codec/base64url.ts'
import type { Config } from '../config.ts'
import type { VerifierIdentity } from '../openid4vp/generation.ts'
import type { Policy } from '../policy/policy.ts'
import { clientTokenOf, sessionUrlOf } from './client-token.ts'
import { IDEMPOTENCY_MS, SCHEMA, type SessionDocument, type StoredRequest } from './document.ts'
import { newGeneration, openGeneration, sealSigningKey } from './generation-keys.ts'
import { newestGeneration } from './generations.ts'
import { randomBytes, sealingKeyOf } from './random.ts'
import { walletRequest } from './requests.ts'
import type { CreatedSession } from './results.ts'
import { isoTime } from './view.ts'

/** A validated creation request, and what the relying party's settings add to it. */
export type CreateInput = {
  readonly relyingPartyId: string
  readonly livemode: boolean
  readonly request: StoredRequest
  readonly policy: Policy
  /** Who asks, pinned for the session's whole life. */
  readonly verifier: VerifierIdentity
  readonly retentionSeconds: number
  /** SHA-256 of the creation's body where an `Idempotency-Key` came with it. */
  readonly bodyDigest: string | null
}

/** The document of a new session with its first generation, where a QR is offered. `now` in Unix milliseconds. */
export async function newSession(
  input: CreateInput,
  verificationId: string,
  world: { readonly config: Config; readonly now: number },
): Promise<SessionDocument> {
  const { request, verifier, bodyDigest } = input
  const sealingKey = await sealingKeyOf(world.config)
  // CONTRACT 5: a QR can be passed on, so where binding is required none is made; the page asks for its link.
  const first = { verificationId, number: 1, channel: 'qr', browser: null } as const
  const offersQr = request.required_session_binding === 'none'
  const [generations, sealedSigningJwk] = await Promise.all([
    offersQr ? Promise.all([newGeneration(sealingKey, first, world.now)]) : [],
    sealSigningKey(sealingKey, verificationId, verifier.signingJwk),
  ])
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
    verifier: storedVerifier(verifier, sealedSigningJwk),
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
    owed_to_log: null,
    retention_ms: input.retentionSeconds * 1000,
    idempotency,
  }
}

function storedVerifier({ proof, clientId, verifierInfo }: VerifierIdentity, sealed_signing_jwk: string) {
  const told = verifierInfo === undefined ? {} : { verifier_info: verifierInfo }
  return { ...proof, client_id: clientId, sealed_signing_jwk, ...told }
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
