// Errors for wallets whose call is refused: OAuth errors (RFC 6749 §5.2, OpenID4VP 1.0 §8.5). An error tells
// the wallet only the kind of the problem. The relying party reads the exact reason from the session.

import { REASONS, type RefusalReason } from '../../session/document/reasons.ts'
import type { RefusalCode, RequestRefusal } from '../../session/document/results.ts'
import { oauthErrors } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'
import type { FormError } from '../edge/form.ts'

/** Reasons for which the call of a wallet is refused. */
export type WalletRefusal = RefusalReason | keyof typeof KINDS

/** HTTP status and OAuth error code of one refusal. */
export type WalletError = { readonly status: number; readonly error: string }

/** Returns the OAuth error of a refusal, and its description for the developer of the wallet. */
export async function walletError(
  { env }: AppContext,
  refusal: WalletRefusal,
): Promise<WalletError & { readonly description: string }> {
  const kind = isReason(refusal) ? REASONS[refusal].wallet : KINDS[refusal]
  // The description only helps developers. If its text cannot be read, the name of the error kind is sent.
  const description = await oauthErrors(env.ASSETS).then(
    ({ wallet }) => wallet[kind],
    () => kind,
  )
  return { ...WALLET_ERRORS[kind], description }
}

/** Every error for a wallet. assets/oauth-errors.json has the descriptions of the errors. */
export const WALLET_ERRORS = {
  unknown: invalid(404),
  ended: invalid(409),
  awaited: invalid(409),
  gone: invalid(410),
  superseded: invalid(400),
  method: invalid(405),
  timeout: invalid(408),
  too_large: invalid(413),
  media_type: invalid(415),
  rate: { status: 429, error: 'temporarily_unavailable' },
  unavailable: { status: 503, error: 'temporarily_unavailable' },
  failed: { status: 500, error: 'server_error' },
  parameters: invalid(400),
  wallet_nonce: invalid(400),
  wallet_metadata: invalid(400),
  prefix: invalid(400),
  signing: invalid(400),
  response_mode: invalid(400),
  formats: invalid(400),
  request_encryption: invalid(400),
  form: invalid(400),
  state: invalid(400),
  encryption: invalid(400),
  plain: invalid(400),
  query: invalid(400),
  transaction: invalid(400),
  presentation: invalid(400),
} as const satisfies Readonly<Record<string, WalletError>>

/** Errors for refusals that the catalogue of reasons does not contain. */
const KINDS = {
  session_not_found: 'unknown',
  unknown_request: 'unknown',
  session_ended: 'ended',
  return_awaited: 'awaited',
  request_over: 'gone',
  method_not_allowed: 'method',
  rate_limited: 'rate',
  service_unavailable: 'unavailable',
  service_failed: 'failed',
  settings_unavailable: 'unavailable',
  request_timeout: 'timeout',
  overloaded: 'unavailable',
  too_large: 'too_large',
  unsupported_media_type: 'media_type',
  malformed: 'parameters',
  duplicate_parameter: 'parameters',
  wallet_nonce_invalid: 'wallet_nonce',
  wallet_metadata_invalid: 'wallet_metadata',
  client_id_prefix_not_supported: 'prefix',
  signing_algorithm_not_supported: 'signing',
  response_mode_not_supported: 'response_mode',
  no_format_in_common: 'formats',
  request_encryption_not_possible: 'request_encryption',
} as const satisfies Readonly<Record<string, keyof typeof WALLET_ERRORS>> &
  Readonly<Record<Exclude<RefusalCode | RequestRefusal | FormError, RefusalReason>, string>>

function isReason(refusal: WalletRefusal): refusal is RefusalReason {
  return Object.hasOwn(REASONS, refusal)
}

function invalid(status: number): WalletError {
  return { status, error: 'invalid_request' }
}
