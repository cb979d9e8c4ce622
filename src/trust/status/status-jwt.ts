// A Status List Token in JWT form (draft-ietf-oauth-status-list §5.1).

import { decodeBase64url } from '../../codec/base64url.ts'
import { decodeUtf8 } from '../../codec/bytes.ts'
import { isJsonObject, member } from '../../codec/json.ts'
import { type DecodedJws, decodeJws, verifyJws } from '../../crypto/jws.ts'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { readJwsSigner } from '../anchors/jws-signer.ts'
import type { SignerClaims } from '../anchors/signer.ts'
import {
  type DecodedStatusToken,
  parseStatusClaims,
  type StatusListClaims,
  type StatusListError,
  type StatusListForm,
} from './status-token.ts'

/** Decodes a token. Rejects a token without the header and claims of a status list. */
export function decodeStatusListJwt(
  body: Uint8Array<ArrayBuffer>,
): Result<DecodedStatusToken, StatusListError> {
  const jws = decodeTokenJws(body)
  if (!jws.ok) return jws
  if (member(jws.value.header, 'typ') !== 'statuslist+jwt') return err('wrong_token_type')
  const claims = parseClaims(jws.value)
  if (!claims.ok) return claims
  const signer = parseSigner(jws.value)
  if (!signer.ok) return signer
  return ok({ claims: claims.value, signer: signer.value, verify: (key) => verifyJws(jws.value, key) })
}

/** Token Status List as a JWT, for SD-JWT VC. */
export const STATUS_LIST_JWT: StatusListForm = {
  name: 'jwt',
  accept: 'application/statuslist+jwt',
  decode: decodeStatusListJwt,
}

/** Decodes the JWS of a token within the limits of status lists. */
export function decodeTokenJws(body: Uint8Array<ArrayBuffer>): Result<DecodedJws, StatusListError> {
  if (body.length > STATUS_LIST.tokenBytes) return err('too_large')
  const text = decodeUtf8(body)
  if (text === undefined) return err('malformed_token')
  const jws = decodeJws(text, { length: STATUS_LIST.tokenBytes, depth: STATUS_LIST.depth })
  return jws.ok ? jws : err(jws.error === 'malformed' ? 'malformed_token' : jws.error)
}

function parseClaims({ payload }: DecodedJws): Result<StatusListClaims, StatusListError> {
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

function parseSigner(jws: DecodedJws): Result<SignerClaims, StatusListError> {
  const iss = member(jws.payload, 'iss')
  if (iss !== undefined && typeof iss !== 'string') return err('invalid_claim')
  const signer = readJwsSigner(jws, iss)
  return signer.ok ? signer : err('malformed_token')
}
