// The receipt of a finished session (api/receipt): a JWS about the request, the checks and the end. An
// auditor can verify it years after the session was erased. It contains no claim value, no metadata and no
// text of a wallet. Its members never change after the end. So every receipt of one session has the same
// claims.

import { isoTime } from '../../codec/date-time.ts'
import type { JsonObject } from '../../codec/json.ts'
import type { Config } from '../../config.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import { vouchingLists } from '../../policy/assurance.ts'
import { err, ok, type Result } from '../../result.ts'
import { protocolOf, type SessionDocument } from '../document/document.ts'
import { credentialsOf } from '../document/outcome.ts'
import type { SessionError } from '../document/results.ts'
import { hashJson } from '../request/request-hash.ts'

/** JOSE `typ` of a receipt. With the prefix `application/` it is the media type. */
export const RECEIPT_TYPE = 'verification-receipt+jwt'

/** Returns the receipt as a compact JWS, signed with the current key. Returns `not_ended` before the end. */
export async function signReceipt(
  document: SessionDocument,
  { baseUrl, accessTokenKeys }: Pick<Config, 'baseUrl' | 'accessTokenKeys'>,
): Promise<Result<string, SessionError>> {
  const { outcome, ended_at } = document
  if (outcome === null || ended_at === null) return err('not_ended')
  const { derivation, ...found } = outcome
  const claims = {
    iss: baseUrl,
    iat: Math.floor(ended_at / 1000),
    verification_id: document.verification_id,
    relying_party_id: document.relying_party_id,
    livemode: document.livemode,
    client_id: found.client_id ?? document.verifier.client_id,
    protocol: protocolOf(document),
    created_at: isoTime(document.created_at),
    ended_at: isoTime(ended_at),
    status: document.status,
    reason: found.reason,
    policy_hash: await hashJson(policyMembers(document)),
    request_hash: found.request_hash,
    checks: found.checks,
    assurance_level: found.assurance_level,
    ...(found.same_holder_key === undefined ? {} : { same_holder_key: found.same_holder_key }),
    assurance_derivation: derivation,
    credentials: credentialsOf(outcome).map(toReceipt),
    trust_lists: vouchingLists(derivation),
    channel: found.channel,
    // This is the binding of the event. A later redemption of a return code does not change it.
    session_binding: found.session_binding,
    trace: found.trace,
  }
  return ok(await signJwt(claims, RECEIPT_TYPE, accessTokenKeys.keys[0]))
}

/**
 * Returns a credential for the receipt. Its members are listed one by one, so that no member is added by
 * accident.
 */
function toReceipt(credential: ReturnType<typeof credentialsOf>[number]) {
  const { id, credential_type, format, issuer, assurance_level, status, checks } = credential
  const transaction_data = credential.transaction_data.map(({ index, hash, hash_alg }) => {
    return { index, hash, hash_alg }
  })
  return { id, credential_type, format, issuer, assurance_level, status, checks, transaction_data }
}

/**
 * Returns the members of the request that the policy hash covers. They never change, so that old hashes stay
 * valid.
 */
function policyMembers({ request }: SessionDocument): JsonObject {
  return {
    credential_types: request.credential_types,
    scope: request.scope,
    dcql_query: request.dcql_query === undefined ? null : { ...request.dcql_query },
    required_assurance_level: request.required_assurance_level,
    credential_match: request.credential_match,
    formats: request.formats,
    allow_derived: request.allow_derived,
    protocol: request.protocol,
    request_options: request.request_options,
    required_session_binding: request.required_session_binding,
    // This member is newer than the members above. It is hashed only if it is used, so that old hashes stay
    // valid.
    ...(request.require_same_holder_key && { require_same_holder_key: true }),
    ...(request.intent_to_retain && { intent_to_retain: true }),
    ...(request.wallet && { wallet: request.wallet }),
  }
}
