// The last checks of every format: validity, then revocation of the issuer's certificates and of the
// credential. Revocation is checked only for an authentic credential, for two reasons. The server of a status
// list learns of each check. A forged credential has no status (Token Status List §8.3).

import { encodeBase64url } from '../../codec/base64url.ts'
import { jwkThumbprint, type PublicJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustedSigner } from '../../trust/anchors/signer.ts'
import type { TrustRefusal } from '../../trust/refusal.ts'
import { NOT_CHECKED } from '../../trust/revocation/certificate-revocation.ts'
import type { StatusContext } from '../../trust/status/status-context.ts'
import { checkStatuses, type DatedStatus, type StatusReference } from '../../trust/status/status-list.ts'
import type { StatusListError } from '../../trust/status/status-token.ts'
import type {
  CheckResult,
  Context,
  CredentialReason,
  CredentialType,
  PresentationRefusal,
  StatusRefusal,
  VerifiedCredential,
} from './format.ts'

/**
 * Reads the status of a credential from the list that the credential refers to. The issuer of the credential
 * must have signed the reference.
 */
export type ReadStatus = (context: StatusContext) => Promise<Result<DatedStatus, StatusListError>>

/** A credential that has passed every check that comes before the check of its validity period. */
type CheckedCredential = Pick<
  VerifiedCredential,
  'format' | 'typeIdentifier' | 'claims' | 'holderBound' | 'confirmed'
> & {
  readonly type: CredentialType
  readonly issuer: TrustedSigner
  readonly holderKey: PublicJwk | undefined
  /** `undefined` if the credential refers to no status list. */
  readonly readStatus: ReadStatus | undefined
}

/** Completes a verification. `validity` is the result of the format's check of times. */
export async function completeVerification(
  { type, issuer, holderKey, readStatus, ...credential }: CheckedCredential,
  validity: Result<readonly CredentialReason[], PresentationRefusal>,
  context: Context,
): Promise<Result<VerifiedCredential, PresentationRefusal>> {
  context.trace('validity', validity.ok && validity.value.length === 0 ? 'pass' : 'fail')
  if (!validity.ok) return validity
  const certificates = await checkIssuer(issuer, context)
  if (!certificates.ok) return certificates
  const { now, clockSkew, anchors, fetchResource, sharedCache, signerProfile } = context
  const { certificateRevocation = 'off', checkCertificates } = context
  const read =
    readStatus &&
    (() =>
      readStatus({
        ...{ now, clockSkew, anchors, fetchResource, sharedCache, certificateRevocation, checkCertificates },
        ...signerProfile,
        credentialType: type,
        credentialAnchor: issuer.anchor,
        signerUsages: issuer.path[0]?.extensions.extendedKeyUsage,
      }))
  const status = await checkCredential(read, validity.value, context)
  if (!status.ok) return status
  return ok({
    ...credential,
    ...(holderKey && { holderKey: encodeBase64url(await jwkThumbprint(holderKey)) }),
    credentialType: type.name,
    issuer: issuer.issuer,
    anchor: issuer.anchor,
    subjectNamespace: issuer.subjectNamespace,
    authorityKeyIdentifiers: issuer.authorityKeyIdentifiers,
    issuerPath: issuer.path,
    ...certificates.value,
    ...status.value,
  })
}

/** Returns a function that checks these references to status lists; `undefined` without references. */
export function tokenStatus(
  references: Result<readonly StatusReference[], StatusListError> | undefined,
): ReadStatus | undefined {
  return (
    references && (async (context) => (references.ok ? checkStatuses(references.value, context) : references))
  )
}

/**
 * Checks the revocation of the issuer's certificates. Refuses a credential of a revoked signer even if the
 * credential has expired, because the signature no longer proves the issuer.
 */
async function checkIssuer(
  { path }: TrustedSigner,
  { certificateRevocation = 'off', checkCertificates, trace, ...source }: Context,
): Promise<Result<Pick<VerifiedCredential, 'certificates'>, TrustRefusal>> {
  const isRequested = certificateRevocation !== 'off' && path.length > 0
  const certificates = isRequested ? ((await checkCertificates?.(path, source)) ?? NOT_CHECKED) : undefined
  trace('certificate_revocation', RESULTS[certificates?.status ?? 'not_present'])
  if (certificates === undefined) return ok({})
  if (certificates.status === 'revoked') return err({ reason: 'certificate_revoked' })
  return certificates.status === 'unavailable' && certificateRevocation === 'require'
    ? err({ reason: 'certificate_status_unavailable' })
    : ok({ certificates })
}

const RESULTS = { valid: 'pass', revoked: 'fail', unavailable: 'fail', not_present: 'skip' } as const

/**
 * Checks the revocation of the credential. Skips a credential outside its validity period, because no policy
 * accepts it. The status is then `null`.
 */
async function checkCredential(
  read: (() => ReturnType<ReadStatus>) | undefined,
  validity: readonly CredentialReason[],
  { trace, statusUnavailable }: Context,
): Promise<Result<Pick<VerifiedCredential, 'status' | 'statusAsOf' | 'reasons'>, StatusRefusal>> {
  const traced = (
    result: CheckResult,
    known: Pick<VerifiedCredential, 'status' | 'statusAsOf'>,
    ...reasons: readonly CredentialReason[]
  ) => {
    trace('status', result)
    return ok({ ...known, reasons: [...validity, ...reasons] })
  }
  if (read === undefined) return traced('skip', { status: 'not_present' })
  if (validity.length > 0) return traced('skip', { status: null })
  const dated = await read()
  if (!dated.ok && statusUnavailable === 'accept') return traced('fail', { status: 'unavailable' })
  if (dated.ok) {
    const { status, asOf: statusAsOf } = dated.value
    if (status === 'valid') return traced('pass', { status, statusAsOf })
    if (status === 'invalid') return traced('fail', { status: 'revoked', statusAsOf }, 'credential_revoked')
    if (status === 'suspended') return traced('fail', { status, statusAsOf }, 'credential_suspended')
    if (status === 'unconfirmed') return traced('fail', { status: 'unavailable' })
  }
  // The settings do not accept an unavailable status. No setting accepts an application-specific status
  // (§7.1).
  trace('status', 'fail')
  return err({ reason: 'status_unavailable' })
}
