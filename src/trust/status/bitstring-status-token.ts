// Decodes a JWT that contains a Bitstring Status List Credential (W3C Bitstring Status List 1.0 §2.2), or its
// predecessor of 2021. In VCDM 1.1 the claim `vc` is the credential. In VC-JOSE-COSE the payload is the
// credential. The signature is not verified here.

import { decodeBase64url } from '../../codec/base64url.ts'
import { isJsonObject, isNumber, type Json, type JsonObject, member } from '../../codec/json.ts'
import { type DecodedJws, verifyJws } from '../../crypto/jws.ts'
import { err, ok, type Result } from '../../result.ts'
import { readJwsSigner } from '../anchors/jws-signer.ts'
import { agreedText, agreedTime, readId, readWords } from '../vcdm.ts'
import { decodeTokenJws } from './status-jwt.ts'
import type { DecodedStatusToken, StatusListClaims, StatusListError, StatusListForm } from './status-token.ts'

/** Decodes a list credential. Rejects a credential without the header, type and claims of a status list. */
export function decodeBitstringStatusList(
  body: Uint8Array<ArrayBuffer>,
): Result<DecodedStatusToken, StatusListError> {
  const jws = decodeTokenJws(body)
  if (!jws.ok) return jws
  const credential = parseCredential(jws.value)
  if (!credential.ok) return credential
  const issuer = agreedText(
    'iss',
    member(jws.value.payload, 'iss'),
    readId(member(credential.value, 'issuer')),
  )
  if (!issuer.ok) return err('invalid_claim')
  const signer = readJwsSigner(jws.value, issuer.value)
  if (!signer.ok) return err('malformed_token')
  const claims = readClaims(jws.value.payload, credential.value)
  if (!claims.ok) return claims
  return ok({ claims: claims.value, signer: signer.value, verify: (key) => verifyJws(jws.value, key) })
}

/** Bitstring Status List, for W3C credentials. */
export const BITSTRING_STATUS_LIST: StatusListForm = {
  name: 'vc',
  // A list credential is the payload of the JWT, or its claim `vc`. Servers use several media types for both.
  accept: 'application/vc+jwt, application/jwt, */*;q=0.1',
  decode: decodeBitstringStatusList,
}

/**
 * Returns the credential in the JWT. With `typ` `vc+jwt` the credential is the payload, and a `vc` is
 * rejected. With `typ` `JWT`, or without `typ`, the credential is the claim `vc`.
 */
function parseCredential({ header, payload }: DecodedJws): Result<JsonObject, StatusListError> {
  const typ = member(header, 'typ')
  const vc = member(payload, 'vc')
  if (typ === 'vc+jwt') return vc === undefined ? ok(payload) : err('malformed_token')
  if (typ !== undefined && typ !== 'JWT') return err('wrong_token_type')
  return isJsonObject(vc) ? ok(vc) : err('malformed_token')
}

function readClaims(payload: JsonObject, credential: JsonObject): Result<StatusListClaims, StatusListError> {
  const list = member(credential, 'credentialSubject')
  const compressed = isJsonObject(list) ? decodeList(credential, list) : undefined
  if (!isJsonObject(list) || compressed === undefined) return err('invalid_claim')
  const [validFrom, validUntil] = ['validFrom', 'validUntil'].map((name) => member(credential, name))
  const id = agreedText('jti', member(payload, 'jti'), member(credential, 'id'))
  const nbf = agreedTime('nbf', member(payload, 'nbf'), validFrom ?? member(credential, 'issuanceDate'))
  const exp = agreedTime('exp', member(payload, 'exp'), validUntil ?? member(credential, 'expirationDate'))
  const iat = agreedTime('iat', member(payload, 'iat'), undefined)
  const ttl = member(list, 'ttl')
  if (!id.ok || !nbf.ok || !exp.ok || !iat.ok || !isTimeToLive(ttl)) return err('invalid_claim')
  return ok({
    // The `id` of the credential is the address of the list, and may be absent (§2.2). If the `id` is
    // present, `checkStatusClaims` compares it with the address in the reference.
    sub: id.value,
    iat: iat.value,
    nbf: nbf.value,
    exp: exp.value,
    ttl: ttl === undefined ? undefined : ttl / 1000, // milliseconds
    list: { layout: 'bitstring', bits: 1, compressed },
    purposes: readWords(list, 'statusPurpose'),
  })
}

/**
 * Returns the compressed list; `undefined` if the list is malformed. The list is multibase base64url without
 * padding (§2.2). A StatusList2021 has no multibase prefix.
 */
function decodeList(credential: JsonObject, list: JsonObject): Uint8Array<ArrayBuffer> | undefined {
  const encoded = member(list, 'encodedList')
  if (typeof encoded !== 'string') return undefined
  if (isA(credential, 'BitstringStatusListCredential') && isA(list, 'BitstringStatusList'))
    return encoded.startsWith('u') ? decodeBase64url(encoded.slice(1)) : undefined
  return isA(credential, 'StatusList2021Credential') && isA(list, 'StatusList2021')
    ? decodeBase64url(encoded)
    : undefined
}

function isA(object: JsonObject, type: string): boolean {
  return readWords(object, 'type').includes(type)
}

function isTimeToLive(ttl: Json | undefined): ttl is number | undefined {
  return ttl === undefined || (isNumber(ttl) && ttl > 0)
}
