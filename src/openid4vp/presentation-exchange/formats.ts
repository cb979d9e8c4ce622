// How Presentation Exchange speaks of the credential formats: what each is called and how its type and claims are asked
// for. A format that is asked for in the drafts has one entry here.

import { type JsonObject, member } from '../../codec/json.ts'
import { ADVERTISED_ALGORITHMS } from '../../crypto/algorithms.ts'
import { sdJwtVc } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { ClaimsPath, CredentialQuery } from '../dcql/query.ts'
import { toElementPath, toJsonPath } from './json-path.ts'

/** One credential format in the words of Presentation Exchange 2. */
export type ExchangeFormat = {
  /** Claim Format Designations and what we accept of each: in `vp_formats`, and as a descriptor's `format`. */
  readonly designations: JsonObject
  /** The designation of a presentation. */
  readonly presentation: string
  readonly descriptorId: (query: CredentialQuery) => string
  /** The field by which credentials of other types are left out, where the descriptor's id does not do that. */
  readonly typeFields: (query: CredentialQuery) => readonly JsonObject[]
  /** Where a claim may stand. */
  readonly jsonPaths: (path: ClaimsPath) => readonly string[]
  /** What every field of a claim says besides its paths. */
  readonly fieldMembers: JsonObject
}

/** In the time of the drafts Ed25519 had no name of its own (RFC 9864). */
const ALGORITHMS = ADVERTISED_ALGORITHMS.map((name) => (name === 'Ed25519' ? 'EdDSA' : name))

/** SD-JWT VC, under the designation that a draft has for it. */
export function sdJwtVcExchange(designation: 'vc+sd-jwt' | 'dc+sd-jwt'): ExchangeFormat {
  return {
    designations: { [designation]: { 'sd-jwt_alg_values': ALGORITHMS, 'kb-jwt_alg_values': ALGORITHMS } },
    presentation: designation,
    descriptorId: ({ id }) => id,
    typeFields: ({ meta }) => [
      { path: ['$.vct'], filter: { type: 'string', enum: sdJwtVc.metaTypes(meta) ?? [] } },
    ],
    jsonPaths: (path) => [toJsonPath(path)],
    fieldMembers: {},
  }
}

/** ISO mdoc (ISO/IEC TS 18013-7 Annex B): the descriptor's id is the document type, and every element has its retention. */
export const mdocExchange: ExchangeFormat = {
  designations: { mso_mdoc: { alg: ALGORITHMS } },
  presentation: 'mso_mdoc',
  descriptorId: ({ meta }) => String(member(meta, 'doctype_value')),
  typeFields: () => [],
  jsonPaths: (path) => [toElementPath(path)],
  fieldMembers: { intent_to_retain: false },
}
