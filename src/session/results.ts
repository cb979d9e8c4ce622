// What the object's verbs answer, as plain data: a thrown error would lose its class on the way (Durable Object RPC), so what
// can go wrong is a value. Views travel as JSON text, serialised once.

import type { WalletMetadataRefusal } from '../openid4vp/request/wallet-metadata.ts'
import type { Result } from '../result.ts'
import type { RefusalReason } from './response/reasons.ts'

/** What stands in the way of a verb. */
export type SessionError =
  /** Unknown, erased, or another relying party's: not told apart. */
  | 'not_found'
  /** The session is over. */
  | 'ended'
  /** The session is not over yet. */
  | 'not_ended'
  | 'render_limit_reached'
  /** The session demands that wallet and browser are one: it has no QR, and no request for any device. */
  | 'binding_excludes_qr'
  /** The session's protocol has no request for the Digital Credentials API. */
  | 'dc_api_not_offered'
  /** The relying party's settings could not be read: nothing was changed. */
  | 'unavailable'

/** An answer as the edge read it. `digest`: SHA-256 of its body (base64url). */
export type PostedResponse = { readonly digest: string } & (
  | { readonly parameters: readonly (readonly [string, string])[] }
  /** By the Digital Credentials API: JSON text of the credential's `data`, and the mark of the browser that posts it. */
  | { readonly dcApi: { readonly data: string; readonly browser: string | null } }
)

/** Why a wallet's response is refused. */
export type RefusalCode =
  | RefusalReason
  | 'session_not_found'
  | 'session_ended'
  /** Another response waits for the return of its browser. */
  | 'return_awaited'
  | 'settings_unavailable'

/** The `redirect_uri` for a wallet, or the refusal of its response. */
export type ResponseResult = Result<string, RefusalCode>

/** Why there is no Request Object. `request_over`: its generation or its session has ended. */
export type RequestRefusal = 'session_not_found' | 'unknown_request' | 'request_over' | WalletMetadataRefusal

/** What the edge draws a QR from. Times are Unix milliseconds. */
export type Render = { readonly uri: string; readonly diesAt: number }

/** A request for one browser: the secret that its cookie keeps, and JSON text of the wallet links. */
export type Link = { readonly secret: string; readonly json: string }

/** A view as JSON text, with the version it shows. */
export type View = { readonly json: string; readonly version: number }

/** What the edge answers a creation with. */
export type Creation =
  | { readonly kind: 'created'; readonly replayed: boolean; readonly session: CreatedSession }
  /** The `Idempotency-Key` came with another body before. */
  | { readonly kind: 'conflict' }
  /** Passed by value, the request is longer than `REQUEST_BY_VALUE`: no session was made. */
  | { readonly kind: 'too_long' }
  /** The session made with this `Idempotency-Key` is erased. */
  | { readonly kind: 'erased' }

export type CreatedSession = {
  readonly verification_id: string
  readonly session_url: string
  readonly client_token: string
  readonly status: string
  readonly version: number
  readonly expires_at: string
  readonly livemode: boolean
  /** What the QR holds; null where the session is over. */
  readonly uri: string | null
  /** JSON text of `wallet_request`, or of `null`. */
  readonly wallet_request: string
}
