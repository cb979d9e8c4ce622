// Finds the request that a response names, and opens the response with its key (OpenID4VP 1.0 §8.2, §8.3,
// Appendix A.4). Nothing in the response is verified here.

import type { PrivateJwk } from '../crypto/jwk.ts'
import type { RequestBinding } from '../formats/verification/format.ts'
import type { Exchange, Protocol } from '../openid4vp/protocols/protocol.ts'
import {
  type AuthorizationResponse,
  decryptResponse,
  type OpenResponse,
  requireState,
} from '../openid4vp/response/authorization-response.ts'
import type { EnvelopeRefusal } from '../openid4vp/response/refusal.ts'
import { err, ok, type Result } from '../result.ts'

/** The key that decrypted a response, and `apu` of its JWE. */
export type Encryption = Omit<Exchange, 'responseUri'>

/** Value for a response that is not encrypted. */
export const PLAIN: Encryption = { encryptionKey: null, agreementPartyUInfo: undefined }

/** `handle`: the value that names the request. `unknown`: the refusal reason if no request has this value. */
export type NamedRequest = {
  readonly kind: 'state' | 'kid'
  readonly handle: string
  readonly unknown: 'unknown_state' | 'unknown_encryption_key'
}

/**
 * Returns the value by which a response names its request: `kid` of an encrypted response, else `state`.
 * Returns `undefined` if the response names no request.
 */
export function namedRequest(response: AuthorizationResponse): NamedRequest | undefined {
  const kid = response.kind === 'encrypted' ? response.kid : undefined
  if (kid !== undefined) return { kind: 'kid', handle: kid, unknown: 'unknown_encryption_key' }
  if (response.state === undefined) return undefined
  return { kind: 'state', handle: response.state, unknown: 'unknown_state' }
}

/** Values of a request that are needed to open its response. */
export type OpeningRequest = {
  readonly state: string
  readonly kid: string
  readonly isDcApi: boolean
  readonly openKey: () => Promise<PrivateJwk>
}

/**
 * Decrypts an encrypted response. Returns a plain response unchanged. A `state` that was sent beside the JWE
 * must be the `state` of the request. Outside the Digital Credentials API, the encrypted content must have
 * this `state`.
 */
export async function openResponse(
  response: AuthorizationResponse,
  openRequest: () => Promise<OpeningRequest>,
): Promise<Result<Encryption & { readonly open: OpenResponse }, EnvelopeRefusal['reason']>> {
  if (response.kind !== 'encrypted') return ok({ open: response, ...PLAIN })
  const { state, kid, isDcApi, openKey } = await openRequest()
  if (response.state !== undefined && response.state !== state) return err('state_mismatch')
  const encryptionKey = await openKey()
  const decrypted = await decryptResponse(response, { kid, privateJwk: encryptionKey })
  const open = isDcApi ? decrypted : requireState(decrypted)
  if (!open.ok) return err(open.error.reason)
  if (!isDcApi && open.value.state !== state) return err('state_mismatch')
  return ok({ open: open.value, encryptionKey, agreementPartyUInfo: response.agreementPartyUInfo })
}

/**
 * Returns the audience and the handover that the presentations must have. A.4: in the Digital Credentials API
 * the audience is the origin of the page, also for signed requests.
 */
export function boundTo(
  request: { readonly origin: string } | { readonly responseUri: string; readonly clientId: string },
  encryption: Encryption,
  protocol: Pick<Protocol, 'handover'>,
): Pick<RequestBinding, 'audience' | 'handover'> {
  if ('origin' in request) {
    const { origin } = request
    const { encryptionKey } = encryption
    return { audience: `origin:${origin}`, handover: { kind: 'dc_api', origin, encryptionKey } }
  }
  const { responseUri, clientId } = request
  return { audience: clientId, handover: protocol.handover({ ...encryption, responseUri }) }
}
