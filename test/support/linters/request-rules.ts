// The rules themselves, each a predicate over an opened request. `request-linter.ts` applies them.

import type { X509Certificate } from 'node:crypto'
import { DcqlQuery } from 'dcql'
import type { JWK } from 'jose'
import type { ObservedRequest } from './request-linter.ts'

// biome-ignore lint/suspicious/noExplicitAny: the request is a stranger's JSON, and a rule that trips over it has failed
export type Loose = any

/** A request with everything in it decoded. */
export type Opened = ObservedRequest & {
  readonly outer: URLSearchParams
  readonly header: Loose
  readonly claims: Loose
  readonly metadata: Loose
  readonly encrypted: boolean
  readonly chain: readonly X509Certificate[]
  /** The verifier's public key. */
  readonly signingJwk: JWK | undefined
  readonly signed: boolean
  readonly thumbprint: string | undefined
}

/**
 * Number in the list of obligations, text of the rule, its check, and its protocols (default: all protocols).
 */
export type Rule = readonly [
  rule: string,
  message: string,
  holds: (request: Opened) => unknown,
  protocols?: readonly string[],
]

const URL_SAFE = /^[A-Za-z0-9._~-]+$/
const ID = /^[A-Za-z0-9_-]+$/
const NOT_IN_REQUEST_OBJECT = ['sub', 'request', 'request_uri', 'request_uri_method', 'max_age']
const NOT_SELECTIVE = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts']
const METADATA_MEMBERS = ['vp_formats_supported', 'jwks', 'encrypted_response_enc_values_supported']
const OFFERED = ['A128GCM', 'A256GCM', 'A128CBC-HS256', 'A256CBC-HS512']

/** The protocols of the final versions. */
const FINAL = ['openid4vp-1.0', 'haip-1.0']

/**
 * Rules of all protocols and of the final versions, in the order of the list; `draft-rules.ts` has the rules
 * of the drafts.
 */
export const RULES: readonly Rule[] = [
  [
    'H2',
    'HAIP: signed by x509_hash (HAIP §5)',
    ({ claims }) => claims.client_id.startsWith('x509_hash:'),
    ['haip-1.0'],
  ],
  [
    'H4',
    'HAIP: direct_post.jwt (HAIP §5)',
    ({ claims }) => claims.response_mode === 'direct_post.jwt',
    ['haip-1.0'],
  ],
  [
    'R1',
    'nonce is 16 to 43 URL-safe characters (§5.2)',
    ({ claims: { nonce } }) => URL_SAFE.test(nonce) && nonce.length >= 16 && nonce.length <= 43,
  ],
  ['R2', 'response_type is vp_token (§5.6)', ({ claims }) => claims.response_type === 'vp_token'],
  [
    'R3',
    'response_mode is direct_post or direct_post.jwt (§5.2)',
    ({ claims }) => ['direct_post', 'direct_post.jwt'].includes(claims.response_mode),
  ],
  [
    'R4',
    'response_uri is an absolute https URL without a fragment (§8.2)',
    ({ claims }) => isHttps(claims.response_uri),
  ],
  ['R4', 'redirect_uri is absent (§8.2)', ({ claims }) => !('redirect_uri' in claims)],
  [
    'R5',
    'dcql_query is an object, and scope is absent (§5.1)',
    ({ claims }) => isObject(claims.dcql_query) && !('scope' in claims),
    FINAL,
  ],
  [
    'R6',
    'nothing of another version or profile (§5)',
    ({ claims }) =>
      [
        'presentation_definition',
        'presentation_definition_uri',
        'client_id_scheme',
        'client_metadata_uri',
      ].every((name) => !(name in claims)),
    FINAL,
  ],
  [
    'R6',
    'transaction_data only where it was asked for, and then of credentials that are (§5.1, B.3.3)',
    ({ claims, asksTransactionData = false }) =>
      'transaction_data' in claims === asksTransactionData &&
      (claims.transaction_data ?? []).every((text: string) => isTransactionData(text, claims.dcql_query)),
    FINAL,
  ],
  [
    'R6',
    'no transaction_data in the drafts',
    ({ claims }) => !('transaction_data' in claims),
    ['openid4vp-draft18', 'openid4vp-draft24'],
  ],
  [
    'R7',
    'state is 22 URL-safe characters or more (§5.3)',
    ({ claims: { state } }) => URL_SAFE.test(state) && state.length >= 22,
  ],
  [
    'R8',
    'aud is https://self-issued.me/v2 (§5.8)',
    ({ claims }) => claims.aud === 'https://self-issued.me/v2',
  ],
  ['R9', 'typ is oauth-authz-req+jwt (§5)', ({ header }) => header.typ === 'oauth-authz-req+jwt'],
  [
    'R9',
    'iss is absent or the client_id (§5)',
    ({ claims }) => !('iss' in claims) || claims.iss === claims.client_id,
  ],
  [
    'R9',
    'no parameter that JAR keeps out of a Request Object (RFC 9101 §4, §10.8)',
    ({ claims }) => NOT_IN_REQUEST_OBJECT.every((name) => !(name in claims)),
  ],
  [
    'R9',
    'signed with ES256 by the key that the client_id leads to (§5.9.3)',
    ({ header, signed }) => header.alg === 'ES256' && signed,
  ],
  [
    'R10',
    'iat is a day old at most and not in the future',
    ({ claims: { iat }, now }) => Number.isInteger(iat) && iat > now - 86_400 && iat <= now + 300,
  ],
  [
    'R10',
    'exp is ahead, by a day at most',
    ({ claims: { exp }, now }) => Number.isInteger(exp) && exp > now && exp <= now + 86_400,
  ],
  [
    'R11',
    'client_id is the same inside and outside (§5.10)',
    ({ outer, claims }) => outer.get('client_id') === claims.client_id,
  ],
  [
    'R12',
    'request_uri is an https URL without a fragment (RFC 9101 §5.2)',
    ({ outer }) => isHttps(outer.get('request_uri')),
  ],
  [
    'R12',
    'the Request Object comes with 200, its media type and no-store (§5.10.1)',
    ({ http }) =>
      http === undefined ||
      (http.status === 200 &&
        http.headers.get('content-type') === 'application/oauth-authz-req+jwt' &&
        http.headers.get('cache-control') === 'no-store'),
  ],
  [
    'R13',
    'request_uri_method is get or post (§5.1)',
    ({ outer }) => [null, 'get', 'post'].includes(outer.get('request_uri_method')),
    FINAL,
  ],
  [
    'R13',
    'wallet_nonce is what the wallet posted, or absent (§5.10)',
    ({ claims, walletNonce }) => claims.wallet_nonce === walletNonce,
    FINAL,
  ],
  [
    'R15',
    'the URI holds client_id, request_uri and request_uri_method only, once each',
    ({ outer }) => isSubset([...outer.keys()], ['client_id', 'request_uri', 'request_uri_method']),
  ],
  [
    'R26',
    'vp_formats_supported covers every format asked for (§11.1)',
    ({ metadata, claims }) =>
      claims.dcql_query.credentials.every(({ format }: Loose) =>
        isObject(metadata.vp_formats_supported[format]),
      ),
    FINAL,
  ],
  [
    'R26',
    'vp_formats_supported has each format’s own members (Appendix B)',
    ({ metadata }) =>
      Object.entries(metadata.vp_formats_supported).every(([id, entry]) => isFormatEntry(id, entry)),
    FINAL,
  ],
  [
    'R27',
    'every key has its own kid, an alg, use enc and no private part (§5.1, §8.3)',
    ({ encrypted, metadata }) => !encrypted || holdsKeys(metadata.jwks.keys),
  ],
  [
    'R27',
    'the first key is for ECDH-ES on P-256 (HAIP §5)',
    ({ encrypted, metadata }) =>
      !encrypted || (metadata.jwks.keys[0].alg === 'ECDH-ES' && metadata.jwks.keys[0].crv === 'P-256'),
  ],
  [
    'R27',
    'content encryptions are listed, both of HAIP among them (HAIP §5)',
    ({ encrypted, metadata }) =>
      !encrypted || holdsEncryptions(metadata.encrypted_response_enc_values_supported),
    FINAL,
  ],
  [
    'R27',
    'nothing about encryption without an encrypted response (§5.1)',
    ({ encrypted, metadata }) =>
      encrypted || !('jwks' in metadata || 'encrypted_response_enc_values_supported' in metadata),
    FINAL,
  ],
  [
    'R28',
    'client_metadata has no other member',
    ({ metadata }) => isSubset(Object.keys(metadata), METADATA_MEMBERS),
    FINAL,
  ],
  [
    'R29',
    'no encryption key is the signing key (§5.1)',
    ({ metadata, signingJwk }) => (metadata.jwks?.keys ?? []).every(({ x }: Loose) => x !== signingJwk!.x),
  ],
  ['R31', 'the query is well-formed (§6)', ({ claims }) => holdsQuery(claims.dcql_query), FINAL],
  [
    'R32',
    'no registered claim is asked of an SD-JWT VC',
    ({ claims }) =>
      claims.dcql_query.credentials.every(
        ({ format, claims: asked = [] }: Loose) =>
          format !== 'dc+sd-jwt' || asked.every(({ path }: Loose) => !NOT_SELECTIVE.includes(path[0])),
      ),
    FINAL,
  ],
]

/** §5.1, §8.4: an object with a type, for SD-JWT VCs of the query whose holders prove possession. */
function isTransactionData(text: string, { credentials }: Loose): boolean {
  const { type, credential_ids }: Loose = JSON.parse(Buffer.from(text, 'base64url').toString())
  const canConfirm = (id: string) =>
    credentials.some(
      (query: Loose) =>
        query.id === id &&
        query.format === 'dc+sd-jwt' &&
        query.require_cryptographic_holder_binding !== false,
    )
  return typeof type === 'string' && credential_ids.length > 0 && credential_ids.every(canConfirm)
}

function isHttps(value: unknown): boolean {
  return (
    typeof value === 'string' && URL.canParse(value) && value.startsWith('https://') && !value.includes('#')
  )
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isSubset(names: readonly string[], allowed: readonly string[]): boolean {
  return new Set(names).size === names.length && names.every((name) => allowed.includes(name))
}

function isFormatEntry(id: string, entry: Loose): boolean {
  const lists: Record<string, readonly string[]> = {
    'dc+sd-jwt': ['sd-jwt_alg_values', 'kb-jwt_alg_values'],
    mso_mdoc: ['issuerauth_alg_values', 'deviceauth_alg_values'],
    jwt_vc_json: ['alg_values'],
  }
  const type = id === 'mso_mdoc' ? 'number' : 'string'
  const known = lists[id] ?? []
  return (
    isSubset(Object.keys(entry), known) &&
    Object.values(entry).every(
      (list) => Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === type),
    )
  )
}

function holdsKeys(keys: Loose[]): boolean {
  const kids = keys.map(({ kid }) => kid)
  const complete = keys.every((key) => key.kid && key.alg && key.use === 'enc' && !('d' in key))
  return keys.length > 0 && complete && new Set(kids).size === kids.length
}

function holdsEncryptions(values: string[]): boolean {
  return values.includes('A128GCM') && values.includes('A256GCM') && isSubset(values, OFFERED)
}

function holdsQuery(query: Loose): boolean {
  DcqlQuery.validate(DcqlQuery.parse(query))
  return query.credentials.every(
    ({ id, meta, claims, claim_sets }: Loose) =>
      ID.test(id) &&
      isObject(meta) &&
      Object.keys(meta).length > 0 &&
      areUnique((claims ?? []).map(({ path }: Loose) => JSON.stringify(path))) &&
      (claim_sets === undefined ||
        claims.every((claim: Loose) => ID.test(claim.id) && claim_sets.flat().includes(claim.id))),
  )
}

export function areUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length
}
