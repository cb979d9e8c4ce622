// The issuer that a refused credential names, for the staff of the relying party (decisions/console.md).
// Everything here comes from the presenter, and nothing is verified.

import { encodeHex } from '../codec/bytes.ts'
import { sha256 } from '../crypto/digest.ts'
import type { NamedSigner } from '../trust/anchors/signer.ts'
import { decodeCertificate } from '../trust/x509/certificate.ts'
import { formatDistinguishedName } from '../trust/x509/distinguished-name.ts'
import { encodePem } from '../trust/x509/pem-certificates.ts'

/** The issuer that an unverified credential names, and the certificate of its signer. */
export type ClaimedIssuer = {
  readonly iss: string | null
  /** Subject and issuer of the signer's certificate. */
  readonly subject: string | null
  readonly issuer: string | null
  /** In hexadecimal, like the hash of the certificate. */
  readonly authority_key_identifier: string | null
  readonly certificate_sha256: string | null
  /** Null if the certificate is missing, malformed or too long. */
  readonly certificate_pem: string | null
}

/** Limit of characters of each text. */
const TEXT_LENGTH = 300

/**
 * Bytes of the longest certificate that is stored. A signer's certificate usually has 500 to 1,500 bytes. A
 * session stores up to ten attempts with such a certificate.
 */
const CERTIFICATE_BYTES = 2048

/**
 * Describes the signer that a credential names. A certificate that cannot be decoded is described by its hash
 * only.
 */
export async function claimedIssuer({ iss, chain }: NamedSigner): Promise<ClaimedIssuer> {
  const [bytes] = chain ?? []
  const leaf = bytes && decodeCertificate(bytes)
  const identifier = leaf?.extensions.authorityKeyIdentifier
  return {
    iss: limited(iss),
    subject: limited(leaf && formatDistinguishedName(leaf.subject)),
    issuer: limited(leaf && formatDistinguishedName(leaf.issuer)),
    authority_key_identifier: limited(identifier && encodeHex(identifier)),
    certificate_sha256: bytes === undefined ? null : encodeHex(await sha256(bytes)),
    certificate_pem: leaf && leaf.encoded.length <= CERTIFICATE_BYTES ? encodePem(leaf.encoded) : null,
  }
}

/**
 * Shortens a text, and replaces characters that are not visible, such as those that change the direction of
 * the text.
 */
function limited(text: string | null | undefined): string | null {
  return text?.slice(0, TEXT_LENGTH).replace(/\p{C}/gu, '\ufffd') ?? null
}
