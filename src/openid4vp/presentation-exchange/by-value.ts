// The answer to the request that the relying party's view shows (CONTRACT 3, "by value"): a plain VP Token with a presentation
// submission and no `state`, as wallets gave before March 2023 and lenient ones still give.

import { type JsonObject, member } from '../../codec/json.ts'
import { decodeJws } from '../../crypto/jws.ts'
import { SD_JWT } from '../../limits.ts'
import type { Result } from '../../result.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import type { EnvelopeRefusal } from '../response/refusal.ts'
import type { PresentationGroup } from '../response/vp-token.ts'
import { parseSubmission } from './submission.ts'

/** What the view's presentation definition said. */
export type ViewDefinition = {
  readonly definitionId: string
  readonly query: DcqlQuery
  /** The credential type that an input descriptor asks for, by the credential query ids that answer it. */
  readonly queryIdsOf: (descriptorId: string) => readonly string[]
}

/** Whether posted parameters have the form of such an answer. Whether one is heard is the session's to say. */
export function isByValueResponse(parameters: ReadonlyMap<string, string>): boolean {
  const given = (name: string) => (parameters.get(name) ?? '') !== ''
  const others = ['state', 'response', 'error'].some(given)
  return given('vp_token') && given('presentation_submission') && !others
}

/** Reads the answer. A mdoc is never among it: its session would be bound to a nonce that such a wallet has no way to tell. */
export function parseByValueResponse(
  parameters: ReadonlyMap<string, string>,
  { definitionId, query, queryIdsOf }: ViewDefinition,
): Result<readonly PresentationGroup[], EnvelopeRefusal> {
  const response = {
    encrypted: false,
    vpToken: parameters.get('vp_token') ?? '',
    presentationSubmission: parameters.get('presentation_submission'),
  }
  return parseSubmission(response, {
    definitionId,
    query,
    answers: ({ descriptorId, format }, { id, format: asked }) =>
      queryIdsOf(descriptorId).includes(id) && designationsOf(asked).includes(format),
  })
}

/** The nonce that a presentation says it was made for. It chooses the request to verify it against, and proves nothing. */
export function claimedNonce(presentation: string | JsonObject): string | undefined {
  if (typeof presentation !== 'string') return undefined
  const proof = decodeJws(presentation.slice(presentation.lastIndexOf('~') + 1), SD_JWT.issuerJwt)
  const nonce = proof.ok ? member(proof.value.payload, 'nonce') : undefined
  return typeof nonce === 'string' ? nonce : undefined
}

/** Claim Format Designations of presentations, by the format they had later. */
const DESIGNATIONS: Readonly<Record<string, readonly string[]>> = {
  'dc+sd-jwt': ['vc+sd-jwt', 'dc+sd-jwt'],
  jwt_vc_json: ['jwt_vp_json', 'jwt_vp'],
}

function designationsOf(format: string): readonly string[] {
  return (Object.hasOwn(DESIGNATIONS, format) ? DESIGNATIONS[format] : undefined) ?? []
}
