// Texts about clients, by error code. Placeholders are in braces. `npm run generate` copies these texts to
// assets/messages.json, from which the service reads them.

export const CLIENT_MESSAGES = {
  oidc_keys_missing: 'The operator must set OIDC_KEYS and OIDC_SUBJECT_KEY first.',
  oidc_clients_full: 'The limit of 50 clients is reached: delete one first.',
  oidc_client_without_secret: 'Its token_endpoint_auth_method has no secret.',
  oidc_redirect_uri:
    'must be an https URL without fragment, wildcard or user information; http is for loopback',
  oidc_default_policy: 'must be the name of one of the policies',
  oidc_pkce_of_public_client: 'must be true where token_endpoint_auth_method is none',
  oidc_binding_of_public_client: 'must not be relying_party where token_endpoint_auth_method is none',
  oidc_signing_key: 'must have a key for signatures where token_endpoint_auth_method is private_key_jwt',
  oidc_encryption_key: 'must have a key for {algorithm}, which {member} requires',
  oidc_subject_claims: 'must be requested by each policy, also by {policy}',
  oidc_subject_binding:
    'must be of credentials that are bound to their holder: {policy} sets require_cryptographic_holder_binding to false',
  values_without_encryption_key:
    'Values are sent encrypted only: add a key to jwks and an encryption algorithm.',
} as const

/** A text, and the values of its placeholders. */
export type ClientMessage = {
  readonly text: keyof typeof CLIENT_MESSAGES
  readonly values?: Readonly<Record<string, string>>
}
