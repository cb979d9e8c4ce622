// Checks of a create request that do not call the session's Durable Object (api/creation). The order matters,
// because later checks need the results of earlier checks.

import type { CreateRequest } from '../../../api/requests.ts'
import type { CreationWarning } from '../../../api/responses/verifications.ts'
import { loadConfig } from '../../../config.ts'
import type { Env } from '../../../env.ts'
import { PROTOCOLS } from '../../../openid4vp/protocols/index.ts'
import type { Protocol } from '../../../openid4vp/protocols/protocol.ts'
import type { VerifierIdentity } from '../../../openid4vp/request/generation.ts'
import { type Settings, STEP_EVENT_TYPES } from '../../../relying-party/document/settings.ts'
import { keepIssues } from '../../../relying-party/trust-lists/trust-lists.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { CreateInput } from '../../../session/request/creation.ts'
import { loadOriginal } from '../../../session/request/lowered-wallet.ts'
import type { OriginalRequest } from '../../../wallets/lowering.ts'
import type { AppContext } from '../../edge/context.ts'
import { readTrace } from '../../edge/log.ts'
import type { RequestError } from '../../edge/problems.ts'
import { withTexts } from './creation-error.ts'
import { requestOptions } from './request-options.ts'
import { requestedEvidence, withRetention } from './requested-evidence.ts'
import { requestedIdentity } from './requested-identity.ts'
import { requestedPolicy } from './requested-policy.ts'
import { loadRegistered, unregisteredClaims } from './requested-registration.ts'
import { requestedTransactions } from './requested-transactions.ts'
import { type TrustRules, trustRules, untrustedRequest } from './requested-trust.ts'
import { requestedWallet } from './requested-wallet.ts'
import { storedRequest } from './stored-request.ts'

/** A checked create request. */
export type Prepared = {
  readonly creation: Omit<CreateInput, 'bodyDigest'>
  readonly rules: TrustRules
  /** The request before it is adapted to a wallet. */
  readonly original: OriginalRequest
  /** Warnings about claims that are not registered. Their messages are names of texts. */
  readonly unregistered: readonly CreationWarning[]
}

/**
 * Runs all checks that do not call the session's Durable Object. The rights of the caller are not checked
 * here.
 */
export async function prepareSession(
  c: AppContext,
  body: CreateRequest,
  settings: Settings,
): Promise<Result<Prepared, RequestError>> {
  const checked = await runChecks(c.env, body, settings)
  if (!checked.ok) {
    const { code, errors } = checked.error
    return err({ code, errors: await withTexts(c.env.ASSETS, errors) })
  }
  return ok({ ...checked.value, creation: { ...checked.value.creation, trace: readTrace(c) } })
}

/** Runs the checks. The messages of errors and warnings are names of texts. */
async function runChecks(env: Env, createRequest: CreateRequest, settings: Settings) {
  const evidence = requestedEvidence(createRequest, settings)
  if (!evidence.ok) return evidence
  const { body, terms } = evidence.value
  if (terms !== null) keepIssues(env, settings, Date.now())
  const config = loadConfig(env)
  const protocol = PROTOCOLS[body.protocol]
  const now = Math.floor(Date.now() / 1000)
  const requester = { config, settings, now, expiresAt: now + body.expires_in }

  const options = requestOptions(body, settings)
  if (!options.ok) return options
  const rules = trustRules(settings, protocol, body)
  const { definitions } = rules
  const registered = loadRegistered(settings, body.intended_use, Date.now())
  const built = requestedPolicy(body, settings, { protocol, options: options.value, definitions, registered })
  if (!built.ok) return built
  const policy = terms === null ? built.value : withRetention(built.value)
  const untrusted = await untrustedRequest(env, body, settings, { policy, rules })
  if (untrusted !== undefined) return err(untrusted)
  const transactions = requestedTransactions(body, settings, { policy, protocol })
  if (!transactions.ok) return transactions
  const unregistered = unregisteredClaims(body, settings, { policy, registered, now: Date.now() })
  if (!unregistered.ok) return unregistered
  const verifier = await requestedIdentity(options.value, { ...requester, use: body.intended_use })
  if (!verifier.ok) return verifier
  const request = storedRequest(body, settings, {
    ...(transactions.value && { transaction_data: transactions.value }),
    request_options: options.value,
  })
  const session = { policy, livemode: settings.livemode, request }
  const original = await loadOriginal(session, requester)
  const wallet = await requestedWallet(body, { session, requester, original })
  if (!wallet.ok) return wallet

  const identity = verifier.value
  const creation = {
    relyingPartyId: settings.relying_party_id,
    ...session,
    request: { ...request, ...(wallet.value && { wallet: wallet.value.id }) },
    verifier: identity && pinnedIdentity(identity, protocol),
    ...(wallet.value && { wallet: wallet.value }),
    isIndexed: settings.index !== false,
    hasStepEvents: STEP_EVENT_TYPES.some((type) => settings.webhook?.events.includes(type)),
    ...(terms && { evidence: terms }),
    retentionSeconds: settings.retention_seconds,
  }
  return ok({ creation, rules, original, unregistered: unregistered.value })
}

/**
 * Returns the identity for the requests of a protocol. The further identities sign multi-signed requests of
 * the Digital Credentials API. For a protocol without this API, they are left out.
 */
function pinnedIdentity(
  { further, ...first }: VerifierIdentity,
  { writeClientId, supportsDcApi }: Protocol,
): VerifierIdentity {
  const identity = { ...first, clientId: writeClientId(first.clientId) }
  return further !== undefined && supportsDcApi ? { ...identity, further } : identity
}
