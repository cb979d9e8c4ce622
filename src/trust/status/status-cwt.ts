// Decodes a Status List Token in CWT form (draft-ietf-oauth-status-list §5.2): a COSE_Sign1 (RFC 9052 §4.2)
// under its tag 18. Identifier lists have the same form (identifier-list.ts).

import { decodeUtf8 } from '../../codec/bytes.ts'
import { type CborItem, decodeCbor, findEntry, isTooMuch, readText } from '../../codec/cbor.ts'
import { type CoseSign1, decodeCoseSign1, readX5chain, verifyCoseSign1 } from '../../crypto/cose.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SignerClaims } from '../anchors/signer.ts'
import {
  type DecodedStatusToken,
  parseStatusClaims,
  type StatusListClaims,
  type StatusListError,
  type StatusListForm,
} from './status-token.ts'

/** Rules for one kind of CWT token. */
export type CwtKind = {
  /** Limit of CBOR items. */
  readonly items: number
  /** Returns whether the token has the media type of this kind, in the protected header or the payload. */
  readonly hasType: (protectedHeader: CborItem, payload: CborItem) => boolean
  readonly parse: (payload: CborItem) => Result<StatusListClaims, StatusListError>
}

/** Decodes a Status List Token. Rejects a token without the headers and claims of a status list. */
export function decodeStatusListCwt(
  body: Uint8Array<ArrayBuffer>,
): Result<DecodedStatusToken, StatusListError> {
  return decodeCwtToken(body, {
    items: STATUS_LIST.items,
    hasType: (protectedHeader) => readText(findEntry(protectedHeader, TYP)) === 'application/statuslist+cwt',
    parse: parseClaims,
  })
}

/** Token Status List as a CWT, for ISO mdoc. */
export const STATUS_LIST_CWT: StatusListForm = {
  name: 'cwt',
  accept: 'application/statuslist+cwt',
  decode: decodeStatusListCwt,
}

/** Decodes a token of one kind. */
export function decodeCwtToken(
  body: Uint8Array<ArrayBuffer>,
  { items, hasType, parse }: CwtKind,
): Result<DecodedStatusToken, StatusListError> {
  const message = decodeMessage(body)
  if (!message.ok) return message
  const { sign1, protectedHeader, payload } = message.value
  const claims = decode(payload, items)
  if (!claims.ok) return claims
  if (!hasType(protectedHeader, claims.value)) return err('wrong_token_type')
  const parsed = parse(claims.value)
  if (!parsed.ok) return parsed
  const signer = parseSigner(message.value, claims.value)
  if (!signer.ok) return signer
  const verify = (key: PublicJwk) => verifyCoseSign1(sign1, payload, key)
  return ok({ claims: parsed.value, signer: signer.value, verify })
}

/** Labels of header parameters (RFC 9052 §3.1, RFC 9596). */
const [KID, TYP] = [4, 16] as const

type Message = {
  readonly sign1: CoseSign1
  readonly protectedHeader: CborItem
  readonly payload: Uint8Array<ArrayBuffer>
}

function decodeMessage(body: Uint8Array<ArrayBuffer>): Result<Message, StatusListError> {
  const item = decode(body)
  if (!item.ok) return item
  // The token has the tag of COSE_Sign1, without the CWT tag around it (§5.2).
  if (item.value.type !== 'tag' || item.value.tag !== 18) return err('malformed_token')
  const sign1 = decodeCoseSign1(item.value.content)
  if (!sign1.ok) return err(sign1.error === 'malformed' ? 'malformed_token' : sign1.error)
  const { payload } = sign1.value
  if (payload === null) return err('malformed_token') // a detached payload
  const protectedHeader = decode(sign1.value.protectedHeader)
  return protectedHeader.ok
    ? ok({ sign1: sign1.value, protectedHeader: protectedHeader.value, payload })
    : protectedHeader
}

function decode(
  bytes: Uint8Array<ArrayBuffer>,
  items: number = STATUS_LIST.items,
): Result<CborItem, StatusListError> {
  const { tokenBytes, depth } = STATUS_LIST
  const item = decodeCbor(bytes, { bytes: tokenBytes, depth, items })
  if (item.ok) return item
  return err(isTooMuch(item.error) ? 'too_large' : 'malformed_token')
}

function parseClaims(payload: CborItem): Result<StatusListClaims, StatusListError> {
  const list = findEntry(payload, 65533)
  if (list?.type !== 'map') return err('invalid_claim')
  const lst = findEntry(list, 'lst')
  return parseStatusClaims({
    ...readTimes(payload),
    bits: decodeNumber(findEntry(list, 'bits')),
    compressed: lst?.type === 'bytes' ? lst.value : undefined,
  })
}

/**
 * Reads the address, times and time to live of a token. An absent claim is `undefined`. A time that is not a
 * number is `NaN`.
 */
export function readTimes(payload: CborItem) {
  return {
    sub: readText(findEntry(payload, 2)),
    exp: decodeNumber(findEntry(payload, 4)),
    nbf: decodeNumber(findEntry(payload, 5)),
    iat: decodeNumber(findEntry(payload, 6)),
    ttl: decodeNumber(findEntry(payload, 65534)),
  }
}

/**
 * Reads the claims about the signer, which only select among our anchors. `kid` and `x5chain` may be in the
 * protected or the unprotected header (RFC 9052 §3.1, RFC 9360 §2).
 */
function parseSigner(
  { sign1, protectedHeader }: Message,
  payload: CborItem,
): Result<SignerClaims, StatusListError> {
  const { algorithm, unprotected } = sign1
  const issItem = findEntry(payload, 1)
  const iss = readText(issItem)
  if (issItem !== undefined && iss === undefined) return err('invalid_claim')
  const kidItem = findEntry(protectedHeader, KID) ?? findEntry(unprotected, KID)
  if (kidItem !== undefined && kidItem.type !== 'bytes') return err('malformed_token')
  // Anchors name their keys in text. A `kid` that is not UTF-8 is treated as absent.
  const kid = kidItem && decodeUtf8(kidItem.value)
  const chain = readX5chain(protectedHeader, unprotected)
  return chain.ok ? ok({ iss, kid, chain: chain.value, algorithm: algorithm.name }) : err('malformed_token')
}

/** Returns the number; `undefined` without an item; `NaN`, which every check rejects, for any other item. */
function decodeNumber(item: CborItem | undefined): number | undefined {
  if (item === undefined) return undefined
  return (item.type === 'integer' || item.type === 'float') && typeof item.value === 'number'
    ? item.value
    : Number.NaN
}
