// Cache of fetched revocation lists that are in force. The name of an entry contains the issuer's public key,
// and each list is verified with this key. So a list that was changed on an http connection cannot replace
// the last good copy.

import { encodeBase64url } from '../../codec/base64url.ts'
import { CRL } from '../../limits.ts'
import { createFetchCache } from '../../net/cache.ts'
import { type FetchSource, readCopy, type SharedCopy, type UnfetchedError } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { CLOCK_SKEW, type Clock } from '../clock-skew.ts'
import type { Certificate } from '../x509/certificate.ts'
import { verifyCertificateSignature } from '../x509/certificate-signature.ts'
import { type CrlFormatError, decodeCrl, type RevocationList } from '../x509/crl.ts'

/** Reasons why there is no list in force that the issuer's key signed. */
export type CrlError = CrlFormatError | UnfetchedError | 'not_yet_valid' | 'stale' | 'invalid_signature'

/** A verified list, and the time (Unix seconds) until which this copy is used. */
export type VerifiedList = { readonly list: RevocationList; readonly usableUntil: number }

/**
 * Returns the list at a URL, signed by the key of `issuer`, from the cache or the network. The issuer name in
 * the list is not checked here.
 */
export function readCrl(
  url: string,
  issuer: Certificate,
  source: FetchSource,
): Promise<Result<VerifiedList, CrlError>> {
  const name = `${encodeBase64url(issuer.subjectPublicKeyInfo)} ${url}`
  return memory(name, { ...source, url, issuer }, CRL.refreshSeconds)
}

type Source = FetchSource & { readonly url: string; readonly issuer: Certificate }
type CachedList = VerifiedList & { readonly fetchedAt: number; readonly bytes: number }
type ListResult = Result<CachedList, CrlError>

const memory = createFetchCache<ListResult, Source>({
  read: readList,
  isFresh: (found, source) => found.ok && isInForce(found.value, source),
  bytesOf: (found) => (found.ok ? found.value.bytes : 0),
  late: err('not_fetched'),
})

/** Estimated memory of one serial number in a set, in bytes. */
const ENTRY_BYTES = 128

/**
 * Reads the list again. If the last copy is still in force, that copy is returned instead of an error or an
 * older list.
 */
async function readList(_: string, source: Source, last: ListResult | undefined): Promise<ListResult> {
  const { now, url } = source
  const lastList = last?.ok ? last.value : undefined
  const result = await readCopy<CachedList, CrlError>(source, {
    name: `crl ${url}`,
    request: { url, accept: 'application/pkix-crl', limit: CRL.bytes, allowHttp: true },
    known: lastList?.fetchedAt,
    open: (copy, share) => openList(copy, source, share),
    isFresh: ({ fetchedAt }) => Math.abs(now - fetchedAt) < CRL.refreshSeconds,
  })
  if (lastList === undefined || !isInForce(lastList, source)) return result
  return result.ok && result.value.list.thisUpdate >= lastList.list.thisUpdate ? result : ok(lastList)
}

async function openList(
  { body, fetchedAt }: SharedCopy,
  { now, clockSkew = CLOCK_SKEW, issuer }: Source,
  share: (seconds: number) => void,
): Promise<ListResult> {
  const decoded = decodeCrl(body)
  if (!decoded.ok) return decoded
  const { signed, list } = decoded.value
  const { thisUpdate, nextUpdate = thisUpdate + CRL.maximumSeconds } = list
  if (thisUpdate > now + clockSkew) return err('not_yet_valid')
  // No clock skew is allowed: an old list may lack certificates that were revoked later.
  if (nextUpdate < now) return err('stale')
  if ((await verifyCertificateSignature(signed, issuer)) !== 'valid') return err('invalid_signature')
  const usableUntil = Math.min(nextUpdate, fetchedAt + CRL.maximumSeconds)
  share(Math.min(usableUntil - now, CRL.refreshSeconds))
  // Most bytes of a list may be names and addresses. As text they take two bytes of memory for each byte of
  // the list.
  const bytes = ENTRY_BYTES * list.revoked.size + 2 * body.length
  return ok({ list, usableUntil, fetchedAt, bytes })
}

function isInForce({ list, usableUntil }: CachedList, { now, clockSkew = CLOCK_SKEW }: Clock): boolean {
  return list.thisUpdate <= now + clockSkew && now <= usableUntil
}
