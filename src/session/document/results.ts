// Results of the session's methods, as plain data. Errors are values, because a thrown error loses its class
// in a call of a Durable Object. Views are JSON text, serialised once.

import type { Status } from '../../api/values.ts'
import type { DcApiProtocol } from '../../openid4vp/dc-api.ts'
import type { WalletMetadataRefusal } from '../../openid4vp/request/wallet-metadata.ts'
import type { Result } from '../../result.ts'
import type { RefusalReason } from './reasons.ts'

/** Reason for which a method of the session fails. */
export type SessionError =
  /**
   * The session is unknown, erased, or of another relying party. The caller cannot tell these cases apart.
   */
  | 'not_found'
  /** The session has ended. */
  | 'ended'
  /** The session has not ended yet. */
  | 'not_ended'
  | 'render_limit_reached'
  /**
   * The session must be bound to one browser. So the session has no QR code, and no request that every device
   * may answer.
   */
  | 'binding_excludes_qr'
  /** The protocol has no QR code and no link. */
  | 'redirect_not_offered'
  /** The protocol has no request for the Digital Credentials API. */
  | 'dc_api_not_offered'
  /** No wallet profile has this id. */
  | 'wallet_unknown'
  /** The chosen wallet cannot answer the request. */
  | 'wallet_cannot'
  /** The settings of the relying party are unavailable; nothing was changed. */
  | 'unavailable'
  /** No evidence was kept of the session. */
  | 'no_evidence'

/** A wallet's response, as the route parsed it. `digest`: SHA-256 of its body (base64url). */
export type PostedResponse = { readonly digest: string } & (
  | { readonly parameters: readonly (readonly [string, string])[] }
  /**
   * Response through the Digital Credentials API: the exchange protocol, and JSON text of the credential's
   * `data`. `browser`: the `browserMark` of the browser that posts the response; null for the relying party's
   * page.
   */
  | {
      readonly dcApi: {
        readonly protocol: DcApiProtocol
        readonly data: string
        readonly browser: string | null
      }
    }
)

/** Reason for which a wallet's response is refused. */
export type RefusalCode =
  | RefusalReason
  | 'session_not_found'
  | 'session_ended'
  /** Another response is held until its browser returns. */
  | 'return_awaited'
  | 'settings_unavailable'

/** The `redirect_uri` for a wallet, or the refusal of its response. */
export type ResponseResult = Result<string, RefusalCode>

/**
 * Reason for which a wallet gets no Request Object. `request_over`: the request is no longer live, or the
 * session has ended.
 */
export type RequestRefusal = 'session_not_found' | 'unknown_request' | 'request_over' | WalletMetadataRefusal

/**
 * A request for one browser: the secret for the browser's cookie, and JSON text of the URI and the wallet
 * links.
 */
export type Link = { readonly secret: string; readonly json: string }

/** A created session in its current state. `expires_at`: RFC 3339. */
export type CreatedSession = {
  readonly verification_id: string
  readonly status: Status
  readonly session_url: string
  readonly expires_at: string
  readonly client_token: string
  /**
   * The whole wallet request. Only `uri` is in the type, because the RPC types do not support recursive types
   * such as that of `dcql_query`.
   */
  readonly wallet_request: { readonly uri: string } | null
  readonly livemode: boolean
  readonly version: number
  readonly locale: string | null
}

/** Result of a creation. */
export type Creation = Result<
  { readonly replayed: boolean; readonly session: CreatedSession },
  /** The same `Idempotency-Key` came with another body before. */
  | 'conflict'
  /** The request by value is longer than `REQUEST_BY_VALUE`: no session was created. */
  | 'too_long'
  /** The session of this `Idempotency-Key` is erased. */
  | 'erased'
  /** The relying party is deleted. This is checked only for a session with evidence. */
  | 'deleted'
>
