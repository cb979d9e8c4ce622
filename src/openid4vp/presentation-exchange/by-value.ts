// Response to the request that `GET …/openid4vp` returns (api/request, "by value"). A bridge, which is a
// program of the relying party, passes this request to a wallet. The response has a plain VP Token and a
// presentation submission, without `state`. Wallets sent such responses before March 2023, and lenient
// wallets still send them.

import { type JsonObject, member } from '../../codec/json.ts'
import { decodeJws } from '../../crypto/jws.ts'
import { SD_JWT } from '../../limits.ts'
import type { Result } from '../../result.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import type { EnvelopeRefusal } from '../response/refusal.ts'
import type { PresentationGroup } from '../response/vp-token.ts'
import { parseSubmission } from './submission.ts'

/** The presentation definition that `GET …/openid4vp` returns. */
export type ViewDefinition = {
  readonly definitionId: string
  readonly query: DcqlQuery
  /** Returns the ids of the credential queries whose presentations satisfy an input descriptor. */
  readonly queryIdsOf: (descriptorId: string) => readonly string[]
}

/**
 * Returns true if the posted parameters have the form of a response by value. The session decides if the
 * response is accepted.
 */
export function isByValueResponse(parameters: ReadonlyMap<string, string>): boolean {
  const isPresent = (name: string) => (parameters.get(name) ?? '') !== ''
  const others = ['state', 'response', 'error'].some(isPresent)
  return isPresent('vp_token') && isPresent('presentation_submission') && !others
}

/**
 * Parses a response by value. Such a response cannot contain an mdoc. The session transcript of an mdoc
 * contains a nonce of the wallet, and this response has no parameter for that nonce.
 */
export function parseByValueResponse(
  parameters: ReadonlyMap<string, string>,
  { definitionId, query, queryIdsOf }: ViewDefinition,
): Result<readonly PresentationGroup[], EnvelopeRefusal> {
  const response = {
    hasJsonValues: false,
    vpToken: parameters.get('vp_token') ?? '',
    presentationSubmission: parameters.get('presentation_submission'),
  }
  return parseSubmission(response, {
    definitionId,
    query,
    matches: ({ descriptorId, format }, query) =>
      queryIdsOf(descriptorId).includes(query.id) && parseDesignations(query.format).includes(format),
  })
}

/**
 * Returns the nonce in a presentation; `undefined` if there is none. The caller uses the nonce to find the
 * request. The proof that contains the nonce is verified later.
 */
export function claimedNonce(presentation: string | JsonObject): string | undefined {
  if (typeof presentation !== 'string') return undefined
  const proof = decodeJws(presentation.slice(presentation.lastIndexOf('~') + 1), SD_JWT.issuerJwt)
  const nonce = proof.ok ? member(proof.value.payload, 'nonce') : undefined
  return typeof nonce === 'string' ? nonce : undefined
}

/** Claim Format Designations of presentations, by the format identifier of OpenID4VP 1.0. */
const DESIGNATIONS: Readonly<Record<string, readonly string[]>> = {
  'dc+sd-jwt': ['vc+sd-jwt', 'dc+sd-jwt'],
  jwt_vc_json: ['jwt_vp_json', 'jwt_vp'],
}

function parseDesignations(format: string): readonly string[] {
  return (Object.hasOwn(DESIGNATIONS, format) ? DESIGNATIONS[format] : undefined) ?? []
}
