// The last check of every format: has the issuer taken the credential back? It is asked only of a credential for which all
// else holds: whoever serves the list learns of the question, and a forgery has no status (Token Status List §8.3).

import { err, ok, type Result } from '../result.ts'
import type { TrustedSigner } from '../trust/signer.ts'
import {
  checkStatus,
  type FoundStatus,
  type StatusReference,
  type StatusUnavailable,
} from '../trust/status-list.ts'
import type {
  CheckResult,
  Context,
  CredentialType,
  Finding,
  StatusRejection,
  VerifiedCredential,
} from './format.ts'

/** Reads the status at the place the credential names; what it names must have been signed by its issuer. */
export type ReadStatus = () => Promise<Result<FoundStatus, StatusUnavailable>>

/** What a credential's time and its issuer say against it, and how its status was found. */
export type Standing = Pick<VerifiedCredential, 'status' | 'statusAsOf' | 'findings'>

/**
 * Adds the status to what `validity` found. `read` is undefined for a credential that names no status. One that is out of
 * time is not asked about: no policy accepts it anyway, and its status stays `null`.
 */
export async function checkRevocation(
  read: ReadStatus | undefined,
  validity: readonly Finding[],
  { trace, statusUnavailable }: Pick<Context, 'trace' | 'statusUnavailable'>,
): Promise<Result<Standing, StatusRejection>> {
  const traced = (
    result: CheckResult,
    known: Omit<Standing, 'findings'>,
    ...findings: readonly Finding[]
  ) => {
    trace('status', result)
    return ok({ ...known, findings: [...validity, ...findings] })
  }
  if (read === undefined) return traced('skip', { status: 'not_present' })
  if (validity.length > 0) return traced('skip', { status: null })
  const found = await read()
  if (!found.ok && statusUnavailable === 'accept') return traced('fail', { status: 'unavailable' })
  if (found.ok) {
    const { status, asOf: statusAsOf } = found.value
    if (status === 'valid') return traced('pass', { status, statusAsOf })
    if (status === 'invalid') return traced('fail', { status: 'revoked', statusAsOf }, 'credential_revoked')
    if (status === 'suspended') return traced('fail', { status, statusAsOf }, 'credential_suspended')
  }
  // Not to be known, or known to be something of the issuer's own: no setting makes that acceptable (§7.1).
  trace('status', 'fail')
  return err({ reason: 'status_unavailable' })
}

/** Reads a Token Status List for a credential that `anchor` vouches for. */
export function listedStatus(
  reference: Result<StatusReference, StatusUnavailable>,
  credential: { readonly type: CredentialType; readonly anchor: TrustedSigner['anchor'] },
  { now, anchors, fetchResource, sharedCache }: Context,
): ReadStatus {
  const context = { now, anchors, fetchResource, sharedCache }
  const { type: credentialType, anchor: credentialAnchor } = credential
  return async () =>
    reference.ok ? checkStatus(reference.value, { ...context, credentialType, credentialAnchor }) : reference
}
