// The verifier as a library: requests, and the verification of their responses, without a service.

import { REASONS } from '../../../src/session/document/reasons.ts'
import { createRequestOf, signRequestOf } from './create-request.ts'
import { annexC, dcql, haip, jwtVcJson, mdoc, openid4vp, revocationLists, sdJwtVc } from './parts.ts'
import type { CreateRequest, Parts, ReasonDescription, SignRequest, VerifyResponse } from './types.ts'
import { verifyResponseOf } from './verify-response.ts'

export { InputError, type InputFault } from './input-error.ts'
export { annexC, dcql, haip, jwtVcJson, mdoc, openid4vp, revocationLists, sdJwtVc } from './parts.ts'
export { readTrustList } from './trust-list.ts'
export type * from './types.ts'

/** Every format, protocol and query. */
const all = (): Parts => ({
  formats: [sdJwtVc, mdoc, jwtVcJson],
  protocols: [openid4vp, haip, annexC],
  queries: [dcql],
  checks: [revocationLists],
})

/**
 * Makes a request of any protocol, for any format.
 *
 * @example
 * const policy = { credential_types: ['pid'], scope: ['age_over_18'] }
 * const created = await createRequest({ policy, verifier, origin: 'https://shop.example' })
 */
export const createRequest: CreateRequest = ((input: unknown) =>
  createRequestOf(all(), input)) as CreateRequest // by `responseUri` or `origin`

/**
 * Verifies a response to a request of any protocol, in any format.
 *
 * @example
 * const result = await verifyResponse({ request, response: await req.text(), anchors })
 * if (result.status === 'verified') console.log(result.checks)
 */
export const verifyResponse: VerifyResponse = (input) => verifyResponseOf(all(), input)

/** Signs the Request Object again: for a `wallet_nonce`, or after its 300 s. */
export const signRequest: SignRequest = (input) => signRequestOf(all(), input)

/**
 * Returns the functions for some formats and protocols. A bundler leaves out all others.
 *
 * @example
 * const { createRequest, verifyResponse } = verifierOf({ formats: [sdJwtVc], protocols: [openid4vp] })
 */
export function verifierOf(parts: Parts): {
  readonly createRequest: CreateRequest
  readonly verifyResponse: VerifyResponse
  readonly signRequest: SignRequest
} {
  return {
    createRequest: ((input: unknown) => createRequestOf(parts, input)) as CreateRequest, // as above
    verifyResponse: (input) => verifyResponseOf(parts, input),
    signRequest: (input) => signRequestOf(parts, input),
  }
}

/** Describes the `reason` of a result; `undefined` for any other text. */
export function describeReason(reason: string): ReasonDescription | undefined {
  if (!Object.hasOwn(REASONS, reason)) return undefined
  const { message, retryable } = REASONS[reason as keyof typeof REASONS]
  return { code: reason, message, retryable }
}
