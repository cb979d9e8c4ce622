// Token Status List (draft-ietf-oauth-status-list §8): revocation of a credential. A status that cannot be
// checked is unknown, and must not count as valid. Call this only for a credential with a verified signature.

import { type CborItem, entryOf } from '../../codec/cbor.ts'
import { isJsonObject, type Json, member } from '../../codec/json.ts'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { readStatusToken } from './status-cache.ts'
import type { StatusContext } from './status-context.ts'
import { readStatus } from './status-inflate.ts'
import { verifyStatusSigner } from './status-signer.ts'
import { checkStatusClaims, type StatusListError, type StatusListForm } from './status-token.ts'

/** The place of a verified credential's status (§6): the address of the list, and the index of the entry. */
export type StatusReference = {
  readonly uri: string
  readonly index: number
  readonly form: StatusListForm
  /** Meaning of a set entry, if the reference has one (Bitstring Status List §2.1). */
  readonly purpose?: 'revocation' | 'suspension'
}

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
 * anchor of its type, must trust its signer (CONTRACT 8). Never throws, never fails open.
 */
export async function checkStatus(
  reference: StatusReference,
  context: StatusContext,
): Promise<Result<DatedStatus, StatusListError>> {
  const found = await readEntry(reference, context)
  return found.ok ? ok({ status: meaningOf(found.value, reference), asOf: found.value.asOf }) : found
}

/**
 * Reads the `status` claim of a JWT or SD-JWT credential (§6.2). Mechanisms other than `status_list` are
 * skipped.
 */
export function parseStatusClaim(status: Json): Result<StatusReference, StatusListError> {
  const list = isJsonObject(status) ? member(status, 'status_list') : undefined
  return isJsonObject(list)
    ? buildReference(member(list, 'uri'), member(list, 'idx'), 'jwt')
    : err('unsupported_mechanism')
}

/** Reads the `status` element of a Mobile Security Object, or claim 65535 of a CWT (§6.3). */
export function parseStatusElement(status: CborItem): Result<StatusReference, StatusListError> {
  const list = entryOf(status, 'status_list')
  const [uri, idx] = [list && entryOf(list, 'uri'), list && entryOf(list, 'idx')]
  return uri?.type === 'text' && idx?.type === 'integer'
    ? buildReference(uri.value, idx.value, 'cwt')
    : err('unsupported_mechanism')
}

/**
 * A bit has the meaning of its list's purpose. The values of a Token Status List are those of the draft
 * (§7.1).
 */
function meaningOf({ entry, isConfirmed }: Entry, { purpose }: StatusReference): CredentialStatus {
  const status = STATUSES[purpose === 'suspension' && entry === 1 ? 2 : entry] ?? 'other'
  return status === 'valid' && !isConfirmed ? 'unconfirmed' : status
}

type Entry = {
  readonly entry: number
  readonly asOf: number
  /** True if the list's signer is not revoked, or if this is not checked. */
  readonly isConfirmed: boolean
}

const STATUSES: readonly CredentialStatus[] = ['valid', 'invalid', 'suspended']

function buildReference(
  uri: unknown,
  index: unknown,
  form: StatusListForm,
): Result<StatusReference, StatusListError> {
  if (typeof uri !== 'string' || uri.length > STATUS_LIST.uriLength) return err('unsupported_mechanism')
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    return err('unsupported_mechanism')
  return ok({ uri, index, form })
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
  if (reference.purpose !== undefined && !token.claims.purposes?.includes(reference.purpose))
    return err('another_list')
  const trusted = await verifyStatusSigner(remembered.value, context)
  if (!trusted.ok) return trusted
  const entry = readStatus(token.claims.list, reference.index, held)
  return entry.ok ? ok({ ...trusted.value, entry: entry.value, asOf: fetchedAt }) : entry
}
