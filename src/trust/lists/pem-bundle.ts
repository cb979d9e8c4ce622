// Certificates one after the other in PEM (RFC 7468 §5.1), as an operator hands them over himself: nobody signed the bundle, so
// it has no number, no date and no end.

import { decodeBase64 } from '../../codec/base64url.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ListContent, ListedCertificate, TrustListError } from './listed.ts'

/** What every certificate of a bundle is listed for. */
export const BUNDLE_SERVICE = 'certificate'

/** Reads a bundle. Text between the blocks, as tools write it there, is passed over. */
export function readPemBundle(text: string): Result<ListContent, TrustListError> {
  const certificates = [...text.matchAll(BLOCK)].map(
    ([, base64 = '']): ListedCertificate => ({
      service: BUNDLE_SERVICE,
      certificate: decodeBase64(base64.replace(/\s+/g, '')),
    }),
  )
  const begun = text.split('-----BEGIN ').length - 1
  // A key among them, or a block without an end, is a mistake that somebody should hear of.
  if (certificates.length === 0 || certificates.length !== begun) return err('malformed')
  return ok({ type: null, sequence: null, issuedAt: null, nextUpdate: null, certificates })
}

const BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g
