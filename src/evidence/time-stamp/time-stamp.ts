// The strict check of a time stamp (RFC 3161 §2.4.2, RFC 5816). The token is checked when it arrives, because
// a wrong token cannot be replaced years later. The offline verifier checks the token again.

import { equalBytes } from '../../codec/bytes.ts'
import { DER, decodeDer, readObjectIdentifier, readSmallInteger } from '../../codec/der.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Certificate } from '../../trust/x509/certificate.ts'
import { type CertificateChain, verifyCertificatePath } from '../../trust/x509/certificate-path.ts'
import { verifyCertificateSignature } from '../../trust/x509/certificate-signature.ts'
import { isSameName } from '../../trust/x509/distinguished-name.ts'
import { decodePemCertificates } from '../../trust/x509/pem-certificates.ts'
import { TIME_STAMP } from '../limits.ts'
import { readHash, verifySignerSignature } from './signature.ts'
import { decodeSignedData, type SignedData, sequence, TST_INFO } from './signed-data.ts'
import { decodeTstInfo, type TstInfo } from './tst-info.ts'

/** Reasons to reject a time stamp. `rejected`: the authority refused the query. */
export type TimeStampError =
  | 'malformed'
  | 'rejected'
  | 'wrong_digest'
  | 'wrong_nonce'
  | 'wrong_time'
  | 'wrong_certificate'
  | 'wrong_usage'
  | 'invalid_signature'
  | 'untrusted_authority'

/** An authentic time stamp. `checkAuthority` then checks if its authority is trusted. */
export type AuthenticTimeStamp = Pick<TstInfo, 'policy' | 'serialNumber' | 'genTime'> & {
  /** Certificate of the signer. */
  readonly certificate: Certificate
  readonly data: SignedData
}

/** Digest and nonce that a time stamp must have. The offline verifier does not have the nonce. */
type Expected = {
  readonly digest: Uint8Array<ArrayBuffer>
  readonly nonce?: Uint8Array<ArrayBuffer>
}

const SHA_256 = '2.16.840.1.101.3.4.2.1'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47'

/**
 * Checks the reply to a query, and returns its token. `authorities`: PEM of the pinned authority. `now`: Unix
 * seconds. The time stamp must be within 5 minutes of `now`.
 */
export async function checkTimeStampReply(
  reply: Uint8Array<ArrayBuffer>,
  expected: Required<Expected>,
  { authorities, now }: { readonly authorities: string; readonly now: number },
): Promise<Result<{ readonly token: Uint8Array<ArrayBuffer>; readonly genTime: number }, TimeStampError>> {
  if (reply.length > TIME_STAMP.replyBytes) return err('malformed')
  const [statusInfo, token, ...rest] = sequence(decodeDer(reply, TIME_STAMP.depth)) ?? []
  const [statusElement] = sequence(statusInfo) ?? []
  const status = statusElement?.tag === DER.integer ? readSmallInteger(statusElement) : undefined
  if (status === undefined || rest.length > 0) return err('malformed')
  // §2.4.2: 0 is granted, and 1 is granted with modifications. Only these two have a token.
  if (status > 1) return err('rejected')
  if (token === undefined) return err('malformed')
  const encoded = token.encoded.slice()
  const authentic = await checkTimeStampToken(encoded, expected)
  if (!authentic.ok) return authentic
  const { genTime } = authentic.value
  if (Math.abs(genTime - now) > TIME_STAMP.seconds) return err('wrong_time')
  const trusted = await checkAuthority(authentic.value, decodePemCertificates(authorities) ?? [], now)
  return trusted.ok ? ok({ token: encoded, genTime }) : trusted
}

/**
 * Checks a TimeStampToken: imprint, nonce, the certificate that ESSCertIDv2 names, its usage, and the
 * signature. The path of the certificate is not verified here (`checkAuthority`).
 */
export async function checkTimeStampToken(
  token: Uint8Array<ArrayBuffer>,
  { digest, nonce }: Expected,
): Promise<Result<AuthenticTimeStamp, TimeStampError>> {
  if (token.length > TIME_STAMP.replyBytes) return err('malformed')
  const data = decodeSignedData(token)
  const info = data && decodeTstInfo(data.content)
  if (data === undefined || info === undefined) return err('malformed')
  if (info.hashAlgorithm !== SHA_256 || !equalBytes(info.digest, digest)) return err('wrong_digest')
  if (nonce !== undefined && (info.nonce === undefined || !equalBytes(info.nonce, nonce)))
    return err('wrong_nonce')
  const { certificate } = data.signer
  if (!(await namesSigner(data))) return err('wrong_certificate')
  const { extendedKeyUsage, isUsageCritical } = certificate.extensions
  // RFC 3161 §2.3: the extended key usage is critical, and time stamping is its only purpose.
  if (!isUsageCritical || extendedKeyUsage?.join() !== TIME_STAMPING) return err('wrong_usage')
  if (!(await coversContent(data)) || !(await verifySignerSignature(data.signer)))
    return err('invalid_signature')
  const { policy, serialNumber, genTime } = info
  return ok({ policy, serialNumber, genTime, certificate, data })
}

/**
 * Checks that the certificate path from the signer of a time stamp to one of these authorities was valid at
 * the time `at` (Unix seconds). Returns this authority. The intermediate certificates come from the token.
 */
export async function checkAuthority(
  { certificate, data }: AuthenticTimeStamp,
  authorities: readonly Certificate[],
  at: number,
): Promise<Result<Certificate, TimeStampError>> {
  const demands = authorities.map((authority) => ({
    certificate: authority,
    extendedKeyUsage: [TIME_STAMPING],
    acceptsCommitment: true,
    acceptsAnyKeyUsage: true,
  }))
  if (!(await areAuthentic(data.certificates, authorities))) return err('wrong_certificate')
  const path = await verifyCertificatePath(buildChain(certificate, data, authorities), demands, at)
  return path.ok ? ok(path.value.authority.certificate) : err('untrusted_authority')
}

/**
 * Returns the certificates from the signer to the last certificate below an authority. Each issuer is found
 * by its name.
 */
function buildChain(
  leaf: Certificate,
  { certificates }: SignedData,
  authorities: readonly Certificate[],
): CertificateChain {
  const issuers: Certificate[] = []
  let last = leaf
  while (issuers.length < TIME_STAMP.certificates) {
    const isNamed = ({ subject }: Certificate) => isSameName(subject, last.issuer)
    const next = authorities.some(isNamed) ? undefined : certificates.find(isNamed)
    if (next === undefined || next === last || issuers.includes(next)) break
    issuers.push(next)
    last = next
  }
  return [leaf, ...issuers]
}

/**
 * Returns true if each certificate of the token has a valid signature by a certificate of the token or by an
 * authority. So a change in any certificate of the token is detected.
 */
async function areAuthentic(
  certificates: readonly Certificate[],
  authorities: readonly Certificate[],
): Promise<boolean> {
  for (const certificate of certificates) {
    const issuers = [...certificates, ...authorities].filter(({ subject }) =>
      isSameName(subject, certificate.issuer),
    )
    const results = await Promise.all(issuers.map((one) => verifyCertificateSignature(certificate, one)))
    if (!results.includes('valid')) return false
  }
  return true
}

/**
 * Returns true if the signed attributes have the hash of the signer's certificate (RFC 5816 §2.2.1, RFC 5035
 * §5.4.1.1).
 */
async function namesSigner({ signer }: SignedData): Promise<boolean> {
  const [list] = sequence(signer.attributes.get(SIGNING_CERTIFICATE_V2)) ?? []
  const fields = [...(sequence(sequence(list)?.[0]) ?? [])]
  // The hash algorithm is absent if it is SHA-256.
  const hash = fields[0]?.tag === DER.sequence ? readHash(fields.shift()) : 'SHA-256'
  const [digest] = fields
  if (hash === undefined || digest?.tag !== DER.octetString) return false
  return equalBytes(digest.content, await hashBytes(hash, signer.certificate.encoded))
}

/** Returns true if the signed attributes name the content's type and digest (RFC 5652 §11.1, §11.2). */
async function coversContent({ signer, content, digestAlgorithms }: SignedData): Promise<boolean> {
  const type = signer.attributes.get(CONTENT_TYPE)
  const digest = signer.attributes.get(MESSAGE_DIGEST)
  const hash = readHash(signer.digestAlgorithm)
  if (type === undefined || digest?.tag !== DER.octetString || hash === undefined) return false
  if (readObjectIdentifier(type) !== TST_INFO) return false
  const listed = digestAlgorithms.map(readHash)
  if (listed.includes(undefined) || !listed.includes(hash)) return false
  return equalBytes(digest.content, await hashBytes(hash, content))
}

async function hashBytes(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(hash, bytes))
}
