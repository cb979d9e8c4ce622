// Bitstring Status List 1.0 (W3C), and its predecessor StatusList2021: revocation or suspension of a
// credential. Call `checkBitstringStatus` only for a credential with a verified signature.

import { decodeEach } from '../../codec/decode-each.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { BITSTRING_STATUS_LIST } from './bitstring-status-token.ts'
import type { StatusContext } from './status-context.ts'
import { checkStatuses, type DatedStatus, type StatusReference } from './status-list.ts'
import type { StatusListError } from './status-token.ts'

/**
 * Reads every entry of `credentialStatus` and returns the worst status. Never throws. A status that cannot be
 * checked is never returned as valid.
 */
export async function checkBitstringStatus(
  credentialStatus: Json,
  context: StatusContext,
): Promise<Result<DatedStatus, StatusListError>> {
  const references = parseEntries(credentialStatus)
  if (!references.ok) return references
  return checkStatuses(references.value, context)
}

const ENTRY_TYPES: readonly (Json | undefined)[] = ['BitstringStatusListEntry', 'StatusList2021Entry']

/**
 * Parses `credentialStatus`, which is one entry or a list (§2.1). One unreadable entry makes the whole status
 * unknown.
 */
function parseEntries(credentialStatus: Json): Result<readonly StatusReference[], StatusListError> {
  const entries = Array.isArray(credentialStatus) ? credentialStatus : [credentialStatus]
  const parse = (entry: Json) => (isJsonObject(entry) ? parseEntry(entry) : undefined)
  const references = decodeEach(entries, parse, STATUS_LIST.entries)
  return references === undefined ? err('unsupported_mechanism') : ok(references)
}

/**
 * Parses one entry (§2.1). Returns `undefined` if the entry is unreadable, or if its purpose is neither
 * `revocation` nor `suspension`.
 */
function parseEntry(entry: JsonObject): StatusReference | undefined {
  const [purpose, uri] = [member(entry, 'statusPurpose'), member(entry, 'statusListCredential')]
  const index = parseIndex(member(entry, 'statusListIndex'))
  if (!ENTRY_TYPES.includes(member(entry, 'type')) || (member(entry, 'statusSize') ?? 1) !== 1)
    return undefined
  if (typeof uri !== 'string' || uri.length > STATUS_LIST.uriLength || index === undefined) return undefined
  return purpose === 'revocation' || purpose === 'suspension'
    ? { uri, index, form: BITSTRING_STATUS_LIST, purpose }
    : undefined
}

/** Parses an index, which is a text of decimal digits. Returns `undefined` for any other value. */
function parseIndex(text: Json | undefined): number | undefined {
  return typeof text === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined
}
