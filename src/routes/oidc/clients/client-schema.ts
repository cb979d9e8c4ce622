// Bodies that create or change an OpenID Connect client. Rules between members are in `checkClient`, which
// judges the client as it will be stored.

import * as z from 'zod/mini'
import type { JsonObject } from '../../../codec/json.ts'
import { text } from '../../../codec/schema.ts'
import { parsePublicJwk } from '../../../crypto/jwk.ts'
import { OIDC_CLIENT } from '../../../limits.ts'
import { LOOPBACK_HOSTS } from '../../../net/outbound-url.ts'
import {
  APPLICATION_TYPES,
  AUTH_METHODS,
  type ClientJwk,
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
import type { FieldError } from '../../edge/problems.ts'
import { line, policyMembers } from '../../edge/schemas.ts'

/** Bytes of a client's body. */
export const CLIENT_LIMIT = 128 * 1024

/** A public key. Private parts are refused, and members that are not needed are dropped. */
const publicJwk = z.pipe(
  z
    .record(z.string(), z.unknown())
    .check(
      z.refine(
        (key) => isPublicKey(key) && !['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].some((part) => part in key),
        'must be a P-256 key, or an RSA key of 2048 to 4096 bits, without a private part',
      ),
    ),
  z.transform((sent): ClientJwk => {
    const { kty, crv, x, y, n, e, kid, use, alg } = sent as ClientJwk & Readonly<Record<string, string>>
    const named = { ...(kid && { kid }), ...(use && { use }), ...(alg && { alg }) } as Pick<ClientJwk, 'kid'>
    return (kty === 'EC' ? { kty, crv, x, y, ...named } : { kty, n, e, ...named }) as ClientJwk
  }),
)

/** The shortest and the longest modulus, in base64url. */
const MODULUS = /^[A-Za-z0-9_-]{342,684}$/
const EXPONENT = /^[A-Za-z0-9_-]{2,6}$/

function isPublicKey({ kty, n, e, kid, use, alg, ...key }: Readonly<Record<string, unknown>>): boolean {
  const isText = (value: unknown) => value === undefined || (typeof value === 'string' && value.length < 200)
  if (![kid, use, alg].every(isText) || ![undefined, 'sig', 'enc'].includes(use as undefined)) return false
  if (kty === 'EC') return key.crv === 'P-256' && parsePublicJwk({ kty, ...key } as JsonObject) !== undefined
  return kty === 'RSA' && MODULUS.test(String(n)) && EXPONENT.test(String(e))
}

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

/** Body of a change. A member that is sent replaces the stored one as a whole. */
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

/** The default of Registration 1.0 §2, A128CBC-HS256, is not offered. */
function withContentEncryption(client: OidcClientInput): OidcClientInput {
  const { id_token_encrypted_response_alg: idToken, userinfo_encrypted_response_alg: userinfo } = client
  const { id_token_encrypted_response_enc: idTokenEnc, userinfo_encrypted_response_enc: userinfoEnc } = client
  return {
    ...client,
    id_token_encrypted_response_enc: idToken && (idTokenEnc ?? 'A256GCM'),
    userinfo_encrypted_response_enc: userinfo && (userinfoEnc ?? 'A256GCM'),
  }
}

/** Returns the errors of a client that its schema accepted. */
export function checkClient(client: OidcClientInput, livemode: boolean): readonly FieldError[] {
  const refuse = (pointer: string, message: string) => ({ pointer, code: 'invalid_value', message })
  const { application_type, token_endpoint_auth_method: method } = client
  const allowsLoopback = application_type === 'native' || !livemode
  const needsBinding = client.policies.findIndex(
    ({ request }) => JSON.parse(request).required_session_binding === 'relying_party',
  )
  return [
    ...client.redirect_uris.flatMap((uri, i) =>
      isRedirectUri(uri, allowsLoopback) ? [] : [refuse(`/redirect_uris/${i}`, REDIRECT_URI)],
    ),
    ...(client.policies.some(({ name }) => name === client.default_policy)
      ? []
      : [refuse('/default_policy', 'must be the name of one of the policies')]),
    ...(!isConfidential(client) && !client.require_pkce
      ? [refuse('/require_pkce', 'must be true where token_endpoint_auth_method is none')]
      : []),
    ...(!isConfidential(client) && needsBinding >= 0
      ? [
          refuse(
            `/policies/${needsBinding}/required_session_binding`,
            'must not be relying_party where token_endpoint_auth_method is none',
          ),
        ]
      : []),
    ...(method === 'private_key_jwt' && signingKeys(client).length === 0
      ? [
          refuse(
            '/jwks',
            'must have a key for signatures where token_endpoint_auth_method is private_key_jwt',
          ),
        ]
      : []),
    ...(['id_token_encrypted_response_alg', 'userinfo_encrypted_response_alg'] as const).flatMap((name) => {
      const algorithm = client[name]
      if (algorithm === null || encryptionKey(client, algorithm) !== undefined) return []
      return [refuse('/jwks', `must have a key for ${algorithm}, which ${name} requires`)]
    }),
  ]
}

const REDIRECT_URI =
  'must be an https URL without fragment, wildcard or user information; http is for loopback'

/** The URL parser drops white space and replaces backslashes: such texts are rejected. */
function isRedirectUri(uri: string, allowsLoopback: boolean): boolean {
  if (/[\s\p{C}\\#*]/u.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?]*@/.test(uri)) return false
  const isLoopback = LOOPBACK_HOSTS.includes(hostname) || hostname === '[::1]'
  if (protocol === 'https:') return uri.startsWith('https://')
  return uri.startsWith('http://') && isLoopback && allowsLoopback
}
