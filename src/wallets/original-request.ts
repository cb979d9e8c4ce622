// Builds the input of lowering (lower.ts), which adapts a request to one wallet. The input is the request of
// a session, and the values that may replace its options. For example, a wallet may get another Client
// Identifier Prefix or another response mode, if the settings allow it.

import { DC_API_PROTOCOLS, type DcApiProtocol, ISO_MDOC } from '../openid4vp/dc-api.ts'
import { PROTOCOLS } from '../openid4vp/protocols/index.ts'
import type { ClientIdPrefix } from '../openid4vp/request/client-identifier.ts'
import type { ProtocolId, RequestUriMethod } from '../openid4vp/request/generation.ts'
import type { ResponseMode } from '../openid4vp/response/response-mode.ts'
import type { Policy } from '../policy/policy.ts'
import type { Preset } from '../policy/presets.ts'
import { walletsByValue } from './eu-age.ts'
import type { OriginalRequest, ValueRequest } from './lowering.ts'
import type { Requirement } from './profiles/profile.ts'

/** The request of a session. An option is null if the protocol lacks it. */
type SessionRequest = {
  readonly policy: Policy
  readonly protocol: ProtocolId
  readonly transaction_data?: readonly string[] | undefined
  readonly request_options: {
    readonly client_id_prefix: ClientIdPrefix | null
    readonly response_mode: ResponseMode | null
    readonly request_uri_method: RequestUriMethod | null
  }
  readonly preset?: Preset
  readonly required_assurance_level: string
  readonly required_session_binding: string
  readonly livemode: boolean
}

/** Values that decide how the request for one wallet may differ from the request of the session. */
type Means = {
  /** Prefixes that the relying party can use. `redirect_uri` is included if unsigned requests are allowed. */
  readonly prefixes: readonly ClientIdPrefix[]
  /** True if the settings allow unsigned requests and unencrypted responses. */
  readonly by_value: boolean
  /** True if the EU age verification app may get unsigned requests and send unencrypted responses. */
  readonly eu_age_verification: boolean
  readonly has_root: boolean
  /** True if the relying party has further verifier identities, which can also sign requests. */
  readonly has_further: boolean
  /** Returns the length in bytes of the URI that contains the request. */
  readonly valueBytes: (request: ValueRequest) => number
  /** Requirements of wallets that the settings do not meet. */
  readonly lacking: readonly Requirement[]
}

/**
 * Builds the original request. The Client Identifier Prefix, the response mode and the request URI method of
 * the session come first in their lists.
 */
export function originalRequest(session: SessionRequest, means: Means): OriginalRequest {
  const { policy, protocol: id, transaction_data, request_options: options, livemode } = session
  const protocol = PROTOCOLS[id]
  const prefixes = protocol.clientIdPrefixes.filter((prefix) => means.prefixes.includes(prefix))
  // The response mode without encryption is offered only if the settings allow `by_value`.
  const modes = protocol.responseModes.filter((mode) => means.by_value || mode !== 'direct_post')
  const isUnsigned = options.client_id_prefix === 'redirect_uri'
  const exchanges: readonly DcApiProtocol[] = protocol.supportsRedirect
    ? DC_API_PROTOCOLS.filter((exchange) => !isUnsigned || !SIGNED.includes(exchange)).filter(
        (exchange) => means.has_further || exchange !== 'openid4vp-v1-multisigned',
      )
    : [ISO_MDOC]
  return {
    policy,
    protocol: id,
    transaction_data,
    client_id_prefixes: withFirst(options.client_id_prefix, prefixes),
    response_modes: withFirst(options.response_mode, modes).filter((mode) =>
      policy.query.credentials.every(({ format }) => protocol.supportsFormat(format, mode)),
    ),
    request_uri_methods: withFirst(options.request_uri_method, protocol.requestUriMethods),
    dc_api_protocols: protocol.supportsDcApi ? exchanges : [],
    ...(session.required_session_binding === 'none' && {
      qr: { accepts_low: session.required_assurance_level === 'low', valueBytes: means.valueBytes },
    }),
    by_value_for: means.eu_age_verification ? walletsByValue({ ...session, query: policy.query }) : [],
    livemode,
    has_root: means.has_root,
    lacking: means.lacking,
  }
}

const SIGNED: readonly DcApiProtocol[] = ['openid4vp-v1-multisigned', 'openid4vp-v1-signed']

function withFirst<T>(first: T | null, others: readonly T[]): readonly T[] {
  return first === null ? others : [first, ...others.filter((other) => other !== first)]
}
