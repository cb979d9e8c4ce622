// The receipt of a finished session (CONTRACT 4): what was asked, what was checked and how it ended, as a JWS that an auditor
// verifies years after the session was erased. It holds no claim value, no metadata and nothing that a wallet wrote, and it is
// made of members that never change after the end: whenever it is asked for, it says the same.

import { isoTime } from '../../codec/date-time.ts'
import type { JsonObject } from '../../codec/json.ts'
import type { Config } from '../../config.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import { vouchingLists } from '../../policy/assurance.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document.ts'
import { hashJson } from '../request/request-hash.ts'
import type { SessionError } from '../results.ts'
import { credentialsOf } from './view.ts'

/** JOSE `typ`, and below `application/` the media type. */
export const RECEIPT_TYPE = 'verification-receipt+jwt'

/** The receipt as a compact JWS, by the key that signs today; `not_ended` where there is nothing to tell yet. */
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
    client_id: document.verifier.client_id,
    protocol: document.request.protocol,
    created_at: isoTime(document.created_at),
    ended_at: isoTime(ended_at),
    status: document.status,
    reason: found.reason,
    policy_hash: await hashJson(policyMembers(document)),
    request_hash: found.request_hash,
    checks: found.checks,
    assurance_level: found.assurance_level,
    assurance_derivation: derivation,
    credentials: credentialsOf(outcome).map(toReceipt),
    trust_lists: vouchingLists(derivation),
    channel: found.channel,
    // As the event told it: a return code may be redeemed later.
    session_binding: found.session_binding,
    trace: found.trace,
  }
  return ok(await signJwt(claims, RECEIPT_TYPE, accessTokenKeys.keys[0]))
}

/** Named one by one: what results come to tell besides must be thought about before it is kept for years. */
function toReceipt(credential: ReturnType<typeof credentialsOf>[number]) {
  const { id, credential_type, format, issuer, assurance_level, status, checks } = credential
  const transaction_data = credential.transaction_data.map(({ index, hash, hash_alg }) => {
    return { index, hash, hash_alg }
  })
  return { id, credential_type, format, issuer, assurance_level, status, checks, transaction_data }
}

/** What the relying party asked for, as it reads it: these members of a poll and no other, so that old hashes stay true. */
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
  }
}
