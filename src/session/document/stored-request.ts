// The create request as a session stores it.

import { mapPageTexts, type PageText } from '../../api/page-texts.ts'
import type { SessionBinding } from '../../api/values.ts'
import type { DcqlQuery } from '../../openid4vp/dcql/query.ts'
import type { ClientIdPrefix } from '../../openid4vp/request/client-identifier.ts'
import type { ProtocolId, RequestUriMethod } from '../../openid4vp/request/generation.ts'
import type { ResponseMode } from '../../openid4vp/response/response-mode.ts'
import type { Preset } from '../../policy/presets.ts'
import type { ClaimsEncryptionJwk } from '../../relying-party/document/encryption-jwk.ts'
import type { AssuranceLevel } from '../../trust/anchors/anchor.ts'

/** Members of the create request, with defaults. `null`: the relying party left out the member. */
export type StoredRequest = { readonly [text in PageText]?: string } & {
  /** `null` if the create request has a `dcql_query`. */
  readonly credential_types: readonly string[] | null
  readonly scope: readonly string[] | null
  readonly dcql_query?: DcqlQuery
  /** Exact texts that wallets receive. Wallets sign hashes of these texts. */
  readonly transaction_data?: readonly string[]
  readonly required_assurance_level: AssuranceLevel
  /** Preset that fixes types and scopes. Absent if the create request named types and scopes itself. */
  readonly preset?: Preset
  /** Absent in sessions that an older version created. Absent means false. */
  readonly require_same_holder_key?: boolean
  /** Anchor sets and trust lists that may vouch for credentials. Absent: all that the settings have. */
  readonly anchor_sets?: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly credential_match: 'any' | 'all' | null
  readonly formats: readonly string[] | null
  readonly protocol: ProtocolId
  readonly request_options: {
    /** `null` in a protocol without Client Identifiers. */
    readonly client_id_prefix: ClientIdPrefix | null
    /** `null` in a protocol without response modes. */
    readonly response_mode: ResponseMode | null
    /** `null` for a request that is not fetched. */
    readonly request_uri_method: RequestUriMethod | null
  }
  /** Id of the wallet that the create request chose. Absent: any wallet may answer. */
  readonly wallet?: string
  readonly required_session_binding: SessionBinding
  readonly expires_in: number
  readonly return_url: string | null
  /** Address after every end except `verified`. If absent, `return_url` is used. */
  readonly failure_return_url?: string
  /**
   * True if the page opens the return address by itself after the end. Absent if the relying party left it
   * out.
   */
  readonly return_automatically?: boolean
  readonly locale: string | null
  readonly allow_derived: boolean
  /** Intended use whose registration the requests contain. Absent: the default registration. */
  readonly intended_use?: string
  /** Absent if the relying party left it out. Absent means false. */
  readonly intent_to_retain?: boolean
  /** True if evidence of the verification is kept. Absent or false: no evidence is kept. */
  readonly evidence?: boolean
  readonly retry_of: string | null
  /**
   * Key to which claims are encrypted: the key in the create request, or else the key in the settings at
   * creation. Null: the result has no claims.
   */
  readonly claims_encryption_jwk: ClaimsEncryptionJwk | null
}

/**
 * Members that the stored request lacks if the create request left them out, with their defaults for views.
 */
const ABSENT_MEMBERS = {
  ...mapPageTexts(() => null),
  dcql_query: null,
  preset: null,
  wallet: null,
  intended_use: null,
  intent_to_retain: false,
  return_automatically: false,
  failure_return_url: null,
  require_same_holder_key: false,
  anchor_sets: null,
} as const

/** Returns the request for a view. Absent members have their default. */
export function withDefaults(request: StoredRequest) {
  return { ...ABSENT_MEMBERS, ...request }
}

/**
 * Returns the request options of OpenID4VP. Throws for a protocol without the redirect flow, because that
 * protocol has no such options.
 */
export function requireRequestOptions({
  request,
}: {
  readonly request: Pick<StoredRequest, 'request_options'>
}) {
  const { client_id_prefix: clientIdPrefix, response_mode: responseMode } = request.request_options
  if (clientIdPrefix === null || responseMode === null) {
    throw new Error('this protocol has no requests of OpenID4VP')
  }
  return { clientIdPrefix, responseMode }
}
