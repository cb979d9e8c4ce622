// Lifetime of a certificate chain of our own, and when to renew it.

import { anchorCertificates } from './pem-certificates.ts'

/** Times are Unix milliseconds. */
export type ChainLifetime = {
  /** The time from which all of its certificates are valid. */
  readonly validFrom: number
  /** The expiry of the first certificate. */
  readonly expiresAt: number
  /** The time from which that certificate should be renewed. */
  readonly renewFrom: number
}

const DAY = 86_400
/** 30 days before the expiry. For a short-lived certificate, the last third of its time. */
const NOTICE = { seconds: 30 * DAY, share: 1 / 3 }

/** The lifetime of the chain in a PEM text; `null` if there is none. */
export function chainLifetime(pem: string): ChainLifetime | null {
  const chain = anchorCertificates(pem)
  const [first] = chain.toSorted((a, b) => a.notAfter - b.notAfter)
  if (first === undefined) return null
  const notice = Math.min(NOTICE.seconds, (first.notAfter - first.notBefore) * NOTICE.share)
  return {
    validFrom: Math.max(...chain.map(({ notBefore }) => notBefore)) * 1000,
    expiresAt: first.notAfter * 1000,
    renewFrom: (first.notAfter - notice) * 1000,
  }
}
