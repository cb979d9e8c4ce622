// Types of the input and the result of lowering, which adapts a request to one wallet (lower.ts).

import type { DcApiProtocol } from '../openid4vp/dc-api.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { ClientIdPrefix } from '../openid4vp/request/client-identifier.ts'
import type { ProtocolId, RequestUriMethod } from '../openid4vp/request/generation.ts'
import type { ResponseMode } from '../openid4vp/response/response-mode.ts'
import type { Policy } from '../policy/policy.ts'
import type { Requirement } from './profiles/profile.ts'

/** A request for any wallet, and the alternatives that the relying party allows. */
export type OriginalRequest = {
  readonly policy: Policy
  readonly protocol: ProtocolId
  /** Transaction data strings as sent. */
  readonly transaction_data?: readonly string[] | undefined
  /** The request's Client Identifier Prefix first, then the other prefixes that the relying party can use. */
  readonly client_id_prefixes: readonly ClientIdPrefix[]
  /** The request's response mode first, then the other response modes that are allowed. */
  readonly response_modes: readonly ResponseMode[]
  /** The request's method first, then the other methods of the protocol. */
  readonly request_uri_methods: readonly RequestUriMethod[]
  /** Exchange protocols of the Digital Credentials API that the session offers. */
  readonly dc_api_protocols: readonly DcApiProtocol[]
  /**
   * Ids of wallets that may get an unsigned request and send an unencrypted response. Other wallets need a
   * signed request.
   */
  readonly by_value_for?: readonly string[]
  /**
   * Rules for the QR codes of the session. Anyone may answer the request in a QR code. Absent if the session
   * must be bound to a browser, because the session then has no QR code.
   */
  readonly qr?: {
    /** True if the relying party accepts the assurance level `low`. */
    readonly accepts_low: boolean
    /** Returns the length in bytes of the URI that contains the request. */
    readonly valueBytes: (request: ValueRequest) => number
  }
  readonly livemode: boolean
  /** True if the root of the verifier's certificate chain can be sent. */
  readonly has_root?: boolean
  /** Requirements of wallets that the settings do not meet. */
  readonly lacking?: readonly Requirement[]
}

/** A request that is passed by value. */
export type ValueRequest = {
  readonly query: DcqlQuery
  readonly link: string
  readonly response_mode: ResponseMode
}

/** The request for one wallet. The lowered request keeps the transactions of the original request. */
export type LoweredRequest = {
  readonly protocol: ProtocolId
  readonly query: DcqlQuery
  /**
   * Scheme, or start of an address, that opens the wallet. Null if no link and no QR code reaches the wallet.
   */
  readonly link: string | null
  /** Exchange protocols of the Digital Credentials API. Empty if the API cannot be used. */
  readonly dc_api_protocols: readonly DcApiProtocol[]
  /** Null if the request has no Client Identifier. */
  readonly client_id_prefix: ClientIdPrefix | null
  /** Null if only `org-iso-mdoc` is used. */
  readonly response_mode: ResponseMode | null
  /** Says if a link passes the request by value or by reference. Null if no link reaches the wallet. */
  readonly passing: 'reference' | 'value' | null
  /** Null if no link reaches the wallet, or if the request is passed by value. */
  readonly request_uri_method: RequestUriMethod | null
  /** True if `x5c` must also contain the root certificate. */
  readonly include_root: boolean
  /** True if a signed request by link has `iss`, and `kid` in its header. */
  readonly names_issuer: boolean
}

/** The result for one wallet. */
export type Lowering =
  | {
      /**
       * `works`: the wallet can answer the original request. `lowered`: the wallet can answer only the
       * lowered request. `unknown`: no public source says if the wallet can answer the lowered request.
       */
      readonly outcome: 'works' | 'lowered' | 'unknown'
      readonly request: LoweredRequest
      /** Members that are absent or different in the lowered request, or that the wallet ignores. */
      readonly left_out: readonly Finding[]
      /** Members whose support by the wallet is not known. Empty unless `outcome` is `unknown`. */
      readonly unknown: readonly Finding[]
    }
  | { readonly outcome: 'cannot'; readonly reasons: readonly Finding[] }

/** One finding about a member of the request. */
export type Finding = {
  /** JSON Pointer (RFC 6901) in the original `wallet_request`, or `/response_mode`. */
  readonly member: string
  readonly why: FindingCode
}

/** A lowered part of a request, and its findings. `left_out` and `unknown` mean the same as in `Lowering`. */
export type Lowered<T> = {
  readonly value: T
  readonly left_out: readonly Finding[]
  readonly unknown: readonly Finding[]
}

/** Messages for people. The key is the code of the finding. assets/messages.json has these messages too. */
export const FINDINGS = {
  format_not_supported: 'the wallet does not support this credential format',
  type_not_held: 'the wallet does not hold credentials of this type',
  not_supported: 'the wallet does not support this member',
  support_unknown: 'the checked sources leave open if the wallet supports this member',
  ignored: 'the wallet ignores this member, and discloses as if it were absent',
  discloses_more: 'the wallet would disclose more claims of this format than the query names',
  discloses_all: 'the wallet would disclose every claim of the credential',
  disclosure_unknown: 'no public source says what the wallet would disclose',
  one_option: 'the lowered request asks for another option',
  one_claim_set: 'the lowered request asks for one set of claims only',
  not_in_protocol: 'the wallet does not support the protocol of the request',
  not_in_this_mode: 'no link opens the wallet in this mode',
  browser_only: 'no link and no QR code reaches the wallet, only the Digital Credentials API of a browser',
  own_link: 'only a link made for this wallet opens it',
  replaced: 'the wallet needs another value',
  not_available: 'the wallet needs a value that this relying party or protocol does not have',
  low_level_only: 'the request is passed by value, and anyone may answer such a QR code: level `low` at most',
  too_long: 'the request is passed by value, and is too long for a QR code',
  credential_not_asked: 'the transaction names a credential that the lowered request leaves out',
  root_needed: 'the wallet needs the root in the certificate chain',
  issuer_named: 'the wallet needs `iss` in the request, and `kid` beside `x5c`',
  reader_certificate_needed:
    'the wallet needs `reader_certificates` in the settings, one valid now and for a host of `origins` or of the service',
  google_wallet_needed:
    'the wallet needs `google_wallet` in the settings, with the metadata that the verifier certificate is for',
  organization_needed: 'the wallet needs an access certificate with the organization and its identifier',
} as const
export type FindingCode = keyof typeof FINDINGS
