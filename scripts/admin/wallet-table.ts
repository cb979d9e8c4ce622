// The table of `npm run admin -- wallets`: the policy of a creation as the service builds it, and the results
// of the wallets.

import { describeIssue } from '../../src/codec/schema.ts'
import { PROTOCOLS } from '../../src/openid4vp/protocols/index.ts'
import type { Settings } from '../../src/relying-party/settings/settings.ts'
import { lackingRequirements } from '../../src/relying-party/verifier/wallet-requirements.ts'
import { createRequest, withPreset } from '../../src/routes/edge/schemas.ts'
import { requestOptions } from '../../src/routes/verifications/request-options.ts'
import { requestedPolicy } from '../../src/routes/verifications/requested-policy.ts'
import { requestedTransactions } from '../../src/routes/verifications/requested-transactions.ts'
import { valueBytes } from '../../src/session/request/lowered-wallet.ts'
import { FINDINGS, type Finding } from '../../src/wallets/lowering.ts'
import { originalRequest } from '../../src/wallets/original-request.ts'
import { walletProfile } from '../../src/wallets/profiles/index.ts'
import { walletResults } from '../../src/wallets/wallet-results.ts'

/** The length of a request by value depends on it. */
const BASE_URL = process.env.BASE_URL ?? 'https://verifier.example'

/** Settings that a creation depends on, with their defaults. */
const DEFAULTS = {
  credential_types: [],
  anchor_sets: [],
  transaction_data_types: [],
  formats: null,
  by_value: false,
  request_options: {},
}

/** Returns the results, and lines for people; or the errors of the body. */
export function walletTable(
  body: unknown,
  { settings: given, livemode }: { settings: object; livemode: boolean },
) {
  const parsed = createRequest.safeParse(body, { error: describeIssue })
  if (!parsed.success) {
    const { issues } = parsed.error
    return { errors: issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message })) }
  }
  const data = withPreset(parsed.data)
  const settings = { ...DEFAULTS, ...given } as unknown as Settings
  const protocol = PROTOCOLS[data.protocol]
  const options = requestOptions(data.protocol, data.request_options, settings)
  if (!options.ok) return options.error
  const { response_mode } = options.value
  const policy = requestedPolicy(data, settings, (format) => protocol.supportsFormat(format, response_mode))
  if (!policy.ok) return policy.error
  const transactions = requestedTransactions(data, settings, { policy: policy.value, protocol })
  if (!transactions.ok) return transactions.error
  const session = {
    policy: policy.value,
    protocol: data.protocol,
    ...(transactions.value && { transaction_data: transactions.value }),
    request_options: options.value,
    required_assurance_level: data.required_assurance_level,
    required_session_binding: data.required_session_binding,
    ...(data.preset && { preset: data.preset }),
    livemode,
  }
  const prefixes = protocol.clientIdPrefixes.filter((prefix) => isUsable(prefix, settings))
  const has_root = settings.verifier?.root_certificate_pem !== undefined
  const { by_value, eu_age_verification = false } = settings
  const lacking = lackingRequirements(settings, settings.verifier?.certificate_chain_pem)
  const measured = { policy: session.policy, livemode, request: session }
  const means = {
    prefixes,
    by_value,
    eu_age_verification,
    has_root,
    lacking,
    valueBytes: valueBytes(measured, BASE_URL),
  }
  const wallets = walletResults(originalRequest(session, means))
  const lines = wallets.flatMap(({ id, result, left_out = [], reasons = [] }) => [
    `${result.padEnd(8)} ${walletProfile(id)?.name ?? ''} (${id})`,
    ...[...left_out, ...reasons].map(textOf),
  ])
  return { wallets, lines }
}

/** Unsigned requests and attestations depend on settings. The certificate and its DID are always there. */
function isUsable(
  prefix: (typeof PROTOCOLS)['openid4vp-1.0']['clientIdPrefixes'][number],
  settings: Settings,
) {
  if (prefix === 'redirect_uri') return settings.by_value
  return prefix !== 'verifier_attestation' || settings.verifier?.attestation_jwt !== undefined
}

function textOf({ member, why }: Finding): string {
  return `         ${member}: ${FINDINGS[why]}`
}
