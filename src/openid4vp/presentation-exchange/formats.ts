// How Presentation Exchange speaks of the credential formats: what each is called and how its type and claims are asked
// for. A format that is asked for in the drafts has one entry here.

import { type JsonObject, member } from '../../codec/json.ts'
import { ADVERTISED_ALGORITHMS } from '../../crypto/algorithms.ts'
import { jwtVcJson } from '../../formats/jwt-vc-json/jwt-vc-json.ts'
import { sdJwtVc } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { ClaimsPath, CredentialQuery } from '../dcql/query.ts'
import { toElementPath, toJsonPath } from './json-path.ts'

/** One credential format in the words of Presentation Exchange 2. */
export type ExchangeFormat = {
  /** The Claim Format Designation of a credential, and what we accept of it: a descriptor's `format`. */
  readonly credential: JsonObject
  /** The designation of a presentation. */
  readonly presentation: string
  /** Both, where they are two: in `vp_formats`. */
  readonly designations: JsonObject
  readonly descriptorId: (query: CredentialQuery) => string
  /** The field by which credentials of other types are left out, where the descriptor's id does not do that. */
  readonly typeFields: (query: CredentialQuery) => readonly JsonObject[]
  /** Where a claim may stand. */
  readonly jsonPaths: (path: ClaimsPath) => readonly string[]
  /** What every field of a claim says besides its paths. */
  readonly fieldMembers: JsonObject
  /** Whether claims can be presented one by one. */
  readonly limitsDisclosure: boolean
}

/** In the time of the drafts Ed25519 had no name of its own (RFC 9864). */
const ALGORITHMS = ADVERTISED_ALGORITHMS.map((name) => (name === 'Ed25519' ? 'EdDSA' : name))

/** SD-JWT VC, under the designation that a draft has for it. */
export function sdJwtVcExchange(designation: 'vc+sd-jwt' | 'dc+sd-jwt'): ExchangeFormat {
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

/** ISO mdoc (ISO/IEC TS 18013-7 Annex B): the descriptor's id is the document type, and every element has its retention. */
export const mdocExchange: ExchangeFormat = {
  credential: { mso_mdoc: { alg: ALGORITHMS } },
  presentation: 'mso_mdoc',
  designations: { mso_mdoc: { alg: ALGORITHMS } },
  descriptorId: ({ meta }) => String(member(meta, 'doctype_value')),
  typeFields: () => [],
  jsonPaths: (path) => [toElementPath(path)],
  fieldMembers: { intent_to_retain: false },
  limitsDisclosure: true,
}

/** W3C credentials as JWTs: a VP around a VC, whose `vc` some wallets lift to the root before they look into it. */
export const jwtVcExchange: ExchangeFormat = {
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
