// Limits on input from outside. Each limit is checked before the costly work that it limits. Input beyond a
// limit causes a typed error. Texts are measured in characters. In ASCII, one character is one byte.

/**
 * A compact SD-JWT or SD-JWT+KB (RFC 9901 §4). The outermost `depth` is the limit of the processed payload.
 * This limit is higher than the other limits, because each disclosure can add levels of nesting.
 */
export const SD_JWT = {
  characters: 1_048_576,
  disclosures: 500,
  issuerJwt: { length: 524_288, depth: 32 },
  disclosure: { length: 1_048_576, depth: 32 },
  keyBindingJwt: { length: 16_384, depth: 16 },
  depth: 64,
} as const

/**
 * A VP JWT and the one VC JWT in it (VCDM 1.1 §6.3.1). Base64url makes the VC JWT a third longer inside the
 * VP JWT.
 */
export const JWT_VC = {
  presentation: { length: 786_432, depth: 32 },
  credential: { length: 524_288, depth: 32 },
} as const

/**
 * A DeviceResponse (ISO/IEC 18013-5 §8.3.2.1). The limits allow one or two portraits. Each part of embedded
 * CBOR is decoded separately, within its own limits.
 */
export const MDOC = {
  /** Characters of the base64url text. */
  characters: 524_288,
  deviceResponse: { bytes: 393_216, depth: 12, items: 4096 },
  mobileSecurityObject: { bytes: 262_144, depth: 12, items: 16_384 },
  issuerSignedItem: { bytes: 393_216, depth: 16, items: 4096 },
  deviceNameSpaces: { bytes: 65_536, depth: 16, items: 1024 },
  /** Number of data elements of one document. */
  elements: 512,
  /** Number of document errors that are read, and characters of the document type in each error. */
  documentErrors: 8,
  docTypeLength: 128,
} as const

/**
 * A response of ISO/IEC TS 18013-7 Annex C: one encrypted envelope with one DeviceResponse. The limits of
 * `MDOC` apply to the DeviceResponse.
 */
export const ANNEX_C = {
  /** Characters of the base64url text. */
  characters: 1_048_576,
  encryptedResponse: { bytes: 786_432, depth: 4, items: 16 },
} as const

/** Reader certificates of one relying party. `domains`: number of domains of one certificate. */
export const READER_CERTIFICATES = { perRelyingParty: 4, domains: 10, domainCharacters: 253 } as const

/** The protected header of a COSE message, which may contain a certificate chain. */
export const COSE_HEADER = { bytes: 65_536, depth: 8, items: 256 } as const

/** Levels of nesting of DER; a certificate needs nine. */
export const DER_DEPTH = 16

/** Limits of X.509 certificates. */
export const CERTIFICATE = {
  bytes: 16_384,
  /** Number of certificates in one chain. */
  chain: 8,
  /**
   * Number of decoded certificates in the cache. A certificate is cached only if an anchor trusts its chain.
   * At the largest size, the cached certificates need 4 MiB.
   */
  remembered: 256,
  /** Number of names in one list: the alternative names, or the subtrees of a name constraint. */
  generalNames: 256,
  /**
   * Number of attributes of one relative distinguished name. The time of a comparison grows with the square
   * of their number. One attribute is usual.
   */
  attributes: 16,
  /** Characters of a name as text. */
  nameCharacters: 1024,
  /**
   * Characters of one attribute that is compared as text. RFC 5280 Appendix A allows at most 64 characters
   * for most attributes. NFKC can turn one character into 18 characters.
   */
  attributeCharacters: 256,
} as const

/**
 * Certificate revocation lists (RFC 5280 §5), fetched and cached. Lists of credential issuers have a few KB.
 */
export const CRL = {
  bytes: 2_097_152,
  entries: 32_768,
  /**
   * Number of distribution points of one certificate. `addresses`: number of addresses that are tried for one
   * certificate, from all its points together. The addresses are tried one after the other.
   */
  points: 16,
  addresses: 2,
  /** Seconds after which a list is fetched again. If the fetch fails, the last good copy is still used. */
  refreshSeconds: 3_600,
  /**
   * A copy is used for at most this many seconds after it was fetched. If the list has no `nextUpdate`, this
   * limit also counts from its `thisUpdate`.
   */
  maximumSeconds: 604_800,
} as const

/**
 * PEM of one trust anchor. The text can contain several certificates of one authority: its earlier and its
 * newer certificates.
 */
export const PEM = { characters: 65_536, certificates: 16 } as const

/**
 * Name of an issuer, in a trust anchor and in `iss`. The `iss` of a credential is compared with the name of
 * every anchor.
 */
export const ISSUER_NAME = { characters: 2048 } as const

/** Published metadata and keys of an issuer. */
export const ISSUER_METADATA = { bytes: 65_536, depth: 16 } as const

/** A Decentralized Identifier and its document (DID Core 1.0). */
export const DID = {
  characters: 2048,
  document: { bytes: 65_536, depth: 16 },
  /** Verification methods in one list of the document. */
  methods: 64,
  /**
   * Characters of a base58 text. The time of decoding grows with the square of the length. The longest key
   * needs 95 characters.
   */
  base58Characters: 256,
} as const

/**
 * A caller's own DCQL query (OpenID4VP 1.0 §6). Each count limits one list. The create request that contains
 * the query has at most 16 KiB.
 */
export const DCQL = {
  credentials: 10,
  claims: 50,
  values: 50,
  authorities: 10,
  /** Entries of each of these lists: claim sets, credential sets, and options of one credential set. */
  sets: 20,
  /** Ids in one claim set, or in one option of a credential set. */
  ids: 50,
  pathLength: 16,
  idCharacters: 64,
  /** Characters of a path component, of a value, and of the name of a format. */
  textCharacters: 200,
  authorityCharacters: 500,
} as const

/** Transaction data (OpenID4VP 1.0 §8.4). The create request that contains the data has at most 16 KiB. */
export const TRANSACTION_DATA = {
  /** Number of transaction data objects in one request. */
  objects: 10,
  credentialIds: 10,
  typeCharacters: 200,
  textCharacters: 500,
  linkCharacters: 2048,
  documents: 20,
  /** Number of types that a relying party adds, and number of members of one type. */
  addedTypes: 20,
  members: 30,
  /** Number of names in the path of one member. */
  pathLength: 4,
  nameCharacters: 64,
  labelCharacters: 100,
} as const

/** A Verifier Attestation JWT. A request signed with the attested key contains the whole JWT. */
export const VERIFIER_ATTESTATION = { length: 8192, depth: 8 } as const

/** Metadata that a wallet posts (OpenID4VP 1.0 §10). Each count limits one list. */
export const WALLET_METADATA = {
  characters: 16_384,
  depth: 16,
  names: 100,
  nameCharacters: 200,
  keys: 16,
} as const

/**
 * Logo of a relying party, as a data URL: 12 KiB in base64, and the prefix of the URL. Each verification page
 * of the relying party contains the logo.
 */
export const LOGO = { characters: 16_414 } as const

/** Registration of a relying party (ETSI TS 119 475). Each signed request contains the registration. */
export const REGISTRATION = {
  characters: 16_384,
  depth: 16,
  /** CBOR items of a CWT. */
  items: 4096,
  datasetCharacters: 8192,
} as const

/** Relying party metadata of Google Wallet. */
export const GOOGLE_METADATA = {
  bytes: 4096,
  depth: 6,
  items: 64,
  textCharacters: 100,
  uriCharacters: 500,
} as const

/**
 * A request passed by value. The limit is the capacity of the largest QR code (ISO/IEC 18004 Table 7, 40-L).
 */
export const REQUEST_BY_VALUE = { bytes: 2953 } as const

/** Bodies of HTTP requests. Requests of callers that do not authenticate have limits of their own. */
export const REQUEST_BODY = {
  /** Longest time from the first read of a body to its last byte. */
  milliseconds: 10_000,
  /**
   * Number of bodies that are read at the same time, and the sum of their bytes. A body without a declared
   * length is counted with the largest size that its route allows.
   */
  anyone: { bodies: 200, bytes: 67_108_864 },
  authenticated: { bodies: 200, bytes: 33_554_432 },
} as const

/** Cache of fetched resources. Each kind of resource has its own cache with these limits. */
export const FETCH_CACHE = {
  names: 64,
  bytes: 8_388_608,
  /**
   * Seconds for which a failed fetch is cached. During this time no call fetches again. `Retry-After` tells a
   * wallet to wait for the same number of seconds, so its next response causes a new fetch.
   */
  failedSeconds: 2,
  /**
   * Seconds for which a caller waits for a fetch that another request began. If that request was canceled,
   * the fetch never ends.
   */
  pendingSeconds: 10,
} as const

/** Identifier lists (ISO/IEC 18013-5 second edition §12.3.6). The limits of status lists apply as well. */
export const IDENTIFIER_LIST = {
  /** CBOR items of a whole list. They allow about 32,000 identifiers. */
  items: 65_536,
  /** Bytes of one encoded identifier. */
  identifierBytes: 128,
} as const

/** Status lists (draft-ietf-oauth-status-list §8.3), fetched, inflated and cached. */
export const STATUS_LIST = {
  /** Bytes of a token as fetched. A million random entries of one byte fit. */
  tokenBytes: 2_097_152,
  /** Bytes of an inflated list: 32 million entries of one bit. So a decompression bomb is stopped early. */
  inflatedBytes: 4_194_304,
  /**
   * Bytes of the largest inflated list that is cached: eight million entries of one bit. Larger lists are
   * inflated at each look-up.
   */
  heldBytes: 1_048_576,
  /** Levels of nesting of a token's header and claims. */
  depth: 8,
  /** CBOR items of a whole token. */
  items: 256,
  /** Characters of a list's address. */
  uriLength: 2048,
  /**
   * Seconds for which a token is used. A token without a `ttl` has the default. A `ttl` below the minimum or
   * above the maximum is replaced by that limit.
   */
  defaultSeconds: 300,
  minimumSeconds: 3,
  maximumSeconds: 86_400,
  /**
   * Smallest size in bytes of an inflated Bitstring Status List (W3C Bitstring Status List §2.2). A list of
   * this size has 131,072 entries, so a fetch does not reveal which entry is looked up.
   */
  bitstringBytes: 16_384,
  /** Number of entries of one `credentialStatus`. */
  entries: 4,
  /** Number of issuers that are tried for a token without `iss` and without a certificate chain. */
  issuersTried: 4,
} as const

/** A list of trusted issuers, as its publisher signed it (docs/decisions/trust-lists.md). */
export const TRUST_LIST = {
  /** Bytes of a list as fetched. Published lists have 10 to 50 KB. */
  bytes: 4_194_304,
  json: { length: 3_145_728, depth: 24 },
  cbor: { bytes: 4_194_304, depth: 12, items: 131_072 },
  /**
   * Number of anchors of one list, and total bytes of their certificates. The stored copy of the list is one
   * value of at most 2 MB.
   */
  anchors: 500,
  certificateBytes: 1_048_576,
  /** Number of services and of signers that the operator configures for one list. */
  services: 20,
  signers: 4,
  /** Lists that one relying party subscribes to. */
  subscribed: 20,
} as const

/** OpenID Connect clients. Each count limits one list. */
export const OIDC_CLIENT = {
  redirectUris: 20,
  policies: 20,
  keys: 10,
} as const

/**
 * Limits of an authorization request of OpenID Connect. `characters`: the whole form or query.
 * `valueCharacters`: one parameter.
 */
export const OIDC_REQUEST = {
  characters: 16_384,
  parameters: 32,
  valueCharacters: 2048,
  claims: { length: 8192, depth: 8 },
  assertion: { length: 4096, depth: 4 },
  idToken: { length: 12_288, depth: 32 },
} as const

/**
 * Limit of the client token of a login. The token contains the authorization request, and is part of an
 * address. Proxies accept a first line of an HTTP request up to 8 KiB, so the token must be shorter.
 */
export const LOGIN_TOKEN_CHARACTERS = 6_000

/** Limits of `console_sign_in` in the settings, and of the documents of its OpenID Provider. */
export const CONSOLE_SIGN_IN = {
  issuerCharacters: 255,
  clientIdCharacters: 100,
  secretCharacters: 200,
  claimCharacters: 200,
  roles: 20,
  roleCharacters: 100,
  /** Bytes of all role names as JSON. The cookie of a sign-in, of at most 4,096 bytes, contains them. */
  roleBytes: 1_400,
  metadata: { bytes: 65_536, depth: 8 },
  keys: { bytes: 65_536, depth: 8 },
  tokens: { bytes: 65_536, depth: 8 },
  idTokenCharacters: 16_384,
} as const
