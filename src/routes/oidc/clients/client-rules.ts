// Defaults and changes of an OpenID Connect client, and the rules between its members. `checkClient` checks
// the client as it will be stored.

import type { ClientCreation, ClientPatch } from '../../../api/oidc-clients.ts'
import { LOOPBACK_HOSTS } from '../../../net/outbound-url.ts'
import {
  encryptionKey,
  isConfidential,
  type OidcClientInput,
  signingKeys,
} from '../../../relying-party/oidc/client.ts'
import type { ClientMessage } from './client-messages.ts'

/** Returns the client of a create request. Members that were not sent get their defaults. */
export function withDefaults(sent: ClientCreation, livemode: boolean): OidcClientInput {
  return withContentEncryption({
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    token_endpoint_as_audience: false,
    require_pushed_authorization_requests: false,
    require_pkce: true,
    dpop_bound_access_tokens: false,
    cross_device: !livemode,
    default_policy: sent.policies[0]?.name ?? '',
    subject: { type: 'transient' },
    id_token_signed_response_alg: 'RS256',
    userinfo_signed_response_alg: null,
    id_token_encrypted_response_alg: null,
    id_token_encrypted_response_enc: null,
    userinfo_encrypted_response_alg: null,
    userinfo_encrypted_response_enc: null,
    jwks: null,
    ...sent,
  })
}

/** Returns the client after a change. */
export function withChanges(client: OidcClientInput, patch: ClientPatch): OidcClientInput {
  return withContentEncryption({ ...client, ...patch })
}

/**
 * Returns the client with the default content encryption, A256GCM. The default of Registration 1.0 §2,
 * A128CBC-HS256, is not offered.
 */
function withContentEncryption(client: OidcClientInput): OidcClientInput {
  const { id_token_encrypted_response_alg: idToken, userinfo_encrypted_response_alg: userinfo } = client
  const { id_token_encrypted_response_enc: idTokenEnc, userinfo_encrypted_response_enc: userinfoEnc } = client
  return {
    ...client,
    id_token_encrypted_response_enc: idToken && (idTokenEnc ?? 'A256GCM'),
    userinfo_encrypted_response_enc: userinfo && (userinfoEnc ?? 'A256GCM'),
  }
}

/** Error in a client that the schema cannot detect. */
export type ClientError = ClientMessage & { readonly pointer: string }

/** Returns the errors of redirect URIs, and of members that do not fit together. */
export function checkClient(client: OidcClientInput, livemode: boolean): readonly ClientError[] {
  const { application_type, token_endpoint_auth_method: method, policies } = client
  const allowsLoopback = application_type === 'native' || !livemode
  const isPublic = !isConfidential(client)
  const needsBinding = policies.findIndex(
    ({ request }) => JSON.parse(request).required_session_binding === 'relying_party',
  )
  const errors: ClientError[] = client.redirect_uris.flatMap((uri, i) =>
    isRedirectUri(uri, allowsLoopback) ? [] : [{ pointer: `/redirect_uris/${i}`, text: 'oidc_redirect_uri' }],
  )
  if (!policies.some(({ name }) => name === client.default_policy))
    errors.push({ pointer: '/default_policy', text: 'oidc_default_policy' })
  if (isPublic && !client.require_pkce)
    errors.push({ pointer: '/require_pkce', text: 'oidc_pkce_of_public_client' })
  if (isPublic && needsBinding >= 0) {
    const pointer = `/policies/${needsBinding}/required_session_binding`
    errors.push({ pointer, text: 'oidc_binding_of_public_client' })
  }
  if (method === 'private_key_jwt' && signingKeys(client).length === 0)
    errors.push({ pointer: '/jwks', text: 'oidc_signing_key' })
  for (const member of ['id_token_encrypted_response_alg', 'userinfo_encrypted_response_alg'] as const) {
    const algorithm = client[member]
    if (algorithm !== null && encryptionKey(client, algorithm) === undefined)
      errors.push({ pointer: '/jwks', text: 'oidc_encryption_key', values: { algorithm, member } })
  }
  return errors
}

/**
 * Returns true for an https URL, or for an http URL of loopback if that is allowed. Texts with white space or
 * backslashes are rejected, because the URL parser changes them.
 */
function isRedirectUri(uri: string, allowsLoopback: boolean): boolean {
  if (/[\s\p{C}\\#*]/u.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?]*@/.test(uri)) return false
  const isLoopback = LOOPBACK_HOSTS.includes(hostname) || hostname === '[::1]'
  if (protocol === 'https:') return uri.startsWith('https://')
  return uri.startsWith('http://') && isLoopback && allowsLoopback
}
