// Certificates in PEM, one after the other (RFC 7468 §5.1), from the operator. A bundle is not signed. A
// bundle has no number, date of issue or expiry.

import { decodeBase64 } from '../../codec/base64url.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ListContent, ListedCertificate, TrustListError } from './listed.ts'

/** Service of every certificate of a bundle. */
export const BUNDLE_SERVICE = 'certificate'

/** Reads a bundle. Text between the blocks, which tools write, is skipped. */
export function readPemBundle(text: string): Result<ListContent, TrustListError> {
  const certificates = [...text.matchAll(BLOCK)].map(
    ([, base64 = '']): ListedCertificate => ({
      service: BUNDLE_SERVICE,
      certificate: decodeBase64(base64.replace(/\s+/g, '')),
    }),
  )
  const begun = text.split('-----BEGIN ').length - 1
  // A private key in the text, or a block without an end, is an error of the operator.
  if (certificates.length === 0 || certificates.length !== begun) return err('malformed')
  return ok({ type: null, sequence: null, issuedAt: null, nextUpdate: null, certificates })
}

const BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g
