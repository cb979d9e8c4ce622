// Mistakes in the credential, its issuer or its status: reasons of the families credential, trust, status and
// policy.

import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { utf8 } from '../../../src/codec/bytes.ts'
import { isJsonObject } from '../../../src/codec/json.ts'
import { type Cbor, cbor, embedded, mapOf, tagged } from '../../issuer/cbor.ts'
import { ISSUER, ROOT_CERTIFICATE } from '../../issuer/identities.ts'
import type { Mistake } from '../mistake.ts'

const DAY = 86_400
const JWTS = ['dc+sd-jwt', 'jwt_vc_json'] as const
const SELECTIVE = ['dc+sd-jwt', 'mso_mdoc'] as const

/** Header labels and algorithms of COSE. */
const [ALG, CRIT, RS256, ES384] = [1, 2, -257, -35]

const EMPTY_RESPONSE = mapOf({
  version: '1.0',
  documentErrors: [mapOf({ 'eu.europa.ec.av.1': 0 })],
  status: 0,
})

const CREDENTIAL = {
  malformed_credential: {
    description: 'presents something other than a credential',
    presentation: () => 'nothing',
  },
  document_not_returned: {
    description: 'presents a DeviceResponse without a document',
    formats: ['mso_mdoc'],
    presentation: () => encodeBase64url(cbor(EMPTY_RESPONSE)),
  },
  unsupported_algorithm: {
    description: 'presents a credential signed with an unsupported algorithm',
    header: (header) => ({ ...header, alg: 'HS256' }),
    coseHeader: new Map([[ALG, RS256]]),
  },
  unsupported_critical_header: {
    description: 'presents a credential with an unknown critical header',
    header: (header) => ({ ...header, crit: ['sandbox'], sandbox: true }),
    coseHeader: new Map<number, Cbor>([[CRIT, ['sandbox']]]),
  },
  wrong_token_type: {
    description: 'presents a JWT with another typ',
    formats: JWTS,
    header: (header) => ({ ...header, typ: 'other+jwt' }),
  },
  unknown_credential_type: {
    description: 'presents a credential of an unknown type',
    type: 'urn:sandbox:unknown',
  },
  invalid_issuer_signature: {
    description: 'presents a credential with an invalid issuer signature',
    signedBy: 'unknown_root',
  },
  malformed_disclosure: {
    description: 'adds a malformed disclosure',
    formats: SELECTIVE,
    disclosures: (list) => [...list, encodeBase64url(utf8('nothing'))],
    items: (items) => [...items, embedded('nothing')],
  },
  unreferenced_disclosure: {
    description: 'adds a claim that the issuer did not sign',
    formats: SELECTIVE,
    disclosures: (list) => [...list, encodeBase64url(utf8('["salt","invented",true]'))],
    items: (items) => [...items, INVENTED_ITEM],
  },
  duplicate_digest: {
    description: 'presents a credential with a duplicate digest',
    formats: SELECTIVE,
    claims: ({ _sd, ...claims }) => ({ ...claims, _sd: Array.isArray(_sd) ? [..._sd, ..._sd] : _sd }),
    items: (items) => [...items, ...items],
  },
  unsupported_hash_algorithm: {
    description: 'presents a credential with an unsupported hash algorithm',
    formats: SELECTIVE,
    claims: (claims) => ({ ...claims, _sd_alg: 'md5' }),
    mso: (mso) => new Map([...mso, ['digestAlgorithm', 'MD5']]),
  },
  forbidden_disclosure: {
    description: 'discloses a claim that must not be disclosed',
    formats: SELECTIVE,
    disclosed: { nbf: 0 },
    deviceElements: new Map([['sandbox', new Map([['invented', true]])]]),
  },
  invalid_claim: {
    description: 'presents a credential with an invalid expiry time',
    claims: (claims) => ({ ...claims, exp: 'tomorrow' }),
    mso: (mso) => new Map([...mso, ['validityInfo', new Map([['validUntil', tagged(0, 'tomorrow')]])]]),
  },
} as const satisfies Readonly<Record<string, Mistake>>

const TRUST = {
  untrusted_issuer: {
    description: 'presents a credential of an untrusted issuer',
    identity: 'unknown_root',
  },
  malformed_certificate_chain: {
    description: 'presents a malformed certificate',
    chain: () => ['AAAA'],
  },
  invalid_certificate_path: {
    description: 'presents a certificate signed by another authority of the same name',
    identity: 'signed_by_a_namesake',
  },
  certificate_expired: {
    description: "presents a credential whose issuer's certificate has expired",
    identity: 'expired',
  },
  certificate_not_yet_valid: {
    description: "presents a credential whose issuer's certificate is not valid yet",
    identity: 'not_yet_valid',
  },
  certificate_profile_violation: {
    description: 'presents a credential signed with the certificate of a web server',
    identity: 'wrong_purpose',
  },
  certificate_revoked: {
    description: "presents a credential whose issuer's certificate is revoked",
    identity: 'revoked',
  },
  certificate_status_unavailable: {
    description: "presents a credential whose issuer's certificate has an unavailable revocation list",
    identity: 'crl_unavailable',
  },
  trust_anchor_in_chain: {
    description: 'sends the trust anchor as the certificate of the issuer',
    chain: () => [ROOT_CERTIFICATE],
  },
  self_signed_certificate: {
    description: 'presents a credential of a self-signed issuer',
    identity: 'self_signed',
  },
  issuer_key_not_found: {
    description: "presents a credential whose algorithm does not fit the issuer's key",
    header: (header) => ({ ...header, alg: 'ES384' }),
    coseHeader: new Map([[ALG, ES384]]),
  },
  issuer_metadata_invalid: {
    description: 'presents a credential whose issuer metadata belongs to another issuer',
    formats: JWTS,
    header: ({ x5c: _, ...header }) => header,
    claims: (claims) => ({ ...claims, iss: `${ISSUER}/broken` }),
  },
  issuer_metadata_unavailable: {
    description: 'presents a credential whose issuer metadata is unavailable',
    formats: JWTS,
    header: ({ x5c: _, ...header }) => header,
    claims: (claims) => ({ ...claims, iss: `${ISSUER}/down` }),
  },
  trust_list_unavailable: {
    description: 'presents a credential whose issuer could only be on an unavailable trust list',
    identity: 'unknown_root',
  },
} as const satisfies Readonly<Record<string, Mistake>>

const STATUS = {
  status_unavailable: {
    description: 'presents a credential whose status list is unavailable',
    status: 'unavailable',
  },
  credential_revoked: { description: 'presents a revoked credential', status: 'revoked' },
  credential_suspended: { description: 'presents a suspended credential', status: 'suspended' },
} as const satisfies Readonly<Record<string, Mistake>>

const POLICY = {
  query_not_satisfied: {
    description: 'presents a credential without the requested claims',
    person: () => ({}),
  },
  predicate_false: {
    description: 'presents a credential whose requested claims are false',
    person: (person) => mapLeaves(person, (leaf) => (leaf === true ? false : leaf)),
  },
  value_mismatch: {
    description: 'presents a credential with other values than requested',
    person: (person) => mapLeaves(person, otherValue),
  },
  assurance_level_too_low: {
    description: 'presents a credential of a low assurance level',
    formats: JWTS,
    person: (person) => ({
      ...person,
      assurance_level: 'low',
      ...(isJsonObject(person.credentialSubject) && {
        credentialSubject: { ...person.credentialSubject, assurance_level: 'low' },
      }),
    }),
  },
  credential_expired: {
    description: 'presents an expired credential',
    validFrom: -30 * DAY,
    validUntil: -DAY,
  },
  credential_not_yet_valid: {
    description: 'presents a credential that is not valid yet',
    validFrom: DAY,
    validUntil: 30 * DAY,
  },
} as const satisfies Readonly<Record<string, Mistake>>

export const CREDENTIAL_MISTAKES = { ...CREDENTIAL, ...TRUST, ...STATUS, ...POLICY } as const

const INVENTED_ITEM = embedded(
  new Map<string, Cbor>([
    ['digestID', 1000],
    ['random', new Uint8Array(32)],
    ['elementIdentifier', 'invented'],
    ['elementValue', true],
  ]),
)

function otherValue(leaf: unknown): unknown {
  if (typeof leaf === 'boolean') return !leaf
  return typeof leaf === 'number' ? leaf + 1 : 'another value'
}

function mapLeaves<T>(value: T, change: (leaf: unknown) => unknown): T {
  const map = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(map)
    if (!isJsonObject(inner)) return change(inner)
    return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, map(item)]))
  }
  return map(value) as T // of the same shape
}
