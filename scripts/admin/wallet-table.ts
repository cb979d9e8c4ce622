// The table of `npm run admin -- wallets`: the policy of a creation as the service builds it, and the results
// of the wallets.

import { createRequest, withPreset } from '../../src/api/requests.ts'
import { describeIssue } from '../../src/codec/schema.ts'
import { type Config, certificateChain } from '../../src/config.ts'
import { PROTOCOLS } from '../../src/openid4vp/protocols/index.ts'
import { CLIENT_ID_PREFIXES, type ClientIdPrefix } from '../../src/openid4vp/request/client-identifier.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import { DCQL_MESSAGES, POLICY_MESSAGES, TRANSACTION_MESSAGES } from '../../src/policy/request-messages.ts'
import type { Settings } from '../../src/relying-party/document/settings.ts'
import { usablePrefixes } from '../../src/relying-party/verifier/usable-prefixes.ts'
import { lackingRequirements } from '../../src/relying-party/verifier/wallet-requirements.ts'
import type { RequestError } from '../../src/routes/edge/problems.ts'
import { requestOptions } from '../../src/routes/verifications/creation/request-options.ts'
import { requestedPolicy } from '../../src/routes/verifications/creation/requested-policy.ts'
import { loadRegistered } from '../../src/routes/verifications/creation/requested-registration.ts'
import { requestedTransactions } from '../../src/routes/verifications/creation/requested-transactions.ts'
import { valueBytes } from '../../src/session/request/lowered-wallet.ts'
import { FINDINGS, type Finding } from '../../src/wallets/lowering.ts'
import { originalRequest } from '../../src/wallets/original-request.ts'
import { walletProfile } from '../../src/wallets/profiles/index.ts'
import { walletResults } from '../../src/wallets/wallet-results.ts'

/** Members of the settings that a creation depends on, with their defaults. */
const DEFAULTS = {
  name: '',
  origins: [],
  credential_types: [],
  anchor_sets: [],
  transaction_data_types: [],
  formats: null,
  by_value: false,
  request_options: {},
  google_wallet: null,
  verifier: null,
}

/** The service: its address, and its certificate chain (PEM) if that is known. */
type Service = { readonly baseUrl: string; readonly chain?: string | undefined }

/** Returns the results, and lines for people; or the errors of the body. */
export async function walletTable(
  body: unknown,
  {
    settings: given,
    livemode,
    service,
  }: { readonly settings: object; readonly livemode: boolean; readonly service: Service },
) {
  const parsed = createRequest.safeParse(body, { error: describeIssue })
  if (!parsed.success) {
    const { issues } = parsed.error
    return { errors: issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message })) }
  }
  const data = withPreset(parsed.data)
  const settings = settingsOf(given)
  const protocol = PROTOCOLS[data.protocol]
  const options = requestOptions(data, settings)
  if (!options.ok) return options.error
  const policy = requestedPolicy(data, settings, {
    protocol,
    options: options.value,
    definitions: typeDefinitions(settings.credential_types),
    registered: loadRegistered(settings, data.intended_use, Date.now()),
  })
  if (!policy.ok) return described(policy.error)
  const transactions = requestedTransactions(data, settings, { policy: policy.value, protocol })
  if (!transactions.ok) return described(transactions.error)
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
  const means = {
    prefixes: prefixesOf(settings, service),
    by_value: settings.by_value,
    eu_age_verification: settings.eu_age_verification === true,
    has_root: settings.verifier?.root_certificate_pem !== undefined,
    has_further: (settings.further_verifiers ?? []).length > 0,
    lacking: await lackingRequirements(settings, {
      baseUrl: service.baseUrl,
      googleAggregator: null,
      chain: chainOf(settings, service),
      now: Math.floor(Date.now() / 1000),
    }),
    valueBytes: valueBytes({ policy: session.policy, livemode, request: session }, service.baseUrl),
  }
  const wallets = walletResults(originalRequest(session, means))
  const lines = wallets.flatMap(({ id, result, left_out = [], reasons = [] }) => [
    `${result.padEnd(8)} ${walletProfile(id)?.name ?? ''} (${id})`,
    ...[...left_out, ...reasons].map(textOf),
  ])
  return { wallets, lines }
}

/** Settings as the operator's routes show them: without keys, and with reader certificates in `verifier`. */
function settingsOf(given: object): Settings {
  const shown: ShownSettings = { ...DEFAULTS, ...given }
  const { reader_certificates = [], further = [], ...verifier } = shown.verifier ?? {}
  const identity = verifier.certificate_chain_pem ? withoutNulls(verifier) : null
  const further_verifiers = further.map((one) => withoutNulls(one))
  return { ...shown, reader_certificates, further_verifiers, verifier: identity } as unknown as Settings
}

function withoutNulls(shown: object): object {
  return Object.fromEntries(Object.entries(shown).filter(([, member]) => member !== null))
}

type ShownSettings = {
  readonly verifier: {
    readonly further?: readonly object[]
    readonly certificate_chain_pem?: string | null
    readonly reader_certificates?: readonly unknown[]
  } | null
}

function chainOf({ verifier }: Settings, { chain }: Service): string | undefined {
  return verifier?.certificate_chain_pem ?? (chain && certificateChain.parse(chain))
}

/** The rules of the service, without keys. An unknown chain counts as one for the host of the service. */
function prefixesOf(settings: Settings, service: Service): readonly ClientIdPrefix[] {
  const chain = chainOf(settings, service)
  const config = { baseUrl: service.baseUrl, verifier: { certificateChainPem: chain ?? '' } } as Config
  const { attestation_jwt, ...verifier } = settings.verifier ?? {}
  const unattested = { ...settings, verifier: settings.verifier && verifier } as Settings
  const usable = usablePrefixes(config, unattested, { now: 0, expiresAt: 0 })
  return CLIENT_ID_PREFIXES.filter(
    (prefix) =>
      usable.includes(prefix) ||
      (prefix === 'x509_san_dns' && chain === undefined) ||
      (prefix === 'verifier_attestation' && attestation_jwt !== undefined),
  )
}

function textOf({ member, why }: Finding): string {
  return `         ${member}: ${FINDINGS[why]}`
}

/** Returns the error with texts in place of the messages that are codes. */
function described({ code, errors }: RequestError): RequestError {
  const texts: Readonly<Record<string, string>> = {
    ...POLICY_MESSAGES,
    ...DCQL_MESSAGES,
    ...TRANSACTION_MESSAGES,
  }
  return { code, errors: errors.map((one) => ({ ...one, message: texts[one.message] ?? one.message })) }
}
