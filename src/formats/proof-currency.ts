// The time of a proof of possession, which is a JWT made for one request (RFC 7519 §4.1).

import { type JsonObject, member } from '../codec/json.ts'
import { CLOCK_SKEW } from '../trust/clock-skew.ts'
import { isNumericDate } from './sd-jwt-vc/validity.ts'

/** Seconds the holder's clock and the answer's way to us may account for, either way. */
export const PROOF_WINDOW = 300

/**
 * Whether a proof was made now and not before the request; `exp` and `nbf` hold where the wallet set them. `undefined` where a
 * time is none. `now` and `requestedAt` are Unix seconds. Whether `iat` must be there is the format's affair.
 */
export function isCurrent(
  claims: JsonObject,
  when: { readonly now: number; readonly requestedAt: number },
): boolean | undefined {
  const [iat, exp, nbf] = [member(claims, 'iat'), member(claims, 'exp'), member(claims, 'nbf')]
  if (iat !== undefined && !isNumericDate(iat)) return undefined
  if (exp !== undefined && !isNumericDate(exp)) return undefined
  if (nbf !== undefined && !isNumericDate(nbf)) return undefined
  const isMadeForThis =
    iat === undefined || (Math.abs(iat - when.now) <= PROOF_WINDOW && iat >= when.requestedAt - CLOCK_SKEW)
  return (
    isMadeForThis &&
    (exp === undefined || exp > when.now - CLOCK_SKEW) &&
    (nbf === undefined || nbf <= when.now + CLOCK_SKEW)
  )
}
