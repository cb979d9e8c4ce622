// How much of what a stranger sent is read, all on one page. Each number is checked before the costly work it bounds, and what
// lies beyond is refused by a typed rejection. Texts are measured in characters, which ASCII makes bytes.

/** A compact SD-JWT or SD-JWT+KB (RFC 9901 §4). `depth`: of the processed payload, as each disclosure may nest anew. */
export const SD_JWT = {
  characters: 1_048_576,
  disclosures: 500,
  issuerJwt: { length: 524_288, depth: 32 },
  disclosure: { length: 1_048_576, depth: 32 },
  keyBindingJwt: { length: 16_384, depth: 16 },
  depth: 64,
} as const

/** A VP JWT and the one VC JWT in it (VCDM 1.1 §6.3.1), which base64url makes a third longer there. */
export const JWT_VC = {
  presentation: { length: 786_432, depth: 32 },
  credential: { length: 524_288, depth: 32 },
} as const

/** A DeviceResponse (ISO/IEC 18013-5 §8.3.2.1) of a portrait or two. Embedded CBOR is a byte string until it is read by itself. */
export const MDOC = {
  /** Of the base64url text. */
  characters: 524_288,
  deviceResponse: { bytes: 393_216, depth: 12, items: 4096 },
  mobileSecurityObject: { bytes: 262_144, depth: 12, items: 16_384 },
  issuerSignedItem: { bytes: 393_216, depth: 16, items: 4096 },
  deviceNameSpaces: { bytes: 65_536, depth: 16, items: 1024 },
  /** Data elements of one document. */
  elements: 512,
} as const

/** The protected header of a COSE message; a certificate chain may stand in it. */
export const COSE_HEADER = { bytes: 65_536, depth: 8, items: 256 } as const

/** Levels of nesting of DER; a certificate needs nine. */
export const DER_DEPTH = 16

/** X.509. */
export const CERTIFICATE = {
  bytes: 16_384,
  /** Certificates of one chain. */
  chain: 8,
  /** Certificates kept decoded, of chains that an anchor vouched for: 4 MiB were each as large as may be. */
  remembered: 256,
  /** Names in one alternative name or name constraint. */
  generalNames: 256,
  /** Attributes of one relative distinguished name: comparing two takes time that grows with their square. One is usual. */
  attributes: 16,
  /** Characters of a name written down. */
  nameCharacters: 1024,
} as const

/** Certificate revocation lists (RFC 5280 §5), fetched and remembered. Those of issuers of credentials are of a few KB. */
export const CRL = {
  bytes: 2_097_152,
  entries: 32_768,
  /** Distribution points of one certificate, and the addresses among theirs that are tried, one after the other. */
  points: 16,
  addresses: 2,
  /** Seconds after which a list is fetched anew. One that does not come leaves the last good copy in use. */
  refreshSeconds: 3_600,
  /** Seconds a copy is used at most, counted from its fetch, and from `thisUpdate` where it names no `nextUpdate`. */
  maximumSeconds: 604_800,
} as const

/** One trust anchor's PEM: an authority's successive certificates. */
export const PEM = { characters: 65_536, certificates: 16 } as const

/** What an issuer publishes of its keys. */
export const ISSUER_METADATA = { bytes: 65_536, depth: 16 } as const

/** A Decentralized Identifier and its document (DID Core 1.0). */
export const DID = {
  characters: 2048,
  document: { bytes: 65_536, depth: 16 },
  /** Verification methods of one list. */
  methods: 64,
  /** Characters of base58: reading it takes time that grows with their square. The longest key needs 95. */
  base58Characters: 256,
} as const

/** A caller's own DCQL query (OpenID4VP 1.0 §6); counts are of one list. The body it comes in is 16 KiB at most. */
export const DCQL = {
  credentials: 10,
  claims: 50,
  values: 50,
  authorities: 10,
  /** Claim sets, credential sets, and the options of one. */
  sets: 20,
  /** Ids in one set or option. */
  ids: 50,
  pathLength: 16,
  idCharacters: 64,
  /** A path component, a value, the name of a format. */
  textCharacters: 200,
  authorityCharacters: 500,
} as const

/** What a relying party asks people to confirm (OpenID4VP 1.0 §8.4). The body it comes in is 16 KiB at most. */
export const TRANSACTION_DATA = {
  /** Objects of one request. */
  objects: 10,
  credentialIds: 10,
  typeCharacters: 200,
  textCharacters: 500,
  linkCharacters: 2048,
  documents: 20,
  /** Types that a relying party adds, and the members of one. */
  addedTypes: 20,
  members: 30,
  /** Names in the path of one. */
  pathLength: 4,
  nameCharacters: 64,
  labelCharacters: 100,
} as const

/** A Verifier Attestation JWT, which goes along with every request that it attests. */
export const VERIFIER_ATTESTATION = { length: 8192, depth: 8 } as const

/** What a wallet posts of itself (OpenID4VP 1.0 §10); counts are of one list. */
export const WALLET_METADATA = {
  characters: 16_384,
  depth: 16,
  names: 100,
  nameCharacters: 200,
  keys: 16,
} as const

/** A relying party's picture, which stands in each of its pages: 12 KiB as base64, and the words before it. */
export const LOGO = { characters: 16_414 } as const

/** A relying party's registration (ETSI TS 119 475), which stands in each of its requests. */
export const REGISTRATION = { characters: 16_384, depth: 16, datasetCharacters: 8192 } as const

/** A request passed by value: what the largest QR holds (ISO/IEC 18004 Table 7, 40-L). */
export const REQUEST_BY_VALUE = { bytes: 2953 } as const

/** Cache of fetched resources, for each kind of resource. */
export const FETCH_CACHE = {
  names: 64,
  bytes: 8_388_608,
  /** Seconds a failure is cached: many posts cause one fetch, and a wallet that obeys `Retry-After` causes a new one. */
  failedSeconds: 2,
  /** Seconds that a caller waits for a read of another request, which may have been cancelled. */
  pendingSeconds: 10,
} as const

/** Status lists (draft-ietf-oauth-status-list §8.3), fetched, inflated and remembered. */
export const STATUS_LIST = {
  /** Bytes of a token as fetched. A million entries of one byte fit, be they random. */
  tokenBytes: 2_097_152,
  /** Bytes of a list once inflated: 32 million entries of one bit. The time a bomb takes grows with it. */
  inflatedBytes: 4_194_304,
  /** Bytes of an inflated list that is held as it is: eight million entries of one bit. Larger ones are inflated at each look. */
  heldBytes: 1_048_576,
  /** Levels of nesting of header and claims. */
  depth: 8,
  /** CBOR items of a whole token. */
  items: 256,
  /** Characters of a list's address. */
  uriLength: 2048,
  /** Seconds a token is used where it has no `ttl`, and with any `ttl`. */
  defaultSeconds: 300,
  minimumSeconds: 3,
  maximumSeconds: 86_400,
  /** Bytes of an inflated Bitstring Status List at least (W3C Bitstring Status List §2.2: 131,072 entries hide each other). */
  bitstringBytes: 16_384,
  /** Entries of one `credentialStatus`. */
  entries: 4,
  /** Issuers that a token without `iss` and without a chain is tried with. */
  issuersTried: 4,
} as const

/** A list of trusted issuers as its operator publishes it (docs/decisions/trust-lists.md). */
export const TRUST_LIST = {
  /** Bytes of a list as fetched: more are not read. The published ones are of 10 to 50 KB. */
  bytes: 4_194_304,
  json: { length: 3_145_728, depth: 24 },
  cbor: { bytes: 4_194_304, depth: 12, items: 131_072 },
  /** Anchors that come of one list, and bytes of their certificates: the copy that is kept is one value of 2 MB at most. */
  anchors: 500,
  certificateBytes: 1_048_576,
  /** Services an operator maps, and signers he pins, for one list. */
  services: 20,
  signers: 4,
  /** Lists one relying party subscribes to. */
  subscribed: 20,
} as const
