// Bodies that create or change an OpenID Connect client (api/logins).

import * as z from 'zod/mini'
import { decodeBase64url } from '../codec/base64url.ts'
import { text, unique } from '../codec/schema.ts'
import { p256PublicJwk } from '../config.ts'
import { parsePublicJwk } from '../crypto/jwk.ts'
import { OIDC_CLIENT } from '../limits.ts'
import {
  APPLICATION_TYPES,
  AUTH_METHODS,
  CONTENT_ALGORITHMS,
  KEY_ALGORITHMS,
  SIGNING_ALGORITHMS,
  STANDARD_SCOPES,
  SUBJECT_CLAIMS,
} from '../relying-party/oidc/client.ts'
import { ONE_QUERY } from './one-query.ts'
import { line } from './page-texts.ts'
import { policyMembers } from './requests.ts'

/** Limit of a client's body, in bytes. */
export const CLIENT_LIMIT = 128 * 1024

/** Members that describe the use of a key. They are stored with the key. Unknown members are dropped. */
const named = {
  kid: z.exactOptional(text(200)),
  use: z.exactOptional(z.enum(['sig', 'enc'])),
  alg: z.exactOptional(text(200)),
}

const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']

/**
 * Returns the schema of `n` or `e` of an RSA key (RFC 7518 §6.3.1). The service cannot encrypt a token to
 * a key with an even `n` or `e`. Without this check, a login would fail only after the person has responded.
 * `least` gets the number of octets of a value, and returns the smallest allowed first octet.
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

/**
 * A key as it is sent, before `knownKey` drops unknown members. In the API description, a key has the rules
 * of `sentKey` and of `knownKey`.
 */
export const sentKey = z.record(z.string(), z.unknown()).check(
  z.refine((key) => !PRIVATE_PARTS.some((part) => part in key), 'must be a key without a private part'),
  z.meta({ not: { anyOf: PRIVATE_PARTS.map((part) => ({ required: [part] })) } }),
)

export const knownKey = z.discriminatedUnion('kty', [
  z
    .extend(p256PublicJwk, named)
    .check(z.refine((jwk) => parsePublicJwk(jwk) !== undefined, 'must be a point on P-256')),
  z.object({ kty: z.literal('RSA'), n: modulus, e: exponent, ...named }),
])

/** A public key of a client, without unknown members. */
export const publicJwk = z.pipe(sentKey, knownKey)

const policyName = z.string().check(
  z.regex(/^[a-z0-9_-]{1,64}$/, 'must have 1 to 64 of a-z, 0-9, _ and -'),
  z.refine(
    (name) => !STANDARD_SCOPES.some((scope) => scope === name),
    'must not be a scope of OpenID Connect',
  ),
)

const policy = z.pipe(
  z
    .extend(policyMembers, { name: policyName, front_channel: z._default(z.boolean(), false) })
    .check(z.meta(ONE_QUERY)), // checked by judgePolicies
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
    claims: unique(z.enum(SUBJECT_CLAIMS), SUBJECT_CLAIMS.length).check(z.minLength(1)),
  }),
])

const members = z.strictObject({
  name: line(100),
  application_type: z.enum(APPLICATION_TYPES),
  // The pattern is for the API description. `checkClient` parses each address, and rejects some that fit the
  // pattern.
  redirect_uris: unique(
    text(2048).check(z.meta({ pattern: '^https?://[^\\s\\\\#*]+$' })),
    OIDC_CLIENT.redirectUris,
  ).check(z.minLength(1)),
  token_endpoint_auth_method: z.enum(AUTH_METHODS),
  token_endpoint_as_audience: z.boolean(),
  require_pushed_authorization_requests: z.boolean(),
  require_pkce: z.boolean(),
  dpop_bound_access_tokens: z.boolean(),
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

/** Condition for the API description: a public client (`none`) must use PKCE. `checkClient` checks this. */
const PUBLIC_CLIENT = {
  if: {
    properties: { token_endpoint_auth_method: { const: 'none' } },
    required: ['token_endpoint_auth_method'],
  },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { require_pkce: { const: true } } },
}

const partial = z.exactPartial(members)

/** Body that changes a client. A sent member replaces the whole stored member. */
export const clientPatch = partial.check(z.meta(PUBLIC_CLIENT))
export type ClientPatch = z.infer<typeof clientPatch>

/** Body that creates a client. */
export const clientCreation = z
  .extend(partial, {
    name: members.shape.name,
    redirect_uris: members.shape.redirect_uris,
    policies: members.shape.policies,
  })
  .check(z.meta(PUBLIC_CLIENT))
export type ClientCreation = z.infer<typeof clientCreation>
