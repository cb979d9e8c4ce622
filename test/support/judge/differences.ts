// Every difference between the service and the judge, with its reason. A difference without a row fails its
// test (compare). A row that no test of a whole run reaches fails the run (runner/summary.ts).

export type Difference = {
  readonly format: string
  /** `accepted`, or the code of the service's reason. */
  readonly service: string
  /** `accepted`, or the beginning of the library's error message. */
  readonly judge: string
  readonly reason: string
}

type Codes = { readonly [format in 'dc+sd-jwt' | 'jwt_vc_json' | 'mso_mdoc']?: string }

/**
 * Presentations that the service refuses and the judge accepts: codes of the service by format, separated by
 * spaces.
 */
const STRICTER: readonly (readonly [Codes, reason: string])[] = [
  [
    { 'dc+sd-jwt': 'wrong_token_type', jwt_vc_json: 'wrong_token_type' },
    'The libraries do not check `typ` of a credential, nor jose that of a presentation.',
  ],
  [
    { 'dc+sd-jwt': 'unsupported_critical_header', jwt_vc_json: 'unsupported_critical_header' },
    'jose understands `b64`. The service refuses this parameter.',
  ],
  [{ mso_mdoc: 'unsupported_critical_header' }, 'The library ignores `crit`.'],
  [
    { mso_mdoc: 'unsupported_algorithm' },
    'The library reads the algorithm from the unprotected header, too.',
  ],
  [
    { 'dc+sd-jwt': 'malformed_credential', jwt_vc_json: 'malformed_credential' },
    'The libraries use the last of two members with one name, and ignore members that they do not use.',
  ],
  [
    { mso_mdoc: 'malformed_credential' },
    'The library checks neither version nor status of a response, and accepts unknown members, empty namespaces, a document twice, and an algorithm in both headers.',
  ],
  [
    { 'dc+sd-jwt': 'limit_exceeded', jwt_vc_json: 'limit_exceeded', mso_mdoc: 'limit_exceeded' },
    'The libraries have no limits of size, depth and number.',
  ],
  [
    { 'dc+sd-jwt': 'invalid_claim' },
    'The library checks no types of claims, no `aud` of a credential, and no reserved names at a wrong place.',
  ],
  [
    { jwt_vc_json: 'invalid_claim' },
    'jose does not know `vc`, which must agree with the claims of the JWT (VCDM 1.1 §6.3.1), and the judge reads no `aud` of a credential.',
  ],
  [
    { mso_mdoc: 'invalid_claim' },
    'The library does not compare the docType of the document with that of the MSO, and accepts other forms and orders of dates.',
  ],
  [{ 'dc+sd-jwt': 'credential_expired' }, 'The library accepts the last second of the tolerance.'],
  [
    { jwt_vc_json: 'credential_expired credential_not_yet_valid' },
    'jose checks `exp` and `nbf` only. The dates in `vc` count, too.',
  ],
  [
    { 'dc+sd-jwt': 'malformed_disclosure' },
    'The library accepts disclosures with other types, padding, spaces, and bytes that are not UTF-8.',
  ],
  [{ mso_mdoc: 'malformed_disclosure' }, 'The library returns values that JSON cannot represent.'],
  [
    { 'dc+sd-jwt': 'unreferenced_disclosure' },
    'The library ignores a disclosure without a digest (RFC 9901 §7.1).',
  ],
  [
    { 'dc+sd-jwt': 'duplicate_digest', mso_mdoc: 'duplicate_digest' },
    'The libraries do not look for a digest or an element that occurs twice.',
  ],
  [
    { 'dc+sd-jwt': 'forbidden_disclosure' },
    'The library checks names of disclosures only when it issues (RFC 9901 §7.1, SD-JWT VC §2.2.2.3).',
  ],
  [
    { mso_mdoc: 'forbidden_disclosure' },
    'The service accepts no elements that the device signs. The library does.',
  ],
  [
    { 'dc+sd-jwt': 'unsupported_hash_algorithm' },
    'The caller of the library brings the hash function. The judge maps the name leniently.',
  ],
  [
    { 'dc+sd-jwt': 'malformed_holder_binding' },
    'The library checks no types of claims in a KB-JWT, nor names that occur twice.',
  ],
  [{ 'dc+sd-jwt': 'holder_binding_not_current' }, 'The library does not check `exp` and `nbf` of a KB-JWT.'],
  [
    { jwt_vc_json: 'malformed_holder_binding invalid_holder_signature' },
    'jose does not know that `iss`, `holder` and `kid` of a presentation name its holder.',
  ],
  [
    { jwt_vc_json: 'holder_key_missing' },
    'The judge uses the DID in `sub` if `cnf` has no key. The service refuses such a `cnf`.',
  ],
  [
    { mso_mdoc: 'malformed_holder_binding' },
    'The library accepts unknown members, and a device signature beside a device MAC.',
  ],
  [{ 'dc+sd-jwt': 'transaction_data_mismatch' }, 'The library does not know transaction data.'],
  [
    {
      'dc+sd-jwt': 'malformed_certificate_chain',
      jwt_vc_json: 'malformed_certificate_chain issuer_key_not_found',
    },
    'The judge does not read `x5c` and `kid` if it knows the keys of the issuer.',
  ],
  [
    { mso_mdoc: 'malformed_certificate_chain' },
    'The library reads `x5chain` from the protected header, too.',
  ],
  [
    {
      'dc+sd-jwt': 'trust_anchor_in_chain certificate_profile_violation',
      jwt_vc_json: 'trust_anchor_in_chain certificate_profile_violation',
      mso_mdoc: 'trust_anchor_in_chain certificate_profile_violation',
    },
    'The libraries leave the path to the caller. The judge checks names, signatures, dates and `CA`.',
  ],
  [
    {
      'dc+sd-jwt': 'certificate_revoked certificate_status_unavailable',
      jwt_vc_json: 'certificate_revoked certificate_status_unavailable',
      mso_mdoc: 'certificate_revoked certificate_status_unavailable',
    },
    'The judge fetches nothing: no list of revoked certificates.',
  ],
  [
    {
      'dc+sd-jwt': 'status_unavailable',
      jwt_vc_json: 'status_unavailable credential_revoked credential_suspended',
      mso_mdoc: 'status_unavailable credential_revoked credential_suspended',
    },
    'The judge fetches nothing: no status list. The libraries ignore a status that they do not know.',
  ],
  [
    { jwt_vc_json: 'predicate_false', mso_mdoc: 'predicate_false' },
    'The value of a claim is the policy of the relying party. The judge looks at authenticity only.',
  ],
]

/**
 * Presentations that the service accepts and the judge refuses: beginnings of the library's error message.
 */
const MORE_CAPABLE: readonly (readonly [format: string, judge: string, reason: string])[] = [
  [
    'dc+sd-jwt',
    'fetches no status list',
    'The status is valid, or the settings accept an unavailable status. The judge fetches nothing.',
  ],
  ['dc+sd-jwt', 'reads cnf.jwk only', 'The drafts may name the holder’s key by a `kid` that has it.'],
  [
    'jwt_vc_json',
    'no anchor for this issuer',
    'The issuer is known by its metadata. The judge fetches nothing.',
  ],
  ['jwt_vc_json', 'resolves did:jwk only', 'The holder has a did:web. The judge fetches nothing.'],
  [
    'mso_mdoc',
    'CoseInvalidAlgorithmError',
    'The library does not know the fully specified algorithms (RFC 9864) of an issuer.',
  ],
  [
    'mso_mdoc',
    'Unable to verify deviceAuth signature (ECDSA/EdDSA): CoseInvalidAlgorithmError',
    'The library does not know the fully specified algorithms (RFC 9864) of a device.',
  ],
  [
    'mso_mdoc',
    'Device MAC must use alg 5',
    'The library compares the name of the algorithm with its number, so it refuses every device MAC.',
  ],
  [
    'mso_mdoc',
    'Country name (C) must be present',
    'The library demands the country of the authority even if the certificate of the signer is pinned.',
  ],
  [
    'mso_mdoc',
    'Error decoding IssuerNamespaces',
    'A document without elements has no `nameSpaces` (ISO/IEC 18013-5 §8.3.2.1.2.2). The library demands it.',
  ],
  [
    'mso_mdoc',
    'Error decoding MobileSecurityObject\n✖ Expected value to be "1.0" at "version"',
    'The second edition of ISO/IEC 18013-5 has an MSO of version 1.1.',
  ],
]

/** The table. */
export const DIFFERENCES: readonly Difference[] = [
  ...STRICTER.flatMap(([formats, reason]) =>
    Object.entries(formats).flatMap(([format, codes]) =>
      codes.split(' ').map((service) => ({ format, service, judge: 'accepted', reason })),
    ),
  ),
  ...MORE_CAPABLE.map(([format, judge, reason]) => ({ format, service: 'accepted', judge, reason })),
]

/**
 * Compares two results. Each is `accepted`, or the reason of a refusal. Returns `both accepted`, `both
 * refused`, or the name of the row. Throws for a difference that has no row.
 */
export function compare(format: string, service: string, judged: string): string {
  const isAccepted = service === 'accepted'
  if (isAccepted === (judged === 'accepted')) return isAccepted ? 'both accepted' : 'both refused'
  const row = DIFFERENCES.find(
    (one) => one.format === format && one.service === service && judged.startsWith(one.judge),
  )
  if (row !== undefined) return nameOf(row)
  throw new Error(`a difference without a reason: ${format}: service ${service}, judge ${judged}`)
}

/** Name of a row in the counts of a run. */
export function nameOf({ format, service, judge }: Omit<Difference, 'reason'>): string {
  return `${format}: service ${service}, judge ${judge.split('\n')[0]}`
}
