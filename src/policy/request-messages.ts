// Messages of the request errors, by error code. assets/messages.json contains these messages.

import type { DCQL_ERRORS } from './build-dcql-policy.ts'
import type { POLICY_ERRORS } from './build-policy.ts'
import type { TRANSACTION_ERRORS } from './place-transaction-data.ts'

/** Messages about types and scopes. */
export const POLICY_MESSAGES: Readonly<Record<keyof typeof POLICY_ERRORS, string>> = {
  invalid_request: 'is not valid here',
  unsupported_credential_type: 'must be a built-in credential type, or a type that your settings define',
  unsupported_scope: 'must be a scope of a credential type that is built in or in the settings',
  type_without_format: 'must exist in a format that may be presented: change formats or the protocol',
  type_without_scope:
    'must have one of the requested scopes: some wallets disclose everything where no claim is requested',
  scope_not_carried: 'must be a scope of one of the requested credential types',
  scopes_not_carried_together: 'must be scopes of a single credential type: request fewer scopes',
}

/** Messages about a caller's own query. */
export const DCQL_MESSAGES: Readonly<Record<keyof typeof DCQL_ERRORS, string>> = {
  unknown_format: 'must be a credential format that this service verifies',
  unknown_meta_member: 'is not a member of the meta of this format: remove it',
  invalid_meta: 'must name credential types as this format requires',
  unknown_credential_type: 'must name a built-in credential type, or a type that your settings define',
  unknown_authority_type: 'must be aki or etsi_tl',
  invalid_authority: 'must be base64url for aki, an address for etsi_tl',
  intent_to_retain_for_mdoc_only: 'must be absent for formats other than mso_mdoc',
  indistinguishable_claims: 'must differ from other paths also in the names of checks',
  authority_not_checkable: 'cannot be checked: use aki, or etsi_tl with anchor_sets in the settings',
  holder_binding_required: 'must not be false for this format',
  path_selects_nothing: 'must select a claim in a credential of this format',
  claim_always_present: 'must not be requested: every credential of this format discloses it',
  query_in_no_credential_set: 'must be in one of the credential_sets: it would never be presented',
}

/** Messages about transaction data. */
export const TRANSACTION_MESSAGES: Readonly<Record<keyof typeof TRANSACTION_ERRORS, string>> = {
  unknown_credential_query: 'must be ids of credential queries, each once',
  repeated_transaction: 'must differ from the other transactions',
  format_confirms_nothing: 'must name queries for dc+sd-jwt: other formats cannot confirm transaction data',
  holder_binding_waived: 'must name queries that require holder binding',
  several_credentials: 'must name queries for a single credential: exactly one must confirm',
  nothing_confirms: 'must be confirmed by a requested credential: request one in dc+sd-jwt',
  confirmation_avoidable: 'can be avoided by the wallet: request only formats that confirm transaction data',
  no_common_hash: 'must have a transaction_data_hashes_alg in common',
}
