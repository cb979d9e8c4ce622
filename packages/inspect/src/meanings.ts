// Meanings of names, with their clauses. A path has its names joined by dots, without indexes.

import type { Meaning } from './report.ts'

/** Meanings by name or path. */
export type Meanings = Readonly<Record<string, Meaning>>

/** Header of a JWS or JWE. */
export const JOSE_HEADER: Meanings = {
  alg: ['Algorithm of the signature, or of the key agreement.', 'RFC 7515 4.1.1'],
  enc: ['Algorithm that encrypts the content.', 'RFC 7516 4.1.2'],
  typ: ['Type of the token. It keeps one kind of token from being used as another.', 'RFC 8725 3.11'],
  cty: ['Type of the content.', 'RFC 7515 4.1.10'],
  kid: ['Name of the key. It selects a key and proves nothing.', 'RFC 7515 4.1.4'],
  x5c: ['Certificates of the signer, leaf first, in base64.', 'RFC 7515 4.1.6'],
  jwk: ['The key itself. It proves nothing by itself.', 'RFC 7515 4.1.3'],
  jwt: ['Verifier attestation: who vouches for the verifier.', 'OpenID4VP 1.0 12'],
  crit: ['Extensions that a reader must understand.', 'RFC 7515 4.1.11'],
  epk: ['Ephemeral key of the sender.', 'RFC 7518 4.6.1.1'],
  apu: ['Data about the sender, part of the key derivation.', 'RFC 7518 4.6.1.2'],
  apv: ['Data about the recipient, part of the key derivation.', 'RFC 7518 4.6.1.3'],
  trust_chain: ['OpenID Federation trust chain.', 'OpenID Federation 1.0 4.3'],
  vctm: ['Type metadata of the credential.', 'SD-JWT VC 4'],
  sigT: ['Time of signing, as the signer claims.', 'ETSI TS 119 182-1 5.2.1'],
  iat: ['Time of signing, as the signer claims.', 'ETSI TS 119 182-1 5.1.11'],
  'x5t#S256': ['Hash of the certificate of the signer.', 'RFC 7515 4.1.8'],
}

/** Claims of every JWT. */
export const JWT_CLAIMS: Meanings = {
  iss: ['Who issued it, as the token says.', 'RFC 7519 4.1.1'],
  sub: ['Whom or what it is about.', 'RFC 7519 4.1.2'],
  aud: ['For whom it is.', 'RFC 7519 4.1.3'],
  exp: ['Not valid from this time on.', 'RFC 7519 4.1.4'],
  nbf: ['Not valid before this time.', 'RFC 7519 4.1.5'],
  iat: ['Time of issue.', 'RFC 7519 4.1.6'],
  jti: ['Identifier of the token.', 'RFC 7519 4.1.7'],
  cnf: ['Key of the holder. A presenter proves to have it.', 'RFC 7800 3'],
  vct: ['Type of the credential.', 'SD-JWT VC 2.2.2.1'],
  'vct#integrity': ['Hash of the type metadata.', 'SD-JWT VC 5'],
  aka_vcts: ['Other types that the credential has as well.', 'SD-JWT VC 2.2.2.2'],
  _sd: ['Digests of claims that the holder can disclose, and decoys.', 'RFC 9901 4.2.4.1'],
  _sd_alg: ['Hash algorithm of the digests.', 'RFC 9901 4.1.1'],
  status: ['Where the status of the credential is published.', 'Token Status List 6.1'],
  'status.status_list.uri': ['Address of the status list.', 'Token Status List 6.2'],
  'status.status_list.idx': ['Place of the credential in the status list.', 'Token Status List 6.2'],
  vc: ['The credential.', 'VCDM 1.1 6.3.1'],
  'vc.type': ['Types of the credential.', 'VCDM 1.1 4.3'],
  'vc.credentialSubject': ['Claims about the subject.', 'VCDM 1.1 4.4'],
  'vc.issuer': ['Issuer of the credential.', 'VCDM 1.1 4.5'],
  'vc.credentialStatus': ['Where the status of the credential is published.', 'VCDM 1.1 4.9'],
  vp: ['The presentation.', 'VCDM 1.1 6.3.1'],
  'vp.holder': ['Who presents. It proves nothing by itself.', 'VCDM 1.1 4.10'],
  'vp.verifiableCredential': ['Credentials in the presentation.', 'VCDM 1.1 4.10'],
  nonce: ['Binds the token to one request.', 'OpenID4VP 1.0 14.1'],
}

/** Claims of a key binding JWT. */
export const KEY_BINDING: Meanings = {
  iat: ['Time of the proof. It must be within 300 s of the verification.', 'RFC 9901 4.3'],
  aud: ['Verifier for whom the proof was made. It must be the Client Identifier.', 'OpenID4VP 1.0 14.8'],
  nonce: ['Nonce of the request. It must be that of the request.', 'OpenID4VP 1.0 14.1'],
  sd_hash: ['Hash of the credential and the disclosures before it.', 'RFC 9901 4.3.1'],
  transaction_data_hashes: [
    'Hashes of the transaction data that the person confirmed.',
    'OpenID4VP 1.0 B.3.3.1',
  ],
  transaction_data_hashes_alg: ['Hash algorithm of these hashes.', 'OpenID4VP 1.0 B.3.3.1'],
}

/** Parameters of an authorization request. */
export const REQUEST: Meanings = {
  client_id: ['Client Identifier of the verifier, with its prefix.', 'OpenID4VP 1.0 5.9'],
  client_id_scheme: ['Kind of Client Identifier, in drafts before 22.', 'OpenID4VP draft 20 5.7'],
  request_uri: ['Where the wallet fetches the Request Object.', 'RFC 9101 5.2'],
  request_uri_method: ['How the wallet fetches it.', 'OpenID4VP 1.0 5.10'],
  request: ['The Request Object.', 'RFC 9101 5.1'],
  response_type: ['What the wallet returns.', 'OpenID4VP 1.0 5.6'],
  response_mode: ['How the wallet returns it. `.jwt`: encrypted.', 'OpenID4VP 1.0 8.2, 8.3'],
  response_uri: ['Where the wallet posts the response.', 'OpenID4VP 1.0 8.2'],
  redirect_uri: ['Where the wallet sends the browser.', 'RFC 6749 3.1.2'],
  nonce: ['Binds the presentations to this request.', 'OpenID4VP 1.0 5.2'],
  state: ['The response must repeat it.', 'OpenID4VP 1.0 5.3'],
  scope: ['Name of a query that both sides know.', 'OpenID4VP 1.0 5.5'],
  dcql_query: ['The query: credentials and claims that are asked for.', 'OpenID4VP 1.0 6'],
  'dcql_query.credentials.id': [
    'Id of the credential query. The response is keyed by it.',
    'OpenID4VP 1.0 6.1',
  ],
  'dcql_query.credentials.format': ['Format of the credential.', 'OpenID4VP 1.0 6.1'],
  'dcql_query.credentials.meta.vct_values': ['Accepted types (SD-JWT VC).', 'OpenID4VP 1.0 B.3.5'],
  'dcql_query.credentials.meta.doctype_value': ['Type of the document (mdoc).', 'OpenID4VP 1.0 B.2.3'],
  'dcql_query.credentials.meta.type_values': ['Accepted types (W3C).', 'OpenID4VP 1.0 B.1.1'],
  'dcql_query.credentials.claims.path': ['Path of a requested claim.', 'OpenID4VP 1.0 7'],
  'dcql_query.credentials.claims.values': ['Only these values are accepted.', 'OpenID4VP 1.0 6.3'],
  'dcql_query.credentials.claims.intent_to_retain': [
    'If the verifier keeps the value.',
    'OpenID4VP 1.0 B.2.4',
  ],
  'dcql_query.credentials.claim_sets': ['Alternatives of claims, the best first.', 'OpenID4VP 1.0 6.4.1'],
  'dcql_query.credentials.trusted_authorities': ['Issuers that are accepted.', 'OpenID4VP 1.0 6.1.1'],
  'dcql_query.credential_sets.options': ['Alternatives of credentials.', 'OpenID4VP 1.0 6.2'],
  presentation_definition: ['The query, in drafts.', 'OpenID4VP draft 22 5.4'],
  client_metadata: ['Facts about the verifier, such as its encryption key.', 'OpenID4VP 1.0 5.1'],
  'client_metadata.jwks.keys.kid': ['Name of the key. An encrypted response names it.', 'OpenID4VP 1.0 8.3'],
  'client_metadata.vp_formats_supported': ['Formats and algorithms that are accepted.', 'OpenID4VP 1.0 11.1'],
  'client_metadata.encrypted_response_enc_values_supported': ['Content encryptions.', 'OpenID4VP 1.0 5.1'],
  expected_origins: ['Origins of pages that may use the request.', 'OpenID4VP 1.0 A.2'],
  transaction_data: ['What the person confirms, in base64url.', 'OpenID4VP 1.0 8.4'],
  verifier_info: ['Attestations about the verifier.', 'OpenID4VP 1.0 5.1'],
  wallet_nonce: ['Nonce of the wallet: the request is fresh for it.', 'OpenID4VP 1.0 5.10'],
  aud: ['The wallet.', 'OpenID4VP 1.0 5.8'],
  iat: ['Time at which the request was signed.', 'RFC 9101 4'],
  exp: ['The wallet must not use the request from this time on.', 'RFC 7519 4.1.4'],
}

/** Parameters of an authorization response. */
export const RESPONSE: Meanings = {
  response: ['The encrypted response.', 'OpenID4VP 1.0 8.3'],
  vp_token: ['The presentations, by the id of their credential query.', 'OpenID4VP 1.0 8.1'],
  state: ['The `state` of the request.', 'OpenID4VP 1.0 5.3'],
  presentation_submission: ['Where each presentation is, in drafts.', 'Presentation Exchange 2.0 6'],
  error: ['Error of the wallet.', 'OpenID4VP 1.0 8.5'],
  error_description: ['Description of the error, written by the wallet.', 'RFC 6749 4.1.2.1'],
}

/** Members of a document (mdoc) and of its Mobile Security Object. */
export const MDOC: Meanings = {
  docType: ['Type of the document.', 'ISO/IEC 18013-5 8.3.2.1.2.2'],
  version: ['Version of the structure.', 'ISO/IEC 18013-5 9.1.2.4'],
  digestAlgorithm: ['Hash algorithm of the digests.', 'ISO/IEC 18013-5 9.1.2.4'],
  valueDigests: ['Digests of the data elements, by namespace.', 'ISO/IEC 18013-5 9.1.2.4'],
  deviceKeyInfo: ['Key of the device. A presenter proves to have it.', 'ISO/IEC 18013-5 9.1.2.4'],
  validityInfo: ['When it was signed, and when it is valid.', 'ISO/IEC 18013-5 9.1.2.4'],
  'validityInfo.expectedUpdate': ['When the issuer expects to sign it again.', 'ISO/IEC 18013-5 9.1.2.4'],
  status: ['Where the status of the document is published.', 'ISO/IEC 18013-5 second edition 12.3.6'],
  documentErrors: [
    'Documents that the wallet did not return, with error codes.',
    'ISO/IEC 18013-5 8.3.2.1.2.3',
  ],
  docRequests: ['The documents and elements that are asked for.', 'ISO/IEC 18013-5 8.3.2.1.2.1'],
  readerAuth: ['Signature of the reader.', 'ISO/IEC 18013-5 9.1.4'],
  deviceAuth: ['Proof of the device: a signature or a MAC over the session.', 'ISO/IEC 18013-5 9.1.3'],
}

/** Claims of a status list as JWT or credential. */
export const STATUS_LIST: Meanings = {
  ...JWT_CLAIMS,
  sub: ['Address of the list. It must be the address in the credential.', 'Token Status List 5.1'],
  ttl: ['Seconds for which a copy may be used.', 'Token Status List 5.1'],
  'status_list.bits': ['Bits of one entry.', 'Token Status List 4.2'],
  'status_list.lst': ['The entries, compressed.', 'Token Status List 4.2'],
  'vc.credentialSubject.encodedList': ['The entries, compressed.', 'Bitstring Status List 1.0 2.2'],
  'vc.credentialSubject.statusPurpose': ['What the value 1 means.', 'Bitstring Status List 1.0 2.2'],
}

/** Claims of a receipt of this service. */
export const RECEIPT: Meanings = {
  iss: ['The service.', 'RFC 7519 4.1.1'],
  iat: ['When the verification ended.', 'RFC 7519 4.1.6'],
  verification_id: ['The verification.', 'docs/receipt.md'],
  relying_party_id: ['The relying party that asked.', 'docs/receipt.md'],
  livemode: ['False: test mode. The credentials prove nothing.', 'docs/receipt.md'],
  status: ['Result of the verification.', 'docs/statuses-and-reasons.md'],
  reason: ['Reason of the result.', 'docs/statuses-and-reasons.md'],
  policy_hash: ['Hash of what was asked.', 'docs/receipt.md'],
  request_hash: ['Hash of the request that was answered.', 'docs/receipt.md'],
  evidence_hash: ['Hash of the manifest of the evidence.', 'docs/evidence.md'],
  checks: ['Each requested scope, and if it was proven.', 'docs/receipt.md'],
  assurance_level: ['Level of the credentials.', 'docs/trust.md'],
  assurance_derivation: ['Steps that led to the level.', 'docs/trust.md'],
  trace: ['Checks of each presentation, with their clauses.', 'docs/receipt.md'],
  trust_lists: ['Lists that vouched for the issuers.', 'docs/trust.md'],
  session_binding: ['If the success was bound to a browser.', 'docs/receipt.md'],
}
