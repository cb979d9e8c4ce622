// Verification of the signer of a list. The only trusted signers are those that the operator has pinned, and
// those that a pinned authority certifies. The list itself cannot name a trusted signer.

import { equalBytes } from '../../codec/bytes.ts'
import { err, ok, type Result } from '../../result.ts'
import { fitsAlgorithm } from '../key-set.ts'
import type { TrustRefusal } from '../refusal.ts'
import type { Certificate } from '../x509/certificate.ts'
import {
  type CertificateChain,
  checkValidityPeriod,
  decodeCertificateChain,
  verifyCertificatePath,
} from '../x509/certificate-path.ts'
import { anchorCertificates } from '../x509/pem-certificates.ts'
import { subjectKeyJwk } from '../x509/subject-key.ts'
import type { DecodedList, SignedKind, TrustListError } from './listed.ts'

/**
 * The signer that is pinned for a list. With an authority, any signer that the authority certifies is
 * accepted; with `eku` the signer must have one of these usages. With a certificate, only this certificate is
 * accepted.
 */
export type ListSigner =
  | { readonly x509_ca_pem: string; readonly eku?: readonly string[] }
  | { readonly x509_certificate_pem: string }

/**
 * Verifies that one of `signers` signed a list. Returns the earliest expiry of the certificates in the
 * signer's path. `now` and the returned time are Unix seconds.
 */
export async function verifyListSignature(
  list: DecodedList,
  {
    kind,
    signers,
    now,
  }: { readonly kind: SignedKind; readonly signers: readonly ListSigner[]; readonly now: number },
): Promise<Result<{ readonly signerExpires: number }, TrustListError>> {
  let error: TrustListError = 'untrusted_signer'
  for (const signer of signers) {
    const path =
      'x509_ca_pem' in signer
        ? await findCertified(list, { ...signer, eku: signer.eku ?? SIGNER_USAGES[kind] }, now)
        : findPinned(list, signer.x509_certificate_pem, now)
    const fault = path.ok ? await checkSignature(list, path.value[0]) : path.error
    if (path.ok && fault === undefined)
      return ok({ signerExpires: Math.min(...path.value.map(({ notAfter }) => notAfter)) })
    // If several signers are pinned, the error of the actual signer is more useful than `untrusted_signer`.
    if (error === 'untrusted_signer') error = fault ?? error
  }
  return err(error)
}

/**
 * Extended key usages that a signer must have if the operator gives none. ISO/IEC 18013-5 Annex C.1.7.2 names
 * the usage for signers of VICALs. ETSI names no usage for its lists.
 */
const SIGNER_USAGES: Readonly<Record<SignedKind, readonly string[] | undefined>> = {
  etsi_lote: undefined,
  vical: ['1.0.18013.5.1.8'],
}

/**
 * Returns the pinned certificate, if the certificate is valid now. If the list contains a leaf certificate,
 * the leaf must equal the pinned certificate byte for byte.
 */
function findPinned(
  { chain }: DecodedList,
  pem: string,
  now: number,
): Result<CertificateChain, TrustListError> {
  const [pinned] = anchorCertificates(pem)
  const leaf = chain?.[0]
  if (pinned === undefined || (leaf !== undefined && !equalBytes(leaf, pinned.encoded)))
    return err('untrusted_signer')
  const refusal = checkValidityPeriod(pinned, now)
  return refusal === undefined ? ok([pinned]) : err(toListError(refusal))
}

/** Returns the verified path from the list's signer to the authority. */
async function findCertified(
  { chain }: DecodedList,
  { x509_ca_pem, eku }: { readonly x509_ca_pem: string; readonly eku: readonly string[] | undefined },
  now: number,
): Promise<Result<CertificateChain, TrustListError>> {
  const authorities = anchorCertificates(x509_ca_pem)
  const decoded = decodeCertificateChain(withoutAnchor(chain ?? [], authorities))
  if (!decoded.ok) return err(chain === undefined ? 'untrusted_signer' : toListError(decoded.error))
  // `acceptsCommitment`: signers of VICALs have only the key usage contentCommitment, in Annex C and in
  // published VICALs.
  const demands = authorities.map((certificate) => {
    return { certificate, extendedKeyUsage: eku, acceptsCommitment: true }
  })
  const path = await verifyCertificatePath(decoded.value, demands, now)
  return path.ok ? ok([...decoded.value, path.value.authority.certificate]) : err(toListError(path.error))
}

/**
 * Removes a pinned authority from the end of the chain. Publishers of VICALs send the authority there,
 * although it is not needed. An authority at any other place stays in the chain. `verifyCertificatePath` then
 * skips this authority.
 */
function withoutAnchor(
  chain: readonly Uint8Array<ArrayBuffer>[],
  authorities: readonly Certificate[],
): readonly Uint8Array<ArrayBuffer>[] {
  const top = chain.at(-1)
  const isAnchor = top !== undefined && authorities.some(({ encoded }) => equalBytes(encoded, top))
  return isAnchor ? chain.slice(0, -1) : chain
}

async function checkSignature(
  list: DecodedList,
  { subjectKey }: Certificate,
): Promise<TrustListError | undefined> {
  const key = subjectKey && subjectKeyJwk(subjectKey)
  if (key === undefined || !fitsAlgorithm(key, list.algorithm)) return 'unsupported_algorithm'
  return (await list.verify(key)) ? undefined : 'invalid_signature'
}

function toListError({ reason }: TrustRefusal): TrustListError {
  return reason === 'untrusted_issuer' ? 'untrusted_signer' : reason
}
