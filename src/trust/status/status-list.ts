// Revocation of a credential by a Token Status List (draft-ietf-oauth-status-list §8) or by another kind of
// status list. A status that cannot be checked is unknown, and must not be treated as valid. Call
// `checkStatus` only for a credential with a verified signature.

import { type CborItem, findEntry, readInteger, readText } from '../../codec/cbor.ts'
import { decodeEach } from '../../codec/decode-each.ts'
import { isJsonObject, type Json, member } from '../../codec/json.ts'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { IDENTIFIER_LIST_CWT, isRevoked, readIdentifier } from './identifier-list.ts'
import { readStatusToken } from './status-cache.ts'
import type { StatusContext } from './status-context.ts'
import { STATUS_LIST_CWT } from './status-cwt.ts'
import { readStatus } from './status-inflate.ts'
import { STATUS_LIST_JWT } from './status-jwt.ts'
import { verifyStatusSigner } from './status-signer.ts'
import {
  checkStatusClaims,
  type StatusListClaims,
  type StatusListError,
  type StatusListForm,
} from './status-token.ts'

/**
 * The place of a verified credential's status (§6): the address of the list, and the index of the entry or
 * the identifier of the credential.
 */
export type StatusReference = { readonly uri: string; readonly form: StatusListForm } & (
  | {
      readonly index: number
      /** Meaning of the value 1 (Bitstring Status List §2.1). Absent for a Token Status List. */
      readonly purpose?: 'revocation' | 'suspension'
    }
  | { readonly identifier: string }
)

/**
 * Status of a credential (§7.1). `invalid` means revoked for good. `other` is a value whose meaning is not
 * known here. `unconfirmed` means that the entry is valid, but the revocation of the list's signer is
 * unknown. `unconfirmed` is returned only if the relying party's setting is `accept_unknown`.
 */
type CredentialStatus = 'valid' | 'invalid' | 'suspended' | 'other' | 'unconfirmed'

/**
 * A status, and the time when its list was fetched (Unix seconds). The relying party gets this time. The
 * `iat` of the list is not used, because it could reveal to the relying party which list was fetched.
 */
export type DatedStatus = { readonly status: CredentialStatus; readonly asOf: number }

/**
 * Returns the status that a reference names. The list comes from the cache or is fetched. The credential's
 * own anchor, or an anchor with the purpose `status` for the credential's type, must trust the signer of the
 * list (api/trust). Never throws. If the status cannot be checked, the result is an error.
 */
export async function checkStatus(
  reference: StatusReference,
  context: StatusContext,
): Promise<Result<DatedStatus, StatusListError>> {
  const entry = await readEntry(reference, context)
  return entry.ok ? ok({ status: interpret(entry.value, reference), asOf: entry.value.asOf }) : entry
}

/** Returns the worst status of all references. There must be at least one reference. */
export async function checkStatuses(
  references: readonly StatusReference[],
  context: StatusContext,
): Promise<StatusResult> {
  const results = await Promise.all(references.map((reference) => checkStatus(reference, context)))
  return results.reduce(chooseWorse)
}

type StatusResult = Result<DatedStatus, StatusListError>

// `suspended` is worse than `unknown`: if one list suspends a credential, the credential is rejected even if
// another list cannot be checked.
const WORST_FIRST = ['invalid', 'suspended', 'other', 'unknown', 'unconfirmed', 'valid']

/**
 * Returns the worse of two results. If both have the same known status, returns the result with the older
 * `asOf`.
 */
export function chooseWorse(a: StatusResult, b: StatusResult): StatusResult {
  const order = rankOf(b) - rankOf(a)
  if (a.ok && b.ok && order === 0) return b.value.asOf < a.value.asOf ? b : a
  return order < 0 ? b : a
}

function rankOf(found: StatusResult): number {
  return WORST_FIRST.indexOf(found.ok ? found.value.status : 'unknown')
}

/**
 * Reads the `status` claim of a JWT or SD-JWT credential (§6.2). Only the mechanism `status_list` is read.
 * The result is an error if there is no readable `status_list`.
 */
export function parseStatusClaim(status: Json): StatusReferences {
  const list = isJsonObject(status) ? member(status, 'status_list') : undefined
  const reference = isJsonObject(list)
    ? buildReference(member(list, 'uri'), member(list, 'idx'), STATUS_LIST_JWT)
    : undefined
  return reference === undefined ? err('unsupported_mechanism') : ok([reference])
}

/**
 * Reads the `status` element of a Mobile Security Object (§6.3; ISO/IEC 18013-5 second edition §12.3.6). The
 * element may name a status list, an identifier list or both. One unreadable reference makes the whole status
 * unknown. The `certificate` of a reference is ignored, because only anchors give trust.
 */
export function parseStatusElement(status: CborItem): StatusReferences {
  const elements = [
    { element: findEntry(status, 'status_list'), parse: parseIndexElement },
    { element: findEntry(status, 'identifier_list'), parse: parseIdentifierElement },
  ].filter(({ element }) => element !== undefined)
  const references = decodeEach(elements, ({ element, parse }) => element && parse(element))
  return references === undefined ? err('unsupported_mechanism') : ok(references)
}

type StatusReferences = Result<readonly StatusReference[], StatusListError>

function parseIndexElement(list: CborItem): StatusReference | undefined {
  return buildReference(
    readText(findEntry(list, 'uri')),
    readInteger(findEntry(list, 'idx')),
    STATUS_LIST_CWT,
  )
}

function parseIdentifierElement(list: CborItem): StatusReference | undefined {
  const [uri, identifier] = [readText(findEntry(list, 'uri')), readIdentifier(findEntry(list, 'id'))]
  if (uri === undefined || uri.length > STATUS_LIST.uriLength || identifier === undefined) return undefined
  return { uri, identifier, form: IDENTIFIER_LIST_CWT }
}

/**
 * Returns the status that an entry means. In a Bitstring Status List the purpose gives the value 1 its
 * meaning. In a Token Status List the draft defines the values (§7.1).
 */
function interpret({ entry, isConfirmed }: Entry, reference: StatusReference): CredentialStatus {
  const purpose = readPurpose(reference)
  const status = STATUSES[purpose === 'suspension' && entry === 1 ? 2 : entry] ?? 'other'
  return status === 'valid' && !isConfirmed ? 'unconfirmed' : status
}

function readPurpose(reference: StatusReference) {
  return 'identifier' in reference ? undefined : reference.purpose
}

type Entry = {
  readonly entry: number
  readonly asOf: number
  /** False if the revocation of a certificate of the list's signer is unknown. True if it is not checked. */
  readonly isConfirmed: boolean
}

const STATUSES: readonly CredentialStatus[] = ['valid', 'invalid', 'suspended']

function buildReference(uri: unknown, index: unknown, form: StatusListForm): StatusReference | undefined {
  if (typeof uri !== 'string' || uri.length > STATUS_LIST.uriLength) return undefined
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) return undefined
  return { uri, index, form }
}

async function readEntry(
  reference: StatusReference,
  context: StatusContext,
): Promise<Result<Entry, StatusListError>> {
  const remembered = await readStatusToken(reference, context)
  if (!remembered.ok) return remembered
  const { token, fetchedAt, held } = remembered.value
  const error = checkStatusClaims(token.claims, { ...context, uri: reference.uri })
  if (error !== undefined) return err(error)
  const purpose = readPurpose(reference)
  if (purpose !== undefined && !token.claims.purposes?.includes(purpose)) return err('another_list')
  const trusted = await verifyStatusSigner(remembered.value, context)
  if (!trusted.ok) return trusted
  const entry = readList(token.claims.list, reference, held)
  return entry.ok ? ok({ ...trusted.value, entry: entry.value, asOf: fetchedAt }) : entry
}

function readList(
  list: StatusListClaims['list'],
  reference: StatusReference,
  held: Uint8Array | undefined,
): Result<number, StatusListError> {
  if (list.layout !== 'identifiers')
    return 'identifier' in reference ? err('another_list') : readStatus(list, reference.index, held)
  if (!('identifier' in reference)) return err('another_list')
  const revoked = isRevoked(list, reference.identifier)
  return revoked.ok ? ok(revoked.value ? 1 : 0) : revoked
}
