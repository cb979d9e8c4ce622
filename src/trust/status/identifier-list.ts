// Identifier list (ISO/IEC 18013-5 second edition §12.3.6): the identifiers of the revoked documents of an
// issuer, as a CWT. A document whose identifier is in the list is revoked.

import { encodeHex } from '../../codec/bytes.ts'
import { type CborItem, findEntry, readText } from '../../codec/cbor.ts'
import { IDENTIFIER_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { type CwtKind, decodeCwtToken, readTimes } from './status-cwt.ts'
import type {
  DecodedStatusToken,
  RevokedIdentifiers,
  StatusListClaims,
  StatusListError,
  StatusListForm,
} from './status-token.ts'

/** Decodes a list. Rejects a list without the headers and claims of an identifier list. */
export function decodeIdentifierListCwt(
  body: Uint8Array<ArrayBuffer>,
): Result<DecodedStatusToken, StatusListError> {
  return decodeCwtToken(body, KIND)
}

/** Identifier list, for ISO mdoc. */
export const IDENTIFIER_LIST_CWT: StatusListForm = {
  name: 'identifiers',
  accept: 'application/identifierlist+cwt',
  decode: decodeIdentifierListCwt,
}

/**
 * Returns an identifier as text. The text contains the CBOR type and the value. The standard requires byte
 * strings, but some issuers use text. Identifiers of different types are never equal. Returns `undefined` for
 * any other type, and for an identifier over the limit.
 */
export function readIdentifier(item: CborItem | undefined): string | undefined {
  if (item?.encoded === undefined || item.encoded.length > IDENTIFIER_LIST.identifierBytes) return undefined
  if (item.type === 'bytes') return `${BYTES}${encodeHex(item.value)}`
  return item.type === 'text' ? `${TEXT}${item.value}` : undefined
}

/**
 * Returns whether the list contains the identifier. The result is an error if the list has only identifiers
 * of another type. An empty list is treated as a list of byte strings.
 */
export function isRevoked(
  { bytes, text }: RevokedIdentifiers,
  identifier: string,
): Result<boolean, StatusListError> {
  const isText = identifier.startsWith(TEXT)
  const [same, others] = isText ? [text, bytes] : [bytes, text]
  if (same.has(identifier)) return ok(true)
  const isComparable = same.size > 0 || (!isText && others.size === 0)
  return isComparable ? ok(false) : err('another_identifier_type')
}

const BYTES = 'bytes:'
const TEXT = 'text:'

/**
 * Labels of three claims: the identifiers (§12.3.6.4), a Token Status List, and the type. A token that has a
 * Token Status List is rejected.
 */
const IDENTIFIER_LIST_CLAIM = 65530
const STATUS_LIST_CLAIM = 65533
const TYP = 16

const MEDIA_TYPE = 'application/identifierlist+cwt'

const KIND: CwtKind = {
  items: IDENTIFIER_LIST.items,
  /**
   * Returns whether the type is right. The standard puts the type into claim 16, RFC 9596 into the protected
   * header. At least one must be present. If both are present, both must be right.
   */
  hasType: (protectedHeader, payload) => {
    const types = [protectedHeader, payload]
      .map((item) => findEntry(item, TYP))
      .filter((typ) => typ !== undefined)
    return types.length > 0 && types.every((typ) => readText(typ) === MEDIA_TYPE)
  },
  parse: parseClaims,
}

/**
 * Parses the claims. `exp` is required. `sub`, `iat`, `nbf` and `ttl` may be absent, but must be valid if
 * present.
 */
function parseClaims(payload: CborItem): Result<StatusListClaims, StatusListError> {
  const { sub, iat, exp, nbf, ttl } = readTimes(payload)
  const list = findEntry(payload, IDENTIFIER_LIST_CLAIM)
  const identifiers = list && findEntry(list, 'identifiers')
  const revoked = identifiers && readIdentifiers(identifiers)
  const times = [iat, exp, nbf, ttl]
  if (revoked === undefined || exp === undefined || times.some(Number.isNaN)) return err('invalid_claim')
  if (findEntry(payload, STATUS_LIST_CLAIM) !== undefined) return err('invalid_claim')
  const subject = findEntry(payload, 2)
  if ((subject !== undefined && sub === undefined) || (ttl !== undefined && ttl <= 0))
    return err('invalid_claim')
  return ok({ sub, iat, exp, nbf, ttl, list: revoked })
}

/**
 * Returns the identifiers, which are the keys of a map. The values of the map are ignored, because they have
 * no meaning for the status. Returns `undefined` if an identifier is invalid.
 */
function readIdentifiers(item: CborItem): RevokedIdentifiers | undefined {
  if (item.type !== 'map') return undefined
  const [bytes, text] = [new Set<string>(), new Set<string>()]
  for (const { key } of item.entries) {
    const identifier = readIdentifier(key)
    if (identifier === undefined) return undefined
    if (key.type === 'text') text.add(identifier)
    else bytes.add(identifier)
  }
  return { layout: 'identifiers', bytes, text }
}
