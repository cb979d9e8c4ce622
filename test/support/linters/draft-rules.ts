// Rules of the drafts: required members of a request of draft 18 or 24, and forbidden members of other
// versions. A foreign wallet library infers the version from these members, and refuses a mixture.

import { areUnique, isObject, isSubset, type Loose, type Rule } from './request-rules.ts'

const DRAFT_24 = ['openid4vp-draft24']
const DRAFT_18 = ['openid4vp-draft18']
const BOTH = [...DRAFT_24, ...DRAFT_18]
const COMMON = [
  ...['response_type', 'response_mode', 'client_id', 'response_uri', 'nonce', 'state', 'aud', 'iat', 'exp'],
  'client_metadata',
]
const JARM = ['authorization_encrypted_response_alg', 'authorization_encrypted_response_enc']

/** Claim Format Designations that both drafts have. */
const ALWAYS = ['mso_mdoc', 'jwt_vc_json', 'jwt_vp_json']

/** Every rule that the final versions do not have. */
export const DRAFT_RULES: readonly Rule[] = [
  [
    'D18',
    'the claims are those of draft 18, and no others',
    ({ claims }) => hasExactly(claims, [...COMMON, 'client_id_scheme', 'presentation_definition']),
    DRAFT_18,
  ],
  [
    'D24',
    'the claims are those of draft 24, with one query, and no others',
    ({ claims, walletNonce }) =>
      ['presentation_definition', 'dcql_query'].some((query) =>
        hasExactly(claims, [...COMMON, query, ...(walletNonce === undefined ? [] : ['wallet_nonce'])]),
      ) && claims.wallet_nonce === walletNonce,
    DRAFT_24,
  ],
  [
    'D18',
    'the URI holds client_id and request_uri, and no method (draft 18 §5)',
    ({ outer }) => [...outer.keys()].join() === 'client_id,request_uri',
    DRAFT_18,
  ],
  [
    'D18',
    'client_id is the host of the leaf’s SAN and of both URIs, without a prefix (draft 19 §5.7)',
    ({ claims, outer, chain }) =>
      claims.client_id_scheme === 'x509_san_dns' &&
      (chain[0]?.subjectAltName ?? '').split(', ').includes(`DNS:${claims.client_id}`) &&
      [claims.response_uri, outer.get('request_uri')].every((uri) => new URL(uri).host === claims.client_id),
    DRAFT_18,
  ],
  [
    'D24',
    'client_id has the prefix x509_san_dns (draft 24 §5.10)',
    ({ claims }) => claims.client_id.startsWith('x509_san_dns:'),
    DRAFT_24,
  ],
  [
    'D18',
    'vp_formats has vc+sd-jwt and mso_mdoc, and no name of a later draft',
    ({ metadata }) => isSubset(Object.keys(metadata.vp_formats), ['vc+sd-jwt', ...ALWAYS]),
    DRAFT_18,
  ],
  [
    'D24',
    'vp_formats has dc+sd-jwt and mso_mdoc (draft 24 B.3.1)',
    ({ metadata }) => isSubset(Object.keys(metadata.vp_formats), ['dc+sd-jwt', ...ALWAYS]),
    DRAFT_24,
  ],
  ['DJ', 'vp_formats is not empty', ({ metadata }) => Object.keys(metadata.vp_formats).length > 0, BOTH],
  [
    'DJ',
    'client_metadata has the key and both JARM members, or none of the three (JARM §3)',
    ({ metadata, encrypted }) =>
      hasExactly(metadata, encrypted ? ['vp_formats', 'jwks', ...JARM] : ['vp_formats']),
    BOTH,
  ],
  [
    'DJ',
    'answers are encrypted with ECDH-ES and A256GCM (ISO/IEC TS 18013-7 B.4)',
    ({ metadata, encrypted }) =>
      !encrypted || JARM.map((name) => metadata[name]).join() === 'ECDH-ES,A256GCM',
    BOTH,
  ],
  [
    'DJ',
    'mso_mdoc is asked for with an encrypted answer only (ISO/IEC TS 18013-7 B.4)',
    ({ metadata, encrypted }) => encrypted || !('mso_mdoc' in metadata.vp_formats),
    BOTH,
  ],
  [
    'PE',
    'the presentation definition is well-formed, and asks in formats of vp_formats only',
    ({ claims, metadata }) =>
      claims.presentation_definition === undefined ||
      isDefinition(claims.presentation_definition, Object.keys(metadata.vp_formats)),
    BOTH,
  ],
]

function hasExactly(object: Loose, names: readonly string[]): boolean {
  return isObject(object) && [...Object.keys(object)].sort().join() === [...names].sort().join()
}

/** DIF Presentation Exchange 2.1 §5. */
function isDefinition(definition: Loose, formats: readonly string[]): boolean {
  const { id, input_descriptors: descriptors, submission_requirements: requirements = [] } = definition
  const groups = requirements.map(({ from }: Loose) => from)
  return (
    typeof id === 'string' &&
    descriptors.length > 0 &&
    areUnique(descriptors.map((descriptor: Loose) => descriptor.id)) &&
    descriptors.every((descriptor: Loose) => isDescriptor(descriptor, formats)) &&
    requirements.every(({ rule, count, min }: Loose) => rule === 'pick' && (count === 1 || min === 0)) &&
    descriptors.every(({ group = [] }: Loose) => isSubset(group, groups)) &&
    (requirements.length === 0 || descriptors.every(({ group }: Loose) => group?.length > 0))
  )
}

function isDescriptor({ id, format, constraints }: Loose, formats: readonly string[]): boolean {
  const names = Object.keys(format)
  return (
    typeof id === 'string' &&
    names.length === 1 &&
    isSubset(names, formats) &&
    constraints.limit_disclosure === (names[0] === 'jwt_vc_json' ? undefined : 'required') &&
    constraints.fields.every(
      ({ path, filter, intent_to_retain }: Loose) =>
        path.length > 0 &&
        path.every((expression: string) => expression.startsWith('$')) &&
        (filter === undefined || (filter.enum ?? filter.contains.enum).length > 0) &&
        typeof intent_to_retain === (names[0] === 'mso_mdoc' ? 'boolean' : 'undefined'),
    )
  )
}
