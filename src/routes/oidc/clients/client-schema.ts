// Bodies that create or change an OpenID Connect client. `checkClient` has the rules between members. It
// checks the client as it will be stored.

import * as z from 'zod/mini'
import { line } from '../../../api/page-texts.ts'
import { policyMembers } from '../../../api/requests.ts'
import { decodeBase64url } from '../../../codec/base64url.ts'
import { text } from '../../../codec/schema.ts'
import { p256PublicJwk } from '../../../config.ts'
import { parsePublicJwk } from '../../../crypto/jwk.ts'
import { OIDC_CLIENT } from '../../../limits.ts'
import { LOOPBACK_HOSTS } from '../../../net/outbound-url.ts'
import {
  APPLICATION_TYPES,
  AUTH_METHODS,
  CONTENT_ALGORITHMS,
  encryptionKey,
  isConfidential,
  KEY_ALGORITHMS,
  type OidcClientInput,
  SIGNING_ALGORITHMS,
  STANDARD_SCOPES,
  SUBJECT_CLAIMS,
  signingKeys,
} from '../../../relying-party/oidc/client.ts'
import type { ClientMessage } from './client-messages.ts'

/** Limit of a client's body, in bytes. */
export const CLIENT_LIMIT = 128 * 1024

/** Members that describe the use of a key. Except the key itself, all other members are dropped. */
const named = {
  kid: z.exactOptional(text(200)),
  use: z.exactOptional(z.enum(['sig', 'enc'])),
  alg: z.exactOptional(text(200)),
}

const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']

/**
 * Returns the schema of an odd integer of an RSA key (RFC 7518 §6.3.1). With an even integer, encryption
 * would fail only after the person has answered.
 */
const oddInteger = (pattern: RegExp, least: (octets: number) => number, message: string) =>
  z.string().check(
    z.regex(pattern, message),
    z.refine((text) => {
      const octets = decodeBase64url(text) ?? new Uint8Array(1)
      return Number(octets[0]) >= least(octets.length) && Number(octets.at(-1)) % 2 === 1
    }, message),
  )

const modulus = oddInteger(
  /^[A-Za-z0-9_-]{342,683}$/,
  () => 128,
  'must be an odd modulus of 2048 to 4096 bits, in base64url',
)
const exponent = oddInteger(
  /^[A-Za-z0-9_-]{2,6}$/,
  (octets) => (octets === 1 ? 3 : 1),
  'must be an odd exponent of 3 or more and at most 32 bits, in base64url',
)

const publicJwk = z.pipe(
  z
    .record(z.string(), z.unknown())
    .check(
      z.refine((key) => !PRIVATE_PARTS.some((part) => part in key), 'must be a key without a private part'),
    ),
  z.discriminatedUnion('kty', [
    z
      .extend(p256PublicJwk, named)
      .check(z.refine((jwk) => parsePublicJwk(jwk) !== undefined, 'must be a point on P-256')),
    z.object({ kty: z.literal('RSA'), n: modulus, e: exponent, ...named }),
  ]),
)

const policyName = z.string().check(
  z.regex(/^[a-z0-9_-]{1,64}$/, 'must have 1 to 64 of a-z, 0-9, _ and -'),
  z.refine(
    (name) => !STANDARD_SCOPES.some((scope) => scope === name),
    'must not be a scope of OpenID Connect',
  ),
)

const policy = z.pipe(
  z.extend(policyMembers, { name: policyName, front_channel: z._default(z.boolean(), false) }),
  z.transform(({ name, front_channel, ...request }) => ({
    name,
    front_channel,
    request: JSON.stringify(request),
  })),
)

const subject = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('transient') }),
  z.strictObject({
    type: z.literal('pairwise'),
    claims: z.array(z.enum(SUBJECT_CLAIMS)).check(
      z.minLength(1),
      z.refine((claims) => new Set(claims).size === claims.length, 'must not repeat an entry'),
    ),
  }),
])

const members = z.strictObject({
  name: line(100),
  application_type: z.enum(APPLICATION_TYPES),
  redirect_uris: z.array(text(2048)).check(
    z.minLength(1),
    z.maxLength(OIDC_CLIENT.redirectUris),
    z.refine((uris) => new Set(uris).size === uris.length, 'must not repeat an entry'),
  ),
  token_endpoint_auth_method: z.enum(AUTH_METHODS),
  require_pushed_authorization_requests: z.boolean(),
  require_pkce: z.boolean(),
  cross_device: z.boolean(),
  policies: z.array(policy).check(
    z.minLength(1),
    z.maxLength(OIDC_CLIENT.policies),
    z.refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must not repeat a name'),
  ),
  default_policy: policyName,
  subject,
  id_token_signed_response_alg: z.enum(SIGNING_ALGORITHMS),
  userinfo_signed_response_alg: z.nullable(z.enum(SIGNING_ALGORITHMS)),
  id_token_encrypted_response_alg: z.nullable(z.enum(KEY_ALGORITHMS)),
  id_token_encrypted_response_enc: z.nullable(z.enum(CONTENT_ALGORITHMS)),
  userinfo_encrypted_response_alg: z.nullable(z.enum(KEY_ALGORITHMS)),
  userinfo_encrypted_response_enc: z.nullable(z.enum(CONTENT_ALGORITHMS)),
  jwks: z.nullable(
    z.object({ keys: z.array(publicJwk).check(z.minLength(1), z.maxLength(OIDC_CLIENT.keys)) }),
  ),
})

/** Body of a change. A sent member replaces the whole stored member. */
export const clientPatch = z.exactPartial(members)
export type ClientPatch = z.infer<typeof clientPatch>

/** Body of a creation. */
export const clientCreation = z.extend(clientPatch, {
  name: members.shape.name,
  redirect_uris: members.shape.redirect_uris,
  policies: members.shape.policies,
})

/** Returns a creation with its defaults. */
export function withDefaults(sent: z.infer<typeof clientCreation>, livemode: boolean): OidcClientInput {
  return withContentEncryption({
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    require_pushed_authorization_requests: false,
    require_pkce: true,
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

/** Error in a client that the schema alone does not find. */
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
