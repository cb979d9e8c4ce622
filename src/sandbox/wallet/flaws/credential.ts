// Reasons of the families credential, trust, status and policy: what is wrong was wrong when the credential was issued, or is what its
// issuer says of it by now.

import { encodeBase64url } from '../../../codec/base64url.ts'
import { utf8 } from '../../../codec/bytes.ts'
import { type Cbor, embedded, tagged } from '../../issuer/cbor.ts'
import { ISSUER, ROOT_CERTIFICATE } from '../../issuer/identities.ts'
import type { Flaw } from '../flaw.ts'

const DAY = 86_400
const JWTS = ['dc+sd-jwt', 'jwt_vc_json'] as const
const SELECTIVE = ['dc+sd-jwt', 'mso_mdoc'] as const

/** Header parameters and algorithms of COSE. */
const [ALG, CRIT, RS256, ES384] = [1, 2, -257, -35]

const CREDENTIAL = {
  malformed_credential: { does: 'presents something that is no credential', presentation: () => 'nothing' },
  unsupported_algorithm: {
    does: 'presents a credential whose signature names an algorithm that is not accepted',
    header: (header) => ({ ...header, alg: 'HS256' }),
    coseHeader: new Map([[ALG, RS256]]),
  },
  unsupported_critical_header: {
    does: 'presents a credential that demands an extension nobody knows',
    header: (header) => ({ ...header, crit: ['sandbox'], sandbox: true }),
    coseHeader: new Map<number, Cbor>([[CRIT, ['sandbox']]]),
  },
  wrong_token_type: {
    does: 'presents a JWT of another type',
    formats: JWTS,
    header: (header) => ({ ...header, typ: 'other+jwt' }),
  },
  unknown_credential_type: {
    does: 'presents a credential of a type nobody knows',
    type: 'urn:sandbox:unknown',
  },
  invalid_issuer_signature: {
    does: 'presents a credential that somebody else signed in the name of the issuer',
    signedBy: 'unknown_root',
  },
  malformed_disclosure: {
    does: 'adds a disclosure that is none',
    formats: SELECTIVE,
    disclosures: (list) => [...list, encodeBase64url(utf8('nothing'))],
    items: (items) => [...items, embedded('nothing')],
  },
  unreferenced_disclosure: {
    does: 'adds a claim that the issuer never signed',
    formats: SELECTIVE,
    disclosures: (list) => [...list, encodeBase64url(utf8('["salt","invented",true]'))],
    items: (items) => [...items, INVENTED_ITEM],
  },
  duplicate_digest: {
    does: 'presents a credential that has one claim twice',
    formats: SELECTIVE,
    claims: ({ _sd, ...claims }) => ({ ...claims, _sd: Array.isArray(_sd) ? [..._sd, ..._sd] : _sd }),
    items: (items) => [...items, ...items],
  },
  unsupported_hash_algorithm: {
    does: 'presents a credential whose digests use a hash that is not accepted',
    formats: SELECTIVE,
    claims: (claims) => ({ ...claims, _sd_alg: 'md5' }),
    mso: (mso) => new Map([...mso, ['digestAlgorithm', 'MD5']]),
  },
  forbidden_disclosure: {
    does: 'brings a claim in a place where it does not count',
    formats: SELECTIVE,
    disclosed: { nbf: 0 },
    deviceElements: new Map([['sandbox', new Map([['invented', true]])]]),
  },
  invalid_claim: {
    does: 'presents a credential with an end that is no time',
    claims: (claims) => ({ ...claims, exp: 'tomorrow' }),
    mso: (mso) => new Map([...mso, ['validityInfo', new Map([['validUntil', tagged(0, 'tomorrow')]])]]),
  },
} as const satisfies Readonly<Record<string, Flaw>>

const TRUST = {
  untrusted_issuer: {
    does: 'presents a credential of an issuer that nobody vouches for',
    identity: 'unknown_root',
  },
  malformed_certificate_chain: {
    does: 'presents a certificate that is none',
    chain: () => ['AAAA'],
  },
  invalid_certificate_path: {
    does: 'presents a certificate that a namesake of the trust anchor signed',
    identity: 'signed_by_a_namesake',
  },
  certificate_expired: {
    does: "presents a credential whose issuer's certificate has expired",
    identity: 'expired',
  },
  certificate_not_yet_valid: {
    does: "presents a credential whose issuer's certificate is not valid yet",
    identity: 'not_yet_valid',
  },
  certificate_profile_violation: {
    does: 'presents a credential that was signed with the certificate of a web server',
    identity: 'wrong_purpose',
  },
  certificate_revoked: {
    does: "presents a credential whose issuer's certificate was revoked",
    identity: 'revoked',
  },
  certificate_status_unavailable: {
    does: "presents a credential whose issuer's certificate names a revocation list that cannot be fetched",
    identity: 'crl_unavailable',
  },
  trust_anchor_in_chain: {
    does: 'sends the trust anchor along with the certificate',
    chain: (chain) => [...chain, ROOT_CERTIFICATE],
  },
  self_signed_certificate: {
    does: 'presents a credential whose issuer certified himself',
    identity: 'self_signed',
  },
  issuer_key_not_found: {
    does: "names an algorithm that the issuer's key is not for",
    header: (header) => ({ ...header, alg: 'ES384' }),
    coseHeader: new Map([[ALG, ES384]]),
  },
  issuer_metadata_invalid: {
    does: 'presents a credential of an issuer whose metadata are those of another one',
    formats: JWTS,
    header: ({ x5c: _, ...header }) => header,
    claims: (claims) => ({ ...claims, iss: `${ISSUER}/broken` }),
  },
  issuer_metadata_unavailable: {
    does: 'presents a credential of an issuer whose metadata cannot be fetched',
    formats: JWTS,
    header: ({ x5c: _, ...header }) => header,
    claims: (claims) => ({ ...claims, iss: `${ISSUER}/down` }),
  },
  trust_list_unavailable: {
    does: 'presents a credential of an issuer that only a list which cannot be had may vouch for',
    identity: 'unknown_root',
  },
} as const satisfies Readonly<Record<string, Flaw>>

const STATUS = {
  status_unavailable: {
    does: 'presents a credential whose status list cannot be fetched',
    status: 'unavailable',
  },
  credential_revoked: { does: 'presents a credential that the issuer has revoked', status: 'revoked' },
  credential_suspended: { does: 'presents a credential that the issuer has suspended', status: 'suspended' },
} as const satisfies Readonly<Record<string, Flaw>>

const POLICY = {
  query_not_satisfied: { does: 'presents a credential without what was asked for', person: () => ({}) },
  predicate_false: {
    does: 'presents a credential of somebody of whom nothing that was asked is true',
    person: (person) => mapLeaves(person, (leaf) => (leaf === true ? false : leaf)),
  },
  value_mismatch: {
    does: 'presents a credential with other values than were asked for',
    person: (person) => mapLeaves(person, other),
  },
  assurance_level_too_low: {
    does: 'presents a credential that says of itself how little it is worth',
    formats: JWTS,
    person: (person) => ({
      ...person,
      assurance_level: 'low',
      ...(isObject(person.credentialSubject) && {
        credentialSubject: { ...person.credentialSubject, assurance_level: 'low' },
      }),
    }),
  },
  credential_expired: {
    does: 'presents a credential that has expired',
    validFrom: -30 * DAY,
    validUntil: -DAY,
  },
  credential_not_yet_valid: {
    does: 'presents a credential that is not valid yet',
    validFrom: DAY,
    validUntil: 30 * DAY,
  },
} as const satisfies Readonly<Record<string, Flaw>>

export const CREDENTIAL_FLAWS = { ...CREDENTIAL, ...TRUST, ...STATUS, ...POLICY } as const

const INVENTED_ITEM = embedded(
  new Map<string, Cbor>([
    ['digestID', 1000],
    ['random', new Uint8Array(32)],
    ['elementIdentifier', 'invented'],
    ['elementValue', true],
  ]),
)

function other(leaf: unknown): unknown {
  if (typeof leaf === 'boolean') return !leaf
  return typeof leaf === 'number' ? leaf + 1 : 'another value'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapLeaves<T>(value: T, change: (leaf: unknown) => unknown): T {
  const map = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(map)
    if (!isObject(inner)) return change(inner)
    return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, map(item)]))
  }
  return map(value) as T // of the same shape
}
