// Token Status List (draft-ietf-oauth-status-list §8): revocation of a credential. A status that cannot be
// checked is unknown, and must not count as valid. Call this only for a credential with a verified signature.

import { type CborItem, entryOf, integerOf, textOf } from '../../codec/cbor.ts'
import { decodeEach } from '../../codec/decode-each.ts'
import { isJsonObject, type Json, member } from '../../codec/json.ts'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { identifierOf, isRevoked } from './identifier-list.ts'
import { readStatusToken } from './status-cache.ts'
import type { StatusContext } from './status-context.ts'
import { readStatus } from './status-inflate.ts'
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
export type StatusReference = { readonly uri: string } & (
  | {
      readonly form: Exclude<StatusListForm, 'identifiers'>
      readonly index: number
      /** Meaning of a set entry, if the reference has one (Bitstring Status List §2.1). */
      readonly purpose?: 'revocation' | 'suspension'
    }
  | { readonly form: 'identifiers'; readonly identifier: string }
)

/**
 * §7.1. `invalid` means revoked for good. `other` is a value with a private meaning. `unconfirmed` is a valid
 * entry of a signer whose revocation is unknown, which the relying party accepts. Only `valid` is valid.
 */
type CredentialStatus = 'valid' | 'invalid' | 'suspended' | 'other' | 'unconfirmed'

/**
 * A status, and when its list was fetched (Unix seconds). The list's own `iat` would reveal which list it
 * was.
 */
export type DatedStatus = { readonly status: CredentialStatus; readonly asOf: number }

/**
 * Reads the entry. The list comes from the cache or its address. The credential's own anchor, or a `status`
 * anchor of its type, must trust its signer (api/trust). Never throws, never fails open.
 */
export async function checkStatus(
  reference: StatusReference,
  context: StatusContext,
): Promise<Result<DatedStatus, StatusListError>> {
  const found = await readEntry(reference, context)
  return found.ok ? ok({ status: meaningOf(found.value, reference), asOf: found.value.asOf }) : found
}

/** Reads the status at every reference, at least one, and returns the worst. */
export async function checkStatuses(
  references: readonly StatusReference[],
  context: StatusContext,
): Promise<StatusResult> {
  const found = await Promise.all(references.map((reference) => checkStatus(reference, context)))
  return found.reduce(worseOf)
}

type StatusResult = Result<DatedStatus, StatusListError>

// A suspended credential whose revocation is unknown is "suspended": that alone is enough for a refusal.
const WORST_FIRST = ['invalid', 'suspended', 'other', 'unknown', 'unconfirmed', 'valid']

/** Returns the worse of two results, or the older of two equal results. */
export function worseOf(a: StatusResult, b: StatusResult): StatusResult {
  const order = rankOf(b) - rankOf(a)
  if (a.ok && b.ok && order === 0) return b.value.asOf < a.value.asOf ? b : a
  return order < 0 ? b : a
}

function rankOf(found: StatusResult): number {
  return WORST_FIRST.indexOf(found.ok ? found.value.status : 'unknown')
}

/**
 * Reads the `status` claim of a JWT or SD-JWT credential (§6.2). Mechanisms other than `status_list` are
 * skipped.
 */
export function parseStatusClaim(status: Json): StatusReferences {
  const list = isJsonObject(status) ? member(status, 'status_list') : undefined
  const reference = isJsonObject(list)
    ? buildReference(member(list, 'uri'), member(list, 'idx'), 'jwt')
    : undefined
  return reference === undefined ? err('unsupported_mechanism') : ok([reference])
}

/**
 * Reads the `status` element of a Mobile Security Object (§6.3; ISO/IEC 18013-5 second edition §12.3.6). It
 * may name a status list and an identifier list. An unreadable reference makes the whole status unknown. The
 * `certificate` of a reference is not used: trust comes from anchors alone.
 */
export function parseStatusElement(status: CborItem): StatusReferences {
  const elements = [
    { element: entryOf(status, 'status_list'), parse: parseIndexElement },
    { element: entryOf(status, 'identifier_list'), parse: parseIdentifierElement },
  ].filter(({ element }) => element !== undefined)
  const references = decodeEach(elements, ({ element, parse }) => element && parse(element))
  return references === undefined ? err('unsupported_mechanism') : ok(references)
}

type StatusReferences = Result<readonly StatusReference[], StatusListError>

function parseIndexElement(list: CborItem): StatusReference | undefined {
  return buildReference(textOf(entryOf(list, 'uri')), integerOf(entryOf(list, 'idx')), 'cwt')
}

function parseIdentifierElement(list: CborItem): StatusReference | undefined {
  const [uri, identifier] = [textOf(entryOf(list, 'uri')), identifierOf(entryOf(list, 'id'))]
  if (uri === undefined || uri.length > STATUS_LIST.uriLength || identifier === undefined) return undefined
  return { uri, identifier, form: 'identifiers' }
}

/**
 * A bit has the meaning of its list's purpose. The values of a Token Status List are those of the draft
 * (§7.1).
 */
function meaningOf({ entry, isConfirmed }: Entry, reference: StatusReference): CredentialStatus {
  const purpose = purposeOf(reference)
  const status = STATUSES[purpose === 'suspension' && entry === 1 ? 2 : entry] ?? 'other'
  return status === 'valid' && !isConfirmed ? 'unconfirmed' : status
}

function purposeOf(reference: StatusReference) {
  return reference.form === 'identifiers' ? undefined : reference.purpose
}

type Entry = {
  readonly entry: number
  readonly asOf: number
  /** True if the list's signer is not revoked, or if this is not checked. */
  readonly isConfirmed: boolean
}

const STATUSES: readonly CredentialStatus[] = ['valid', 'invalid', 'suspended']

function buildReference(uri: unknown, index: unknown, form: 'jwt' | 'cwt'): StatusReference | undefined {
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
  const error = checkStatusClaims(token.claims, { uri: reference.uri, now: context.now })
  if (error !== undefined) return err(error)
  const purpose = purposeOf(reference)
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
    return reference.form === 'identifiers' ? err('another_list') : readStatus(list, reference.index, held)
  if (reference.form !== 'identifiers') return err('another_list')
  const revoked = isRevoked(list, reference.identifier)
  return revoked.ok ? ok(revoked.value ? 1 : 0) : revoked
}
