// Members of the receipt of a finished session (api/receipt). The statement in the evidence of the session
// (api/evidence) begins with the same members.

import { isoTime } from '../../codec/date-time.ts'
import type { JsonObject } from '../../codec/json.ts'
import { vouchingLists } from '../../policy/assurance.ts'
import { readProtocol, type SessionDocument } from '../document/document.ts'
import { listCredentials, type Outcome } from '../document/outcome.ts'
import { hashJson } from '../request/request-hash.ts'

/** The end that a receipt is about. `ended_at`: Unix milliseconds. */
type ReceiptEnd = { readonly outcome: Outcome; readonly ended_at: number }

/**
 * Returns the members of the receipt up to `channel`. The receipt and the statement in the evidence have
 * different members after `channel`. `document` must have the status of the end.
 */
export async function receiptClaims(
  document: SessionDocument,
  { outcome, ended_at }: ReceiptEnd,
  baseUrl: string,
) {
  const { derivation, ...found } = outcome
  return {
    iss: baseUrl,
    iat: Math.floor(ended_at / 1000),
    verification_id: document.verification_id,
    relying_party_id: document.relying_party_id,
    livemode: document.livemode,
    client_id: found.client_id ?? document.verifier.client_id,
    // This member was added later. Only sessions with a multi-signed request have it, so older receipts stay
    // the same.
    ...(found.offered_client_ids && { offered_client_ids: found.offered_client_ids }),
    protocol: readProtocol({ ...document, outcome }),
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
    credentials: listCredentials(outcome).map(toReceipt),
    trust_lists: vouchingLists(derivation),
    channel: found.channel,
  }
}

/**
 * Returns a credential for the receipt. The members are listed one by one, so that no member is added by
 * accident.
 */
function toReceipt(credential: ReturnType<typeof listCredentials>[number]) {
  const { id, credential_type, format, issuer, assurance_level, status, checks } = credential
  const transaction_data = credential.transaction_data.map(({ index, hash, hash_alg }) => {
    return { index, hash, hash_alg }
  })
  return { id, credential_type, format, issuer, assurance_level, status, checks, transaction_data }
}

/**
 * Returns the members of the request that the policy hash covers. For the request of an old session, they
 * must stay the same, so that its hash stays valid.
 */
export function policyMembers({ request }: SessionDocument): JsonObject {
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
    // These members were added later. Each member is hashed only if the request uses it, so that old hashes
    // stay valid.
    ...(request.require_same_holder_key && { require_same_holder_key: true }),
    ...(request.intent_to_retain && { intent_to_retain: true }),
    ...(request.evidence && { evidence: true }),
    ...(request.wallet && { wallet: request.wallet }),
  }
}
