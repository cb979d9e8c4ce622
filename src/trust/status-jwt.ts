// A Status List Token in JWT form (draft-ietf-oauth-status-list §5.1).

import { decodeBase64, decodeBase64url } from '../codec/base64url.ts'
import { decodeUtf8 } from '../codec/bytes.ts'
import { isJsonObject, type Json, member } from '../codec/json.ts'
import { type DecodedJws, decodeJws, verifyJws } from '../crypto/jws.ts'
import { STATUS_LIST } from '../limits.ts'
import { err, ok, type Result } from '../result.ts'
import type { SignerClaims } from './signer.ts'
import {
  type DecodedStatusToken,
  parseStatusClaims,
  type StatusListClaims,
  type StatusListFault,
} from './status-token.ts'

/** Takes a token apart and refuses one whose header or claims are not those of a status list. */
export function decodeStatusListJwt(
  body: Uint8Array<ArrayBuffer>,
): Result<DecodedStatusToken, StatusListFault> {
  if (body.length > STATUS_LIST.tokenBytes) return err('too_large')
  const text = decodeUtf8(body)
  if (text === undefined) return err('malformed_token')
  const limits = { length: STATUS_LIST.tokenBytes, depth: STATUS_LIST.depth }
  const jws = decodeJws(text, limits)
  if (!jws.ok) return err(jws.error === 'malformed' ? 'malformed_token' : jws.error)
  if (member(jws.value.header, 'typ') !== 'statuslist+jwt') return err('wrong_token_type')
  const claims = parseClaims(jws.value)
  if (!claims.ok) return claims
  const signer = parseSigner(jws.value)
  if (!signer.ok) return signer
  const verify: DecodedStatusToken['verify'] = (key) => verifyJws(jws.value, key)
  return ok({ claims: claims.value, signer: signer.value, verify })
}

function parseClaims({ payload }: DecodedJws): Result<StatusListClaims, StatusListFault> {
  const list = member(payload, 'status_list')
  if (!isJsonObject(list)) return err('invalid_claim')
  const lst = member(list, 'lst')
  return parseStatusClaims({
    sub: member(payload, 'sub'),
    iat: member(payload, 'iat'),
    exp: member(payload, 'exp'),
    nbf: member(payload, 'nbf'),
    ttl: member(payload, 'ttl'),
    bits: member(list, 'bits'),
    compressed: typeof lst === 'string' ? decodeBase64url(lst) : undefined,
  })
}

/** Of the header, what selects among our anchors: `jwk`, `jku` and `x5u` are not read. */
function parseSigner({ header, payload, algorithm }: DecodedJws): Result<SignerClaims, StatusListFault> {
  const iss = member(payload, 'iss')
  const kid = member(header, 'kid')
  if (iss !== undefined && typeof iss !== 'string') return err('invalid_claim')
  if (kid !== undefined && typeof kid !== 'string') return err('malformed_token')
  if (!Object.hasOwn(header, 'x5c')) return ok({ iss, kid, chain: undefined, algorithm: algorithm.name })
  const chain = decodeChain(member(header, 'x5c'))
  return chain === undefined ? err('malformed_token') : ok({ iss, kid, chain, algorithm: algorithm.name })
}

/** `x5c` (RFC 7515 §4.1.6): standard base64, at least one certificate. */
function decodeChain(x5c: Json | undefined): readonly Uint8Array<ArrayBuffer>[] | undefined {
  if (!Array.isArray(x5c) || x5c.length === 0) return undefined
  const chain = x5c.map((encoded) => (typeof encoded === 'string' ? decodeBase64(encoded) : undefined))
  return chain.every((certificate) => certificate !== undefined && certificate.length > 0)
    ? chain.filter((certificate) => certificate !== undefined)
    : undefined
}
