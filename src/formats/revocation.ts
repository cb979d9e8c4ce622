// The last checks of every format: have its issuer's certificates, and has the issuer the credential, been taken back? They are
// asked only of a credential for which all else holds: whoever serves a list learns of the question, and a forgery has no status
// (Token Status List §8.3).

import { err, ok, type Result } from '../result.ts'
import type { TrustedSigner } from '../trust/anchors/signer.ts'
import type { TrustRefusal } from '../trust/refusal.ts'
import { checkCertificates } from '../trust/revocation/certificate-revocation.ts'
import {
  checkStatus,
  type DatedStatus,
  type StatusContext,
  type StatusListRefusal,
  type StatusReference,
} from '../trust/status/status-list.ts'
import type {
  AcceptedStanding,
  CheckResult,
  Context,
  CredentialReason,
  CredentialType,
  StatusRefusal,
  VerifiedCredential,
} from './format.ts'

/** Reads the status at the place the credential names; what it names must have been signed by its issuer. */
export type ReadStatus = () => Promise<Result<DatedStatus, StatusListRefusal>>

/** What is asked about. `read` is undefined for a credential that names no status. */
export type Question = { readonly issuer: TrustedSigner; readonly read: ReadStatus | undefined }

/** What a credential's time and its issuer say against it, and how its status was found. */
export type Standing = Pick<VerifiedCredential, 'certificates' | 'status' | 'statusAsOf' | 'findings'>

/** Adds to what `validity` found whether issuer and credential still stand. */
export async function checkRevocation(
  { issuer, read }: Question,
  validity: readonly CredentialReason[],
  context: Context,
): Promise<Result<Standing, StatusRefusal | TrustRefusal>> {
  const certificates = await checkIssuer(issuer, context)
  if (!certificates.ok) return certificates
  const status = await checkCredential(read, validity, context)
  return status.ok ? ok({ ...certificates.value, ...status.value }) : status
}

/** A revoked signer's word is nobody's, expired or not: no finding of an authentic credential, but a refusal. */
async function checkIssuer(
  { path }: TrustedSigner,
  { certificateRevocation = 'off', trace, ...source }: Context,
): Promise<Result<{ readonly certificates?: AcceptedStanding }, TrustRefusal>> {
  const isAsked = certificateRevocation !== 'off' && path.length > 0
  const found = isAsked ? await checkCertificates(path, source) : undefined
  trace('certificate_revocation', RESULTS[found?.status ?? 'not_present'])
  if (found === undefined) return ok({})
  if (found.status === 'revoked') return err({ reason: 'certificate_revoked' })
  return found.status === 'unavailable' && certificateRevocation === 'require'
    ? err({ reason: 'certificate_status_unavailable' })
    : ok({ certificates: found })
}

const RESULTS = { valid: 'pass', revoked: 'fail', unavailable: 'fail', not_present: 'skip' } as const

/** One that is out of time is not asked about: no policy accepts it anyway, and its status stays `null`. */
async function checkCredential(
  read: ReadStatus | undefined,
  validity: readonly CredentialReason[],
  { trace, statusUnavailable }: Pick<Context, 'trace' | 'statusUnavailable'>,
): Promise<Result<Standing, StatusRefusal>> {
  const traced = (
    result: CheckResult,
    known: Omit<Standing, 'findings'>,
    ...findings: readonly CredentialReason[]
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
    if (status === 'unconfirmed') return traced('fail', { status: 'unavailable' })
  }
  // Not to be known, or known to be something of the issuer's own: no setting makes that acceptable (§7.1).
  trace('status', 'fail')
  return err({ reason: 'status_unavailable' })
}

/** A credential's type, and the anchor that vouches for it. */
type Vouched = { readonly type: CredentialType; readonly anchor: TrustedSigner['anchor'] }

/** What its status is asked with. */
export function statusContext(
  { type, anchor }: Vouched,
  { now, anchors, fetchResource, sharedCache, certificateRevocation = 'off' }: Context,
): StatusContext {
  const world = { now, anchors, fetchResource, sharedCache, certificateRevocation }
  return { ...world, credentialType: type, credentialAnchor: anchor }
}

/** Reads a Token Status List. */
export function listedStatus(
  reference: Result<StatusReference, StatusListRefusal>,
  credential: Vouched,
  context: Context,
): ReadStatus {
  return async () =>
    reference.ok ? checkStatus(reference.value, statusContext(credential, context)) : reference
}
