// The creation request as a session stores it.

import { mapPageTexts, type PageText } from '../../api/page-texts.ts'
import type { SessionBinding } from '../../api/values.ts'
import type { DcqlQuery } from '../../openid4vp/dcql/query.ts'
import type { ClientIdPrefix } from '../../openid4vp/request/client-identifier.ts'
import type { ProtocolId, RequestUriMethod } from '../../openid4vp/request/generation.ts'
import type { ResponseMode } from '../../openid4vp/response/response-mode.ts'
import type { Preset } from '../../policy/presets.ts'
import type { ClaimsEncryptionJwk } from '../../relying-party/document/encryption-jwk.ts'
import type { AssuranceLevel } from '../../trust/anchors/anchor.ts'

/** Members of the creation request with defaults; `null` for what the relying party left out. */
export type StoredRequest = { readonly [text in PageText]?: string } & {
  /** `null` with a `dcql_query`. */
  readonly credential_types: readonly string[] | null
  readonly scope: readonly string[] | null
  readonly dcql_query?: DcqlQuery
  /** The exact texts that wallets receive and sign hashes of. */
  readonly transaction_data?: readonly string[]
  readonly required_assurance_level: AssuranceLevel
  /** Preset that fixes types and scopes. Absent: the creation named them. */
  readonly preset?: Preset
  /** Absent in sessions that an older version created: not required. */
  readonly require_same_holder_key?: boolean
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
  /** Id of the wallet that the creation chose. Absent: any wallet. */
  readonly wallet?: string
  readonly required_session_binding: SessionBinding
  readonly expires_in: number
  readonly return_url: string | null
  readonly locale: string | null
  readonly allow_derived: boolean
  /** Absent if the relying party left it out: false. */
  readonly intent_to_retain?: boolean
  readonly retry_of: string | null
  /** Key that claims are encrypted to: the creation's key, else the settings' key at creation. */
  readonly claims_encryption_jwk: ClaimsEncryptionJwk | null
}

/** Members of a view that a creation may leave out, and that are then absent in the stored request. */
const ABSENT_MEMBERS = {
  ...mapPageTexts(() => null),
  dcql_query: null,
  preset: null,
  wallet: null,
  intent_to_retain: false,
  require_same_holder_key: false,
} as const

/** Returns the request as every view has it: absent members have their default. */
export function withDefaults(request: StoredRequest) {
  return { ...ABSENT_MEMBERS, ...request }
}

/** Returns the options of requests of OpenID4VP. Every protocol of the redirect flow has them. */
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
