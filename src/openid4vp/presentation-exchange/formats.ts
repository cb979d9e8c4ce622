// Credential formats in Presentation Exchange: the designation of each format, and how its type and claims
// are requested. Each format that the drafts support has one entry here.

import { type JsonObject, member } from '../../codec/json.ts'
import { ADVERTISED_ALGORITHMS } from '../../crypto/algorithms.ts'
import { jwtVcJson } from '../../formats/jwt-vc-json/jwt-vc-json.ts'
import { sdJwtVc } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { ClaimsPath, CredentialQuery } from '../dcql/query.ts'
import { toElementPath, toJsonPath } from './json-path.ts'

/** One credential format in Presentation Exchange 2. */
export type ExchangeFormat = {
  /** `format` of an input descriptor: the designation of a credential, with the accepted algorithms. */
  readonly credential: JsonObject
  /** Claim Format Designation of a presentation. */
  readonly presentation: string
  /** Designations of a credential and of a presentation, for `vp_formats`. */
  readonly designations: JsonObject
  readonly descriptorId: (query: CredentialQuery) => string
  /** Fields that exclude credentials of other types. Empty if the descriptor's id already excludes them. */
  readonly typeFields: (query: CredentialQuery) => readonly JsonObject[]
  /** Returns the JSONPath expressions of all possible places of a claim. */
  readonly jsonPaths: (path: ClaimsPath) => readonly string[]
  /** Members that the field of each claim has besides `path`. */
  readonly fieldMembers: JsonObject
  /** True if claims can be disclosed one by one. */
  readonly limitsDisclosure: boolean
}

/** The drafts precede RFC 9864, so Ed25519 is named `EdDSA`. */
const ALGORITHMS = ADVERTISED_ALGORITHMS.map((name) => (name === 'Ed25519' ? 'EdDSA' : name))

/** Returns the formats of a draft. `designation`: name of SD-JWT VC in that draft. */
export function exchangeFormats(designation: 'vc+sd-jwt' | 'dc+sd-jwt') {
  return {
    'dc+sd-jwt': sdJwtVcExchange(designation),
    mso_mdoc: mdocExchange,
    jwt_vc_json: jwtVcExchange,
  }
}

function sdJwtVcExchange(designation: 'vc+sd-jwt' | 'dc+sd-jwt'): ExchangeFormat {
  const credential = {
    [designation]: { 'sd-jwt_alg_values': ALGORITHMS, 'kb-jwt_alg_values': ALGORITHMS },
  }
  return {
    credential,
    presentation: designation,
    designations: credential,
    descriptorId: ({ id }) => id,
    typeFields: ({ meta }) => [
      { path: ['$.vct'], filter: { type: 'string', enum: sdJwtVc.metaTypes(meta) ?? [] } },
    ],
    jsonPaths: (path) => [toJsonPath(path)],
    fieldMembers: {},
    limitsDisclosure: true,
  }
}

/**
 * ISO mdoc (ISO/IEC TS 18013-7 Annex B). The descriptor's id is the document type. Every field has
 * `intent_to_retain`.
 */
const mdocExchange: ExchangeFormat = {
  credential: { mso_mdoc: { alg: ALGORITHMS } },
  presentation: 'mso_mdoc',
  designations: { mso_mdoc: { alg: ALGORITHMS } },
  descriptorId: ({ meta }) => String(member(meta, 'doctype_value')),
  typeFields: () => [],
  jsonPaths: (path) => [toElementPath(path)],
  fieldMembers: { intent_to_retain: false },
  limitsDisclosure: true,
}

/**
 * W3C credentials as JWTs: a VP that contains a VC. Each claim has two paths, because some wallets evaluate
 * paths from the member `vc`, not from the JWT claims.
 */
const jwtVcExchange: ExchangeFormat = {
  credential: { jwt_vc_json: { alg: ALGORITHMS } },
  presentation: 'jwt_vp_json',
  designations: { jwt_vc_json: { alg: ALGORITHMS }, jwt_vp_json: { alg: ALGORITHMS } },
  descriptorId: ({ id }) => id,
  typeFields: ({ meta }) => [
    {
      path: ['$.vc.type', '$.type'],
      filter: { type: 'array', contains: { type: 'string', enum: jwtVcJson.metaTypes(meta) ?? [] } },
    },
  ],
  jsonPaths: (path) => [toJsonPath(path, '$.vc'), toJsonPath(path)],
  fieldMembers: {},
  limitsDisclosure: false,
}
