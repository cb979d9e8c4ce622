// Revocation lists as they were fetched, remembered while they are in force. What is remembered has been verified by the key
// that is part of its name, so that nothing on an open way (http) takes the place of the last good copy.

import { encodeBase64url } from '../../codec/base64url.ts'
import { CRL } from '../../limits.ts'
import { createFetchCache } from '../../net/cache.ts'
import { type FetchSource, readCopy, type SharedCopy, type UnfetchedError } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { CLOCK_SKEW } from '../clock-skew.ts'
import type { Certificate } from '../x509/certificate.ts'
import { verifyCertificateSignature } from '../x509/certificate-signature.ts'
import { type CrlFormatError, decodeCrl, type RevocationList } from '../x509/crl.ts'

/** Why there is no list in force that the issuer's key has signed. */
export type CrlError = CrlFormatError | UnfetchedError | 'not_yet_valid' | 'stale' | 'invalid_signature'

/** A verified list, and until when (Unix seconds) this copy of it is used. */
export type VerifiedList = { readonly list: RevocationList; readonly usableUntil: number }

/** The list at an address, fetched or remembered, signed by the key of `issuer`. Whose name it bears is not looked at. */
export function readCrl(
  url: string,
  issuer: Certificate,
  source: FetchSource,
): Promise<Result<VerifiedList, CrlError>> {
  const name = `${encodeBase64url(issuer.subjectPublicKeyInfo)} ${url}`
  return memory(name, { ...source, url, issuer }, CRL.refreshSeconds)
}

type Source = FetchSource & { readonly url: string; readonly issuer: Certificate }
type Remembered = VerifiedList & { readonly fetchedAt: number; readonly bytes: number }
type Found = Result<Remembered, CrlError>

const memory = createFetchCache<Found, Source>({
  read: readList,
  isFresh: (found, { now }) => found.ok && isInForce(found.value, now),
  bytesOf: (found) => (found.ok ? found.value.bytes : 0),
})

/** What a serial number takes in a set. */
const ENTRY_BYTES = 128

/** A copy that is in force goes on being used where no other comes, and never gives way to an older one. */
async function readList(_: string, source: Source, last: Found | undefined): Promise<Found> {
  const { now, url } = source
  const known = last?.ok ? last.value : undefined
  const found = await readCopy<Remembered, CrlError>(source, {
    name: `crl ${url}`,
    request: { url, accept: 'application/pkix-crl', limit: CRL.bytes, allowHttp: true },
    known: known?.fetchedAt,
    open: (copy, share) => openList(copy, source, share),
    isFresh: ({ fetchedAt }) => Math.abs(now - fetchedAt) < CRL.refreshSeconds,
  })
  if (known === undefined || !isInForce(known, now)) return found
  return found.ok && found.value.list.thisUpdate >= known.list.thisUpdate ? found : ok(known)
}

async function openList(
  { body, fetchedAt }: SharedCopy,
  { now, issuer }: Source,
  share: (seconds: number) => void,
): Promise<Found> {
  const decoded = decodeCrl(body)
  if (!decoded.ok) return decoded
  const { signed, list } = decoded.value
  const { thisUpdate, nextUpdate = thisUpdate + CRL.maximumSeconds } = list
  if (thisUpdate > now + CLOCK_SKEW) return err('not_yet_valid')
  // No skew here: an old list may say nothing of what was revoked since.
  if (nextUpdate < now) return err('stale')
  if ((await verifyCertificateSignature(signed, issuer)) !== 'valid') return err('invalid_signature')
  const usableUntil = Math.min(nextUpdate, fetchedAt + CRL.maximumSeconds)
  share(Math.min(usableUntil - now, CRL.refreshSeconds))
  // Names and addresses may be most of a list: as texts they take twice their bytes.
  const bytes = ENTRY_BYTES * list.revoked.size + 2 * body.length
  return ok({ list, usableUntil, fetchedAt, bytes })
}

function isInForce({ list, usableUntil }: Remembered, now: number): boolean {
  return list.thisUpdate <= now + CLOCK_SKEW && now <= usableUntil
}
