// Schema of the profile of one wallet. A profile states which features the wallet supports, according to its
// public sources. The schema has only values that this service can use. Members of OpenID4VP 1.0 messages and
// of DCQL (§6) have the same names in this schema.

import * as z from 'zod/mini'
import { list, text } from '../../codec/schema.ts'
import { FORMATS, type FormatId } from '../../formats/index.ts'
import { DC_API_PROTOCOLS } from '../../openid4vp/dc-api.ts'
import { PROTOCOL_IDS } from '../../openid4vp/protocols/index.ts'
import { CLIENT_ID_PREFIXES } from '../../openid4vp/request/client-identifier.ts'
import { REQUEST_URI_METHODS } from '../../openid4vp/request/generation.ts'
import { RESPONSE_MODES } from '../../openid4vp/response/response-mode.ts'

const line = text(200)
const formats = list(z.enum(Object.keys(FORMATS) as readonly FormatId[]), 8)
const date = z.iso.date()
const address = z.url({ protocol: /^https$/ })

/** Support for one feature. `unknown`: no public source states if the wallet supports the feature. */
const support = z.enum(['yes', 'no', 'unknown'])
/** `ignored`: the wallet accepts the member and acts as if the member were absent. */
const supportOrIgnored = z.enum(['yes', 'no', 'ignored', 'unknown'])

/** A scheme (`openid4vp`), or the start of an address, to which the request parameters are added. */
const link = z.string().check(z.maxLength(200), z.regex(/^[a-z][a-z0-9+.-]*(:\/\/[^\s?#]+)?$/))

/** Members of DCQL that the wallet supports. */
const dcql = z.strictObject({
  /**
   * Several credential queries without credential sets. All of these queries are required. `one_format`: the
   * wallet supports several queries only if all have the same format.
   */
  several_queries: z.enum(['yes', 'no', 'unknown', 'one_format']),
  credential_sets: support,
  /**
   * Optional credential sets. `no`: the wallet refuses a request with an optional set that it cannot satisfy.
   * Absent: `yes`.
   */
  optional_sets: z.exactOptional(z.enum(['yes', 'no'])),
  /** `ignored`: the wallet discloses every claim of `claims`. */
  claim_sets: supportOrIgnored,
  /** `ignored`: the wallet discloses a claim with any value. */
  values: supportOrIgnored,
  /** A path with `null`, which selects all elements of an array. */
  null_path: support,
  /** A path with a number, which selects one element of an array. */
  index_path: support,
  /** A path with several names in an SD-JWT VC. Absent: `yes`. */
  nested_path: z.exactOptional(support),
  /**
   * A path to an object in an SD-JWT VC. `yes`: the wallet discloses the object with its members. Absent:
   * `yes`.
   */
  object_path: z.exactOptional(support),
  /** `intent_to_retain` of a claim of an mdoc. */
  intent_to_retain: support,
  multiple: support,
  /** `aki`: the wallet refuses a query with another type of authority. */
  trusted_authorities: z.enum(['yes', 'no', 'ignored', 'unknown', 'aki']),
  require_cryptographic_holder_binding: support,
  /**
   * Claims that the wallet discloses for a query without `claims`, besides claims that are always disclosed.
   * `refused`: the wallet refuses such a query.
   */
  without_claims: z.enum(['none', 'all', 'refused', 'unknown']),
})

/**
 * Requirements of wallets for the verifier. `organization`: an access certificate whose subject names a legal
 * or natural person and an identifier of that person.
 */
const REQUIREMENTS = ['reader_certificate', 'google_wallet', 'organization'] as const
export type Requirement = (typeof REQUIREMENTS)[number]

/** One wallet. */
export const walletProfileSchema = z.strictObject({
  id: z.string().check(z.maxLength(40), z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)),
  name: line,
  status: z.enum(['live', 'pilot', 'test']),
  /** ISO 3166-1 alpha-2. Empty: any country. */
  countries: z.array(z.string().check(z.regex(/^[A-Z]{2}$/))),
  platforms: list(z.enum(['ios', 'android', 'web']), 3),
  /** Schemes and addresses that open the wallet, preferred first. Without `test`, test mode uses `live`. */
  links: z.exactPartial(z.strictObject({ live: list(link, 8), test: list(link, 8) })),
  install: z.exactPartial(z.strictObject({ ios: address, android: address, web: address })),
  /** Protocols of links and QR codes. */
  protocols: z.array(z.enum(PROTOCOL_IDS)),
  /**
   * Protocols of links and QR codes that the wallet perhaps does not support: the checked sources do not say.
   * Absent: none.
   */
  unknown_protocols: z.exactOptional(z.array(z.enum(PROTOCOL_IDS))),
  /** Exchange protocols of the Digital Credentials API. */
  dc_api_protocols: z.array(z.enum(DC_API_PROTOCOLS)),
  /**
   * True if the wallet discloses at most one credential through the Digital Credentials API. Absent: false.
   */
  dc_api_single: z.exactOptional(z.literal(true)),
  /**
   * Rule of the wallet for a call of the Digital Credentials API with several requests. `first`: the wallet
   * reads only the first request. `no_multisigned`: a multi-signed request ends the call. Absent: the wallet
   * ignores requests that it does not support.
   */
  dc_api_call: z.exactOptional(z.enum(['first', 'no_multisigned'])),
  client_id_prefixes: z.array(z.enum(CLIENT_ID_PREFIXES)),
  /** Credential formats, preferred first. */
  formats,
  /**
   * Formats in which the wallet discloses more claims than a query names. Requests leave these formats out.
   * Absent: none.
   */
  excess_formats: z.exactOptional(formats),
  /** Type identifiers of the credentials that the wallet can hold (`vct`, docType, …). Absent: any type. */
  types: z.exactOptional(list(line, 32)),
  /**
   * Supported response modes. `direct_post.jwt` also stands for `dc_api.jwt`, and `direct_post` also stands
   * for `dc_api`.
   */
  response_modes: z.array(z.enum(RESPONSE_MODES)),
  passing: z.array(z.enum(['reference', 'value'])),
  request_uri_methods: z.array(z.enum(REQUEST_URI_METHODS)),
  /** Certificate chain that the wallet expects in `x5c`. HAIP 1.0 §5 requires a chain without the root. */
  chain: z.enum(['without_root', 'with_root']),
  /** True if the wallet requires `iss` in a Request Object, and `kid` in its header. Absent: false. */
  names_issuer: z.exactOptional(z.literal(true)),
  /** True if the wallet's encrypted response lacks the `kid` that §8.3 requires. Absent: false. */
  omits_kid: z.exactOptional(z.literal(true)),
  transaction_data: support,
  /** Requirements that the settings of the relying party must meet. Absent: none. */
  requires: z.exactOptional(list(z.enum(REQUIREMENTS), 3)),
  dcql,
})

/**
 * Public sources of a profile. `checked`: the day when the whole profile was last checked. `app`: the source
 * is the app itself, and not only a library that the app uses.
 */
export const walletSourcesSchema = z.strictObject({
  checked: date,
  sources: list(
    z.strictObject({ url: address, version: line, read: date, app: z.exactOptional(z.literal(true)) }),
    8,
  ),
})

export type WalletSources = Readonly<z.infer<typeof walletSourcesSchema>>

export type WalletProfile = Readonly<z.infer<typeof walletProfileSchema>>
