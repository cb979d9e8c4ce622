// The service's evaluation of a response to a request that the library made: a session with the same nonce,
// keys and policy.

import type { StoredRequest } from '../../packages/verify/src/stored-request.ts'
import type { VerificationResult } from '../../packages/verify/src/types.ts'
import type { Config } from '../../src/config.ts'
import { createFetchResource } from '../../src/net/guarded-fetch.ts'
import type { DC_API_PROTOCOLS } from '../../src/openid4vp/dc-api.ts'
import type { Settings } from '../../src/relying-party/document/settings.ts'
import type { SessionDocument } from '../../src/session/document/document.ts'
import type { StoredGeneration } from '../../src/session/document/generations.ts'
import type { PostedResponse } from '../../src/session/document/results.ts'
import { openGeneration, sealSecret } from '../../src/session/request/generation-keys.ts'
import { type Evaluation, evaluateResponse } from '../../src/session/response/evaluate-response.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { PENDING } from '../session/recorded-sessions.ts'

const BASE_URL = 'https://verifier.example'

/** The members of a configuration that an evaluation reads. */
const CONFIG = {
  baseUrl: BASE_URL,
  serverSecret: new Uint8Array(32).fill(7),
} as unknown as Config

/** Response URI of every session here. */
export const SESSION_RESPONSE_URI = `${BASE_URL}/v1/verify/${PENDING.verification_id}/callback`

/** A session, and the request as the library stores it. */
export type Pair = { readonly document: SessionDocument; readonly request: string }

/** Makes the session of a stored request. The request gets the session's `state` and `kid`. */
export async function pairOf(request: string): Promise<Pair> {
  const stored = JSON.parse(request) as StoredRequest
  const { openid4vp, annexC, channel, policy } = stored
  const { required_assurance_level, require_same_holder_key, ...queried } = policy
  const keys = openid4vp ?? annexC
  if (keys === undefined) throw new Error('the request has no key')
  const sealed = (place: string, d: string) =>
    sealSecret(CONFIG, { verificationId: PENDING.verification_id, place }, d)
  const { x, y = '', d } = keys.key
  const created_at = stored.createdAt * 1000
  const generation: StoredGeneration = {
    ...{ number: 1, nonce: keys.nonce, x, y, browser: null, created_at },
    sealed_key: await sealed('response-key/1', d),
    channel: channel.kind === 'dc_api' ? 'dc_api' : 'qr',
    ...(channel.kind === 'dc_api' && { origin: channel.origin }),
    ...(annexC && {
      annex_c: {
        ...{ nonce: annexC.nonce, x: annexC.key.x, y: annexC.key.y ?? '' },
        sealed_key: await sealed('annex-c-key/1', annexC.key.d),
      },
    }),
    ...{ superseded_at: null, handed_out_at: created_at, fetched: true, viewed: false, used_at: created_at },
  }
  const isSigned = channel.kind === 'dc_api' || channel.isSigned
  const client_id = channel.kind === 'dc_api' ? 'x509_hash:unused' : channel.clientId
  const document: SessionDocument = {
    ...PENDING,
    livemode: true,
    policy: queried,
    created_at,
    expires_at: stored.expiresAt * 1000,
    generations: [generation],
    verifier: isSigned
      ? { client_id, x5c: [], sealed_signing_jwk: 'unused' }
      : { client_id, sealed_signing_jwk: null },
    request: {
      ...PENDING.request,
      required_assurance_level,
      require_same_holder_key: require_same_holder_key === true,
      protocol: stored.protocol,
      ...(stored.anchorSets && { anchor_sets: stored.anchorSets }),
      request_options: {
        ...PENDING.request.request_options,
        response_mode: openid4vp?.responseMode ?? null,
      },
    },
  }
  const { state, kid } = await openGeneration(document, generation)
  return {
    document,
    request: JSON.stringify({ ...stored, openid4vp: openid4vp && { ...openid4vp, state, kid } }),
  }
}

/** A response by one of the channels. */
export type Posted =
  | { readonly parameters: readonly (readonly [string, string])[] }
  | { readonly protocol: (typeof DC_API_PROTOCOLS)[number]; readonly data: object }

/** Anchors, time and settings of one evaluation. */
export type World = {
  readonly anchors: readonly TrustAnchor[]
  /** True if a trust list is stale. */
  readonly incomplete: boolean
  readonly now: Date
  readonly fetch: (url: string) => Promise<Response>
  readonly statusUnavailable: 'refuse' | 'accept'
}

const NO_CACHE = { get: async () => undefined, put: async () => undefined }

/** Evaluates a response as a session does. */
export async function evaluateAsService({ document }: Pair, posted: Posted, world: World): Promise<unknown> {
  const now = world.now.getTime()
  if (now >= document.expires_at) return { status: 'expired', reason: 'session_expired' }
  const response: PostedResponse =
    'parameters' in posted
      ? { parameters: posted.parameters as [string, string][], digest: '' }
      : { dcApi: { protocol: posted.protocol, data: JSON.stringify(posted.data), browser: null }, digest: '' }
  const fetchResource = createFetchResource({
    ...{ fetch: world.fetch, allowLoopback: false, ownHost: 'verifier.example', timeoutMs: 5000 },
  })
  const evaluation = await evaluateResponse(response, {
    document,
    settings: {
      ...{ trust_anchors: world.anchors, credential_types: [], by_value: false },
      ...{ status_unavailable: world.statusUnavailable, certificate_revocation: 'off' },
    } as unknown as Settings,
    config: CONFIG,
    network: { fetchResource, sharedCache: NO_CACHE },
    subscribed: { anchors: [], incomplete: world.incomplete },
    sandboxed: false,
    arrivedAt: now,
  })
  return asResult(evaluation)
}

/** An evaluation in the form of the library. */
function asResult(evaluation: Evaluation): unknown {
  switch (evaluation.kind) {
    case 'declined':
      return { status: 'declined', reason: 'access_denied' }
    case 'wallet_error':
      return { status: 'refused', reason: 'wallet_error' }
    case 'refused': {
      const { reason, details = {}, clause } = evaluation
      return { status: 'refused', reason, ...details, ...(clause && { clause }) }
    }
    case 'decided': {
      const { subjectNamespaces: _, ...decision } = evaluation.decision
      return { ...decision, trace: evaluation.trace }
    }
  }
}

/** A result of the library without the member that the service does not report. */
export function comparable(result: VerificationResult): unknown {
  const { wallet_error: _, ...others } = result as { wallet_error?: string }
  return others
}
